import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Queue, QueueEvents } from 'bullmq';
import { Redis } from 'ioredis';
import { randomId } from '#shared/model/job';
import { startMongo } from '../test/kit/mongo.ts';
import { startRedis } from '../test/kit/redis.ts';
import { type ServiceProcess, startService } from '../test/kit/service-process.ts';
import { lackOf } from './run-all.ts';
import type { Section } from './section.ts';
import { percentile } from './statistics.ts';

const turns = 300;
const warmTurns = 60;

/** A GET that had to run a check, from request to answer, and what of that was the run itself; ms. */
type LatencySample = { readonly answerMs: number; readonly runMs: number };

/**
 * What a check takes beyond its own run while nothing else is to be done: a client with keep-alive asks for one after the other, of a
 * target on loopback that answers at once. By turns with Express that asks the same target with got, and with a bare BullMQ job that does
 * nothing, awaited with waitUntilFinished.
 */
export async function bench(): Promise<Section> {
  const target = createServer((_request, response) => response.writeHead(204).end()).listen(0, '0.0.0.0');
  await once(target, 'listening');
  const { port } = target.address() as AddressInfo;
  const rows: string[][] = [];
  rows.push(...(await measureEmbedded(port)));
  const lack = lackOf(['redis', 'store']);
  if (lack === undefined) rows.push(...(await measureScaled(port)));
  else console.log(`latency, scaled: ${lack}`);
  target.close().closeAllConnections();
  return {
    title: 'How fast a check answers',
    about: `One caller asks for one check after the other on an idle service, ${turns} times. The target is on the same machine and answers at once. A real target adds its own time to the run. The run is what the worker logs: gather, judge and store. “Beyond the run” is what the service adds. The reference of the embedded service is Express that asks the same target with got. The reference of the scaled service is a bare BullMQ job that does nothing.`,
    columns: [
      '',
      'answer p50, ms',
      'p95, ms',
      'run p50, ms',
      'beyond the run p50, ms',
      'p95, ms',
      '÷ the reference',
    ],
    rows,
    limits:
      'in the embedded service, the HTTP exchange and the first look in the store. In the scaled service, five exchanges with Redis, one after the other, and two with the store. Each exchange with the stand-in for MongoDB takes 1.2 to 3 ms.',
  };
}

async function measureEmbedded(port: number): Promise<string[][]> {
  const service = await openEmbedded(port);
  const bare = startBare('express');
  const [barePort] = (await once(bare, 'message')) as [number];
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const times: number[] = [];
  const seen = await measure(service, port, async (target) => {
    const url = `http://127.0.0.1:${barePort}/?url=${encodeURIComponent(target)}`;
    times.push(await timed(() => ask(agent, url)));
  });
  agent.destroy();
  bare.kill();
  service.close();
  const p50 = percentile(times.slice(warmTurns), 0.5);
  const answer = percentile(
    seen.map(({ answerMs }) => answerMs),
    0.5,
  );
  return [
    [...rowOf('embedded', seen), `${(answer / p50).toFixed(2)} (answer)`],
    ['Express and got', ...places(times.slice(warmTurns)), '', '', '', '1'],
  ];
}

async function measureScaled(port: number): Promise<string[][]> {
  const scaled = await openScaled(port);
  const theirs = await openBullmq(scaled.redisUrl);
  const times: number[] = [];
  const seen = await measure(scaled, port, async () => void times.push(await timed(() => theirs.run())));
  await theirs.close();
  await scaled.close();
  const p50 = percentile(times.slice(warmTurns), 0.5);
  const beyond = percentile(
    seen.map(({ answerMs, runMs }) => answerMs - runMs),
    0.5,
  );
  return [
    [...rowOf('scaled', seen), `${(beyond / p50).toFixed(2)} (beyond the run)`],
    ['BullMQ, no work', ...places(times.slice(warmTurns)), '', '', '', '1'],
  ];
}

/** A bare BullMQ queue with a worker that does nothing. */
async function openBullmq(url: string): Promise<{ run(): Promise<void>; close(): Promise<void> }> {
  const connection = new Redis(url, { maxRetriesPerRequest: null });
  const queue = new Queue('bare', { connection });
  const events = new QueueEvents('bare', { connection: connection.duplicate() });
  const worker = startBare('bullmq', url);
  await Promise.all([once(worker, 'message'), events.waitUntilReady()]);
  queue.setMaxListeners(0);
  return {
    async run() {
      const jobId = randomId();
      const job = await queue.add('x', jobLike(jobId), {
        jobId,
        deduplication: { id: jobId.slice(0, 26) },
        removeOnComplete: { age: 600, count: 1000 },
      });
      await job.waitUntilFinished(events);
    },
    async close() {
      worker.kill();
      await Promise.all([events.close(), queue.close()]);
      connection.disconnect();
    },
  };
}

