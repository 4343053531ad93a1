import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hasMongo, startMongo } from '../test/kit/mongo.ts';
import { hasRedis, startRedis } from '../test/kit/redis.ts';
import { type ServiceProcess, startService } from '../test/kit/service-process.ts';
import { openTheirs } from './queue-cost.ts';
import type { Section } from './section.ts';

const turns = 300;
const warmTurns = 60;

/** A GET that had to run a check, from request to answer, and what of that was the run itself; ms. */
type Turn = { readonly answerMs: number; readonly runMs: number };

/**
 * What a check takes beyond its own run while nothing else is to be done: a client with keep-alive asks for one after the other, of a
 * target on loopback that answers at once. By turns with a bare BullMQ job that does nothing, awaited with waitUntilFinished.
 */
export async function bench(): Promise<Section> {
  const target = createServer((_request, response) => response.writeHead(204).end()).listen(0, '0.0.0.0');
  await once(target, 'listening');
  const { port } = target.address() as AddressInfo;
  const rows: string[][] = [];
  const embedded = await openEmbedded(port);
  rows.push(tell('embedded', await measure(embedded, port)));
  embedded.close();
  if (hasRedis && hasMongo) {
    const scaled = await openScaled(port);
    const theirs = await openTheirs(scaled.redisUrl);
    const bare: number[] = [];
    const seen = await measure(scaled, port, async () => void bare.push(await timed(() => theirs.run())));
    await theirs.close();
    await scaled.close();
    rows.push(tell('scaled', seen));
    rows.push(['BullMQ, no work', ...places(bare.slice(warmTurns)), '', '', '']);
    const p50 = (times: readonly number[]) => percentile(times, 0.5);
    console.log(
      `scaled, beyond the run, p50: ${(p50(seen.map(({ answerMs, runMs }) => answerMs - runMs)) / p50(bare.slice(warmTurns))).toFixed(2)} of a bare BullMQ job`,
    );
  } else console.log('scaled: not measured, needs Redis and a store');
  target.close().closeAllConnections();
  return {
    title: 'The way through the queue',
    about: `A GET that has to run a check, one at a time on an idle service, ${turns} of them: a client with keep-alive, a target on loopback that answers at once. The run is what the worker logs: gather, judge and store. All in ms.`,
    columns: ['', 'answer p50', 'p95', 'run p50', 'beyond the run p50', 'p95'],
    rows,
    limits:
      'embedded: the HTTP exchange itself and the first look in the store. Scaled: five exchanges with Redis one after the other (a place at the host, the job, its way to the worker, its start, its end), and two with the store (the first look, the report by its id), which take 1.2 to 3 ms each in the stand-in for MongoDB.',
  };
}

type Place = {
  readonly url: string;
  /** Lines of the worker's log. */
  readonly lines: readonly string[];
};

async function measure(
  place: Place,
  port: number,
  beside: () => Promise<void> = async () => undefined,
): Promise<Turn[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const answers: number[] = [];
  for (let index = 0; index < warmTurns + turns; index += 1) {
    // An address of its own for each, so that the pace of one address does not slow the run.
    const target = `http://127.0.0.${2 + (index % 250)}:${port}/${index}`;
    const url = `${place.url}/api/tools/redirect-check?url=${encodeURIComponent(target)}`;
    answers.push(await timed(() => ask(agent, url)));
    await beside();
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

function tell(name: string, turnsSeen: readonly Turn[]): string[] {
  const beyond = turnsSeen.map(({ answerMs, runMs }) => answerMs - runMs);
  const [run] = places(turnsSeen.map(({ runMs }) => runMs));
  const row = [name, ...places(turnsSeen.map(({ answerMs }) => answerMs)), run ?? '', ...places(beyond)];
  console.log(
    `${name}: answer p50 ${row[1]}, p95 ${row[2]}; run p50 ${row[3]}; beyond the run p50 ${row[4]}, p95 ${row[5]} ms`,
  );
  return row;
}

function places(times: readonly number[]): string[] {
  return [percentile(times, 0.5).toFixed(2), percentile(times, 0.95).toFixed(2)];
}

function percentile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
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

async function openEmbedded(port: number): Promise<Place & { close(): void }> {
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

async function openScaled(port: number): Promise<Place & { redisUrl: string; close(): Promise<void> }> {
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
