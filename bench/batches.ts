import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { makeToken } from '#shared/stores/tokens/make-token';
import { openMongoTokenStore } from '#shared/stores/tokens/mongo';
import { openLogger } from '#shared/telemetry/logger';
import { startMongo } from '../test/kit/mongo.ts';
import { startRedis, type TestRedis } from '../test/kit/redis.ts';
import { type ServiceProcess, startService } from '../test/kit/service-process.ts';
import { openTarget } from './capacity.ts';
import type { Section } from './section.ts';

/** A batch of each of these, of BENCH_TARGETS targets. */
const checks = [
  'redirect-check',
  'security-header-check',
  'dns-check',
  'ssl-check',
  'domain-health',
] as const;
const count = Number(process.env['BENCH_TARGETS'] ?? 10_000);
/** Every so many targets one is refused: it is an address that nobody may ask. */
const refusedEvery = 25;
const faultEveryMs = Number(process.env['BENCH_FAULT_S'] ?? 15) * 1000;
const singleEveryMs = 1000;
const lookEveryMs = 1000;
/** A page load each would make it a bench of browsers. */
const withoutPages = { parts: ['dns', 'ssl', 'headers', 'mail'] };
const accountLimits = { LIMIT_TOKEN_REQUESTS: '100000/60', LIMIT_TOKEN_SCANS: '60000/60' };

type Settings = Readonly<Record<string, string>>;
type BatchFleet = {
  readonly apis: ServiceProcess[];
  readonly workers: ServiceProcess[];
  readonly gone: ServiceProcess[];
};
type ResultOfTarget = {
  readonly index: number;
  readonly outcome: string;
  readonly problem: { readonly code: string } | null;
};

/** Batches of mixed targets of five accounts at a scaled service, while its workers, APIs and Redis are killed in turn and a single caller asks beside them. */
export async function bench(): Promise<Section> {
  const folder = mkdtempSync(join(tmpdir(), 'diag-bench-'));
  const target = await openTarget(join(folder, 'root.pem'));
  const [redis, mongo] = await Promise.all([startRedis({ appendOnly: true }), startMongo()]);
  const settings = {
    ...target.settings,
    ...accountLimits,
    RATE_LIMIT: 'on',
    LOG_LEVEL: 'info',
    QUEUE_SECONDS: '120',
    WORKER_QUEUES: 'network',
    LIMIT_ANON_REQUESTS: '1000000/60',
    LIMIT_ANON_SCANS: '1000000/60',
    LIMIT_ACCOUNT_TARGETS: String(2 * count),
    REDIS_URL: redis.url,
    MONGODB_URL: mongo.url,
  };
  const crew: BatchFleet = {
    apis: await Promise.all([start('api', settings), start('api', settings)]),
    workers: await Promise.all([1, 2, 3].map(() => start('worker', settings))),
    gone: [],
  };
  try {
    const began = performance.now();
    const batches = await Promise.all(checks.map((check, at) => post(crew, mongo.url, check, at)));
    const stopped = new AbortController();
    const done: Record<string, number> = {};
    const beside = Promise.all([
      breakThings({ crew, redis, settings }, done, stopped.signal),
      askBeside(crew, stopped.signal),
    ]);
    const lines = await Promise.all(batches.map((batch) => readLines(crew, batch)));
    const seconds = (performance.now() - began) / 1000;
    stopped.abort();
    const [, single] = await beside;
    const all = lines.flat();
    const lost = lines.map((each) => count - new Set(each.map(({ index }) => index)).size);
    const outcomes = (wanted: string) => all.filter(({ outcome }) => outcome === wanted).length;
    const limited = all.filter(({ problem }) => problem?.code === 'rate_limited').length;
    const times = single.ms.toSorted((a, b) => a - b);
    const faults = Object.entries(done).map(([what, often]) => `${what} ${often}`);
    return {
      title: 'Batches while processes are killed',
      about: `${checks.length} batches of ${count} targets (\`BENCH_TARGETS\`), one of each check (domain-health without page loads), each of an account of its own, at 2 APIs and 3 workers over a Redis with an append-only file. Every ${faultEveryMs / 1000} s something is killed with SIGKILL and started again, in turn a worker, an API and Redis. Every ${refusedEvery}th target is refused. A caller without a token asks for a redirect-check each second.`,
      columns: ['', ''],
      rows: [
        ['duration, s', seconds.toFixed(0)],
        ['targets a second', (all.length / seconds).toFixed(1)],
        ['killed', faults.join(', ')],
        ['lines', all.length],
        ['targets without a line', lost.reduce((sum, each) => sum + each, 0)],
        [
          'targets with two lines',
          all.length - (checks.length * count - lost.reduce((sum, each) => sum + each, 0)),
        ],
        ['done; refused; failed', `${outcomes('done')}; ${outcomes('refused')}; ${outcomes('failed')}`],
        ['runs of a key beyond its first, of all', await countTwice(mongo.url)],
        ['429 in lines and to the single caller', `${limited}; ${single.tally['429'] ?? 0}`],
        ['single caller: answers', JSON.stringify(single.tally)],
        ['single caller: median, 95th percentile, ms', `${at(times, 0.5)}, ${at(times, 0.95)}`],
      ],
      limits:
        'the CPU of the machine, which the targets share. What Redis lost in its last second runs twice, and so does what ran in a worker that was killed.',
    };
  } finally {
    const members = [...crew.apis, ...crew.workers];
    for (const member of members) member.kill('SIGKILL');
    await Promise.all(members.map(({ closed }) => closed));
    await Promise.all([redis.stop(), mongo.stop()]);
    target.process.kill();
    rmSync(folder, { recursive: true });
  }
}

