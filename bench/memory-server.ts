// The server of the memory bench: the service over a store that has a report for every question, or with workers that run.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openBackend } from '#shared/backend';
import { readConfig } from '#shared/config';
import { openLogger } from '#shared/logger';
import type { Question, ReportStore, StoredReport } from '#shared/report-store/port';
import { fromRow, toRow } from '#shared/report-store/row';
import { openApi } from '../api/open.ts';
import { openWorker } from '../worker/start/open.ts';

const target = createServer((_request, response) => response.writeHead(204).end()).listen(0, '127.0.0.1');
await new Promise((resolve) => target.once('listening', resolve));
const { port: targetPort } = target.address() as AddressInfo;

const config = readConfig({
  DATA_DIR: ':memory:',
  PORT: '0',
  TARGET_ALLOW_CIDRS: '127.0.0.0/8',
  TARGET_PORTS: String(targetPort),
  LIMIT_ANON_REQUESTS: '100000000/60',
  LIMIT_ANON_SCANS: '100000000/60',
});
const log = openLogger('silent');
const opened = await openBackend(config, log);
const withWorker = process.argv[2] === 'run';
const backend = withWorker ? opened : { ...opened, reportStore: fullStore(opened.reportStore) };
if (withWorker) openWorker({ config, backend, log });
const { port } = await openApi({ config, backend, log });

process.on('message', () => {
  globalThis.gc?.();
  process.send?.(process.memoryUsage());
});
process.send?.({ base: `http://127.0.0.1:${port}`, target: `http://127.0.0.1:${targetPort}` });

/** Answers every question with a report of about 2 kB, unpacked anew each time as a real store does. */
function fullStore(store: ReportStore): ReportStore {
  const now = Date.now();
  const at = (ms: number) => new Date(now + ms).toISOString();
  const report = {
    check: 'redirect-check',
    target: { url: `http://127.0.0.1:${targetPort}/` },
    state: 'complete',
    checkedAt: at(0),
    freshUntil: at(86_400_000),
    expiresAt: at(86_400_000),
    score: 100,
    grade: 'A',
    hops: Array.from({ length: 16 }, (_, index) => ({
      url: `http://127.0.0.1:${targetPort}/${index}`,
      status: 301,
      location: 'a location that is about as long as usual',
    })),
  } as unknown as Parameters<typeof toRow>[0];
  const row = toRow(report, { reportId: '', jobId: '', jobKey: '', isAnonymous: true });
  const answer = ({ jobKey }: Question): [string, StoredReport] => [
    jobKey,
    { ...fromRow(row), jobKey, reportId: jobKey },
  ];
  return { ...store, findFresh: async (questions) => new Map(questions.map(answer)) };
}
