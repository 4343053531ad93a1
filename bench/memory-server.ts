// The server of the memory bench: the service over a store that has a report for every question, or with workers that run.
import { openBackend } from '#shared/lifecycle/backend';
import type { Question, ReportStore, StoredReport } from '#shared/ports/report-store';
import { type Config, readConfig } from '#shared/settings/config';
import { fromRow, toRow } from '#shared/stores/reports/row';
import { openLogger } from '#shared/telemetry/logger';
import { openApi } from '../api/open.ts';
import { openWorker } from '../worker/start/open.ts';
import { openBenchTarget } from './bench-service.ts';

const kind = process.argv[2];
const { config: unlimited, target } = await openBenchTarget((_request, response) =>
  response.writeHead(204).end(),
);
// As in use: limits, and callers behind a proxy.
const { LIMIT_ANON_REQUESTS, LIMIT_ANON_SCANS } = readConfig({});
const config: Config =
  kind === 'mixed' ? { ...unlimited, TRUST_PROXY: 1, LIMIT_ANON_REQUESTS, LIMIT_ANON_SCANS } : unlimited;
const log = openLogger('silent');
const opened = await openBackend(config, log);
const withWorker = kind === 'run';
const backend = withWorker ? opened : { ...opened, reportStore: fullStore(opened.reportStore) };
if (withWorker) openWorker({ config, backend, log });
const { port } = await openApi({ config, backend, log });

process.on('message', () => {
  globalThis.gc?.();
  process.send?.(process.memoryUsage());
});
process.send?.({ base: `http://127.0.0.1:${port}`, target });

/** Answers every question with a report of about 2 kB, in memory of its own each time as a real store gives it. */
function fullStore(store: ReportStore): ReportStore {
  const now = Date.now();
  const at = (ms: number) => new Date(now + ms).toISOString();
  const report = {
    schemaVersion: 1,
    findings: [],
    check: 'redirect-check',
    target: { url: `${target}/` },
    state: 'complete',
    checkedAt: at(0),
    freshUntil: at(86_400_000),
    expiresAt: at(86_400_000),
    score: 100,
    grade: 'A',
    hops: Array.from({ length: 16 }, (_, index) => ({
      url: `${target}/${index}`,
      status: 301,
      location: 'a location that is about as long as usual',
    })),
  } as unknown as Parameters<typeof toRow>[0];
  // Each question's own key takes their place.
  const id = '0'.repeat(32);
  const { row } = toRow(report, { reportId: id, jobId: id, jobKey: id, isAnonymous: true });
  const answer = ({ jobKey }: Question): [string, StoredReport] => [
    jobKey,
    { ...fromRow({ ...row, body: row.body.slice() }), jobKey, reportId: jobKey },
  ];
  // Of a mix every second question has no report yet.
  const isKnown = ({ jobKey }: Question) => kind !== 'mixed' || jobKey.charCodeAt(0) % 2 === 0;
  return { ...store, findFresh: async (questions) => new Map(questions.filter(isKnown).map(answer)) };
}