function start(role: string, environment: Settings): Promise<ServiceProcess> {
  return startService({ program: process.execPath, args: ['cli/diag.js', role], environment });
}

type Posted = { readonly batchId: string; readonly headers: Record<string, string> };

async function post({ apis }: BatchFleet, mongoUrl: string, check: string, account: number): Promise<Posted> {
  const headers = await drawToken(mongoUrl, account);
  const isUrl = check === 'redirect-check' || check === 'security-header-check';
  const targets = Array.from({ length: count }, (_, index) => {
    if (index % refusedEvery === refusedEvery - 1)
      return isUrl ? `http://10.0.0.1/${index}` : `n${index}.internal`;
    // Batches share hosts, as those of several accounts do.
    const host = `h${index + 1}.test`;
    return isUrl ? `https://${host}/${check}` : host;
  });
  const response = await fetch(`${apis[0]?.url}/api/batches`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ check, targets, ...(check === 'domain-health' ? { options: withoutPages } : {}) }),
  });
  if (response.status !== 201) throw new Error(`${response.status}: ${await response.text()}`);
  const { batchId } = (await response.json()) as { readonly batchId: string };
  return { batchId, headers };
}

async function drawToken(mongoUrl: string, account: number): Promise<Record<string, string>> {
  const wish = { name: `bench ${account}`, scopes: ['tools' as const], limits: {}, expiresAt: null };
  const { text, token } = makeToken(wish, Date.now());
  const announcements = { announce: async () => undefined, heard: () => 0, close: () => undefined };
  const store = openMongoTokenStore(mongoUrl, announcements, openLogger('silent'));
  await store.insert(token);
  await store.close();
  return { authorization: `Bearer ${text}` };
}

type Breakable = { readonly crew: BatchFleet; readonly redis: TestRedis; readonly settings: Settings };

/** Kills something now and then until it is told to stop. Counts in `done`. */
async function breakThings(
  { crew, redis, settings }: Breakable,
  done: Record<string, number>,
  signal: AbortSignal,
): Promise<void> {
  const replace = async (members: ServiceProcess[], role: string) => {
    const old = members.shift();
    old?.kill('SIGKILL');
    members.push(await start(role, settings));
  };
  const faults = {
    worker: () => replace(crew.workers, 'worker'),
    API: () => replace(crew.apis, 'api'),
    Redis: async () => {
      redis.process?.kill('SIGKILL');
      await delay(1000);
      await redis.restart();
    },
  };
  for (let turn = 0; ; turn += 1) {
    const [what, act] = Object.entries(faults)[turn % 3] ?? [];
    await delay(faultEveryMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted || !what || !act) return;
    await act();
    done[what] = (done[what] ?? 0) + 1;
  }
}

/** Asks as a patient caller without a token; what another process has to answer is tried again at once. */
async function askBeside(crew: BatchFleet, signal: AbortSignal) {
  const ms: number[] = [];
  const tally: Record<string, number> = {};
  for (let single = 0; !signal.aborted; single += 1) {
    const began = performance.now();
    const path = `/api/tools/redirect-check?url=${encodeURIComponent(`https://h${60_000 + single}.test/`)}&wait=30`;
    for (let status = ''; status !== '200' && !signal.aborted;) {
      status = await fetch(`${crew.apis[1]?.url}${path}`, { signal: AbortSignal.timeout(40_000) }).then(
        async (answer) => {
          await answer.text();
          return String(answer.status);
        },
        () => 'no answer',
      );
      tally[status] = (tally[status] ?? 0) + 1;
      if (status !== '200') await delay(250);
    }
    ms.push(performance.now() - began);
    await delay(singleEveryMs);
  }
  return { ms, tally };
}

/** Reads all lines of a batch as they come, from whichever API answers. */
async function readLines(crew: BatchFleet, { batchId, headers }: Posted): Promise<ResultOfTarget[]> {
  const lines: ResultOfTarget[] = [];
  let after = '0';
  for (let turn = 0; ; turn += 1) {
    const base = `${crew.apis[turn % 2]?.url}/api/batches/${batchId}`;
    try {
      // Asked before the lines: those of a batch that has ended are all there.
      const shown = await fetch(base, { headers });
      const { endedAt } = (await shown.json()) as { readonly endedAt?: string | null };
      const answer = await fetch(`${base}/results?after=${after}`, { headers });
      const texts = answer.status === 200 ? (await answer.text()).split('\n') : [];
      for (const text of texts.filter((each) => each !== '')) {
        const line = JSON.parse(text) as ResultOfTarget & { readonly cursor: string };
        after = line.cursor;
        lines.push({ index: line.index, outcome: line.outcome, problem: line.problem });
      }
      if (answer.status === 200 && endedAt) return lines;
    } catch {
      // A process that was killed: the next one is asked, from the last cursor on.
    }
    await delay(lookEveryMs);
  }
}

/** Reports of a key beyond its first: everything is fresh for longer than the bench takes. */
async function countTwice(mongoUrl: string): Promise<string> {
  const client = await new MongoClient(mongoUrl).connect();
  const reports = client.db().collection('reports');
  const stored = await reports.find({}, { projection: { jobKey: 1 } }).toArray();
  await client.close();
  const keys = new Set(stored.map(({ jobKey }) => String(jobKey)));
  return `${stored.length - keys.size} of ${stored.length}`;
}

function at(sorted: readonly number[], share: number): string {
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(0);
}
