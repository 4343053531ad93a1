import { expect, test } from 'vitest';
import { makeJob } from '#shared/catalogue/make-job';
import { printQuestion, reportPrint } from '#shared/catalogue/report-print';
import { type Job, randomId } from '#shared/model/job';
import { ownSlot } from '#shared/ports/job-queue';
import { openSqliteReportStore } from '#shared/stores/reports/sqlite';
import { printLimits } from '../../worker/print/print-html.ts';
import { openPrinter } from '../../worker/print/printer.ts';
import { keepGolden } from '../kit/golden-report.ts';

const told: string[] = [];
const note = (_fields: object, message: string) => void told.push(message);
const log = { error: note, warn: note, info: note, debug: note };
const reportStore = openSqliteReportStore(':memory:', {
  log,
  limitBytes: 1e8,
  onForeignWrite: () => undefined,
});
const printer = openPrinter({
  reportStore,
  // No job of these tests may come as far as a browser that works.
  publicPath: '',
  print: { ...printLimits, browser: { path: '/nowhere/chrome', folder: '/nowhere' }, noSandbox: false },
  log,
  now: Date.now,
  onDone: () => undefined,
});

function jobOf(reportId: string, change: Partial<Job> = {}): Job {
  const wanted = { since: Date.now(), orFresh: false };
  const wish = { ...printQuestion(reportId), caller: 'test', wanted };
  return { ...makeJob(reportPrint, wish, Date.now() + 60_000), ...change };
}
const run = async (job: Job) =>
  printer.run(
    job,
    { attempt: 1, mayBeStored: true, slot: ownSlot },
    new AbortController().signal,
    () => undefined,
  );
const endOf = async ({ jobKey, wanted }: Job) =>
  (await reportStore.findFresh([{ jobKey, wanted }])).get(jobKey);

const id = randomId();
const forged = [
  { name: 'the key of another question', job: jobOf(id, { jobKey: printQuestion(randomId()).jobKey }) },
  { name: 'a target that is no id', job: jobOf('../../etc/passwd') },
  { name: 'another queue', job: jobOf(id, { queue: 'network' }) },
  { name: 'the line of a host', job: jobOf(id, { host: 'a.test' }) },
];
test.for(forged)('a job with $name is refused, and nothing is kept of it', async ({ job }) => {
  told.length = 0;
  expect(await run(job)).toBe('failed');
  expect(await endOf(job)).toBeUndefined();
  expect(told).toEqual(['print refused: it does not fit a print']);
});

test('a report that is gone is an end, so that nobody waits for it', async () => {
  const job = jobOf(randomId());
  expect(await run(job)).toBe('failed');
  expect((await endOf(job))?.state).toBe('failed');
});

test('without a browser the print fails, and is not tried again at once', async () => {
  const { reportId } = await keepGolden(reportStore, 'redirect-check');
  const job = jobOf(reportId);
  expect(await run(job)).toBe('failed');
  const end = await endOf(job);
  expect(end?.state).toBe('failed');
  expect(await reportStore.getBlob({ reportId, kind: 'pdf' })).toBeUndefined();
  // The same question a moment later: the end of before answers it.
  expect(await run({ ...job, wanted: { since: Date.now() - 1000, orFresh: false } })).toBeUndefined();
});

test('a print that lost its worker twice has an end', async () => {
  const job = jobOf(randomId());
  await printer.gaveUp(job, new Error('stalled'));
  expect((await endOf(job))?.state).toBe('failed');
});