/** As many fields as a job of the service has. */
function jobLike(jobId: string): object {
  return {
    v: 1,
    queue: 'network',
    jobId,
    reportId: randomId(),
    jobKey: jobId.slice(0, 26),
    check: 'redirect-check',
    target: `http://a.test/${jobId}`,
    options: {},
    host: 'a.test',
    caller: 'c',
    wanted: { since: Date.now(), orFresh: true },
    startBy: Date.now() + 3_600_000,
    runLimitMs: 20_000,
  };
}

function startBare(...args: readonly string[]): ChildProcess {
  return fork(fileURLToPath(new URL('latency-bare.ts', import.meta.url)), args);
}

type LoggedService = {
  readonly url: string;
  /** Lines of the worker's log. */
  readonly lines: readonly string[];
};

async function measure(
  place: LoggedService,
  port: number,
  beside: (target: string) => Promise<void>,
): Promise<LatencySample[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const answers: number[] = [];
  for (let index = 0; index < warmTurns + turns; index += 1) {
    // An address of its own for each, so that the pace of one address does not slow the run.
    const target = `http://127.0.0.${2 + (index % 250)}:${port}/${index}`;
    const url = `${place.url}/api/tools/redirect-check?url=${encodeURIComponent(target)}`;
    answers.push(await timed(() => ask(agent, url)));
    await beside(target);
  }
  agent.destroy();
  const runs = await readRuns(place.lines, answers.length);
  return answers
    .slice(warmTurns)
    .map((answerMs, index) => ({ answerMs, runMs: runs[index + warmTurns] ?? 0 }));
}

/** How long each run took, in the order of the log. */
async function readRuns(lines: readonly string[], count: number): Promise<number[]> {
  for (;;) {
    const runs = lines.filter((line) => line.includes('"msg":"job done"'));
    if (runs.length >= count)
      return runs.map((line) => Number((JSON.parse(line) as { tookMs: number }).tookMs));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await act();
  return performance.now() - start;
}

function ask(agent: Agent, url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (response) => {
      response.resume();
      response.once('end', () =>
        response.statusCode === 200 ? resolve() : reject(new Error(`status ${response.statusCode}`)),
      );
    }).once('error', reject);
  });
}

function rowOf(name: string, turnsSeen: readonly LatencySample[]): string[] {
  const beyond = turnsSeen.map(({ answerMs, runMs }) => answerMs - runMs);
  const [run] = places(turnsSeen.map(({ runMs }) => runMs));
  return [name, ...places(turnsSeen.map(({ answerMs }) => answerMs)), run ?? '', ...places(beyond)];
}

function places(times: readonly number[]): string[] {
  return [percentile(times, 0.5).toFixed(2), percentile(times, 0.95).toFixed(2)];
}

const common = (port: number) => ({
  PORT: '0',
  ADMIN_PORT: '0',
  RATE_LIMIT: 'off',
  WORKER_QUEUES: 'network',
  TARGET_ALLOW_CIDRS: '127.0.0.0/8',
  TARGET_PORTS: String(port),
  FRESH_SECONDS: '3600',
});

function start(part: string, environment: Readonly<Record<string, string>>): Promise<ServiceProcess> {
  const args = ['--max-semi-space-size=8', fileURLToPath(new URL('../cli/diag.js', import.meta.url)), part];
  return startService({ program: process.execPath, args, environment });
}

async function openEmbedded(port: number): Promise<LoggedService & { close(): void }> {
  const folder = mkdtempSync(join(tmpdir(), 'diag-bench-'));
  const service = await start('serve', { ...common(port), DATA_DIR: folder });
  return {
    url: service.url,
    lines: service.lines,
    close() {
      service.kill('SIGKILL');
      rmSync(folder, { recursive: true });
    },
  };
}

async function openScaled(
  port: number,
): Promise<LoggedService & { redisUrl: string; close(): Promise<void> }> {
  const [redis, mongo] = await Promise.all([startRedis(), startMongo()]);
  const environment = { ...common(port), REDIS_URL: redis.url, MONGODB_URL: mongo.url };
  const [api, worker] = await Promise.all([start('api', environment), start('worker', environment)]);
  return {
    url: api.url,
    lines: worker.lines,
    redisUrl: redis.url,
    async close() {
      api.kill('SIGKILL');
      worker.kill('SIGKILL');
      await Promise.all([redis.stop(), mongo.stop()]);
    },
  };
}
