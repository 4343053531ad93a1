import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
// One of the servers of the cached-get bench: the service, or Express sending the bytes that it is told to send.
import { openQuestions } from '#shared/ask/question';
import { redirectCheck } from '#shared/catalogue/redirect-check/spec';
import { type Backend, openBackend } from '#shared/lifecycle/backend';
import { randomId } from '#shared/model/job';
import type { Report } from '#shared/model/report';
import type { ReportStore } from '#shared/ports/report-store';
import { openJobKeys } from '#shared/queue/job-keys';
import type { Config } from '#shared/settings/config';
import { targetPolicyOf } from '#shared/settings/policy';
import { makeToken } from '#shared/stores/tokens/make-token';
import { openLogger } from '#shared/telemetry/logger';
import { openMetrics } from '#shared/telemetry/metrics';
import { openApi } from '../api/open.ts';
import { openWorker } from '../worker/start/open.ts';
import { openBenchTarget } from './bench-service.ts';
import { openBare } from './cached-get-bare.ts';

const log = openLogger('info');
/** So many that a process has few of them in memory when they are asked for in turn: 64 MiB hold about 15,000. */
const storedReports = 60_000;

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();

/** What this process has used, and how late its event loop was, since it was last asked. */
export type Usage = { readonly cpuUs: number; readonly p99Ms: number };

let before = process.cpuUsage();
process.on('SIGINT', () => process.exit(0));
process.on('message', (message) => {
  if (message !== 'usage') return;
  const { user, system } = process.cpuUsage(before);
  const usage: Usage = { cpuUs: user + system, p99Ms: delay.percentile(99) / 1e6 };
  process.send?.(usage);
  before = process.cpuUsage();
  delay.reset();
});

const [, , kind] = process.argv;
if (kind === 'bare') await openBare();
else process.send?.(await openOurs());

/** Reports that only the store has: what is asked for each, and the key that its row has. */
type StoredPlaces = { readonly paths: readonly string[]; readonly keys: readonly string[] };

/** The service three times: as it is, one that is asked for more reports than its memory holds, and one without a worker, where jobs wait. */
export type Ours = {
  readonly ports: { readonly usual: number; readonly full: number; readonly idle: number };
  /** The path of a check that has a report in each store. */
  readonly path: string;
  /** What only the store has, and the folder of its file. */
  readonly stored: StoredPlaces & { readonly folder: string };
  readonly tokens: { readonly usual: string; readonly poor: string };
};

/** Opens them in this process. */
async function openOurs(): Promise<Ours> {
  const folder = mkdtempSync(join(tmpdir(), 'diag-bench-'));
  const { config: inMemory, target } = await openBenchTarget((_request, response) =>
    response.writeHead(200, { 'content-type': 'text/plain' }).end('hello'),
  );
  const path = `/api/tools/redirect-check?url=${encodeURIComponent(`${target}/`)}`;
  // Longer than all rounds: a new report would have another tag.
  const config = { ...inMemory, DATA_DIR: folder, FRESH_SECONDS: 7200 };
  const backend = await openBackend(config, log);
  openWorker({ config, backend, log });
  const usual = await open(config, backend);
  const full = await open(config, backend);
  const idle = await open(inMemory, await openBackend(inMemory, log));
  const draw = async (requests: { points: number; windowS: number }) => {
    const wish = { name: 'bench', scopes: ['tools' as const], limits: { requests }, expiresAt: null };
    const { text, token } = makeToken(wish, Date.now());
    await backend.tokenStore.insert(token);
    return text;
  };
  return {
    ports: { usual, full, idle },
    path,
    stored: { ...(await fillStore(backend.reportStore, config, new URL(target).port)), folder },
    tokens: {
      usual: await draw({ points: 100_000_000, windowS: 60 }),
      poor: await draw({ points: 1, windowS: 86_400 }),
    },
  };
}

async function open(config: Config, backend: Backend): Promise<number> {
  const metrics = openMetrics(backend.jobQueue, backend.reportStore);
  // A machine that is busy with other work is no reason to refuse here.
  const loadSheddingLimits = { lagMs: 60_000, windowMs: 2000, waits: 10_000 };
  return (await openApi({ config, backend, log, metrics, loadSheddingLimits })).port;
}

/** Keeps the golden report of redirect-check for many targets, fresh for an hour. @param port that a target may name */
async function fillStore(
  store: Pick<ReportStore, 'insert'>,
  config: Config,
  port: string,
): Promise<StoredPlaces> {
  const questions = openQuestions(targetPolicyOf(config), openJobKeys(config), () => true);
  const keyOf = (url: string) => {
    const about = questions.readTarget(redirectCheck, url);
    if ('fault' in about) throw new Error(about.fault.why);
    return questions.of(redirectCheck, { ...about, options: {} }, undefined).jobKey;
  };
  const golden = JSON.parse(readFileSync('test/fixtures/golden/redirect-check.json', 'utf8')) as Report;
  const now = Date.now();
  const at = (ms: number) => new Date(now + ms).toISOString();
  const times = { checkedAt: at(0), freshUntil: at(3_600_000), expiresAt: at(86_400_000) };
  const places = Array.from({ length: storedReports }, (_, index) => {
    const url = `http://site-${index}.example.com:${port}/`;
    const path = `/api/tools/redirect-check?url=${encodeURIComponent(url)}`;
    return { url, path, jobKey: keyOf(url) };
  });
  for (const { url, jobKey } of places) {
    const reportId = randomId();
    const report = { ...golden, ...times, target: { url }, reportId };
    await store.insert(report, { reportId, jobId: randomId(), jobKey, isAnonymous: true });
  }
  return { paths: places.map(({ path }) => path), keys: places.map(({ jobKey }) => jobKey) };
}
