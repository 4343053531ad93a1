import type { ChildProcess } from 'node:child_process';
import type { RequestListener } from 'node:http';
import { Redis } from 'ioredis';
import { MongoClient } from 'mongodb';
import { startMongo, type TestMongo } from '../kit/mongo.ts';
import { startRedis, type TestRedis } from '../kit/redis.ts';
import { startService } from '../kit/service-process.ts';
import { type Lab, openLab } from '../lab/kit/lab.ts';

/** A scaled deployment of real processes, over a real Redis, a store of MongoDB's protocol, and a lab as the world. */
export type Fleet = {
  readonly redis: TestRedis;
  readonly mongo: TestMongo;
  readonly lab: Lab;
  readonly hosts: readonly string[];
  /** The most checks that were at one host at once, as the host counted them. */
  readonly mostAtOneHost: () => number;
  /**
   * Starts a process, and waits until it says that it is ready.
   * @param more settings laid over those of the fleet
   * @param status what /readyz says of it instead, where it is not to be ready
   * @param program of another version; this one's without it
   */
  startApi(more?: Settings, status?: Status, program?: string): Promise<Member>;
  startWorker(more?: Settings, status?: Status, program?: string): Promise<Member>;
  /** Kills every worker process, also those that are only starting. */
  killWorkers(): void;
  /** Asks for a check of this URL until it is answered 200; what else was met is counted. */
  ask(api: () => Member, url: string, tally: Tally, headers?: SentHeaders): Promise<Answer>;
  /** Host slots and waiting places that are left in Redis, and reports in the store by their key. */
  leftovers(): Promise<{
    readonly slots: number;
    readonly parked: number;
    readonly duplicates: number;
    readonly reports: number;
  }>;
  close(): Promise<void>;
};

export type Member = {
  readonly process: ChildProcess;
  readonly url: string;
  readonly adminUrl: string;
  readonly lines: readonly string[];
};
export type Settings = Readonly<Record<string, string>>;
type Status = 'ready' | 'degraded' | 'not-ready';
export type Answer = {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly ms: number;
  readonly headers: Headers;
};
export type Tally = Record<string, number>;
type SentHeaders = Readonly<Record<string, string>>;

export type FleetOptions = {
  readonly hosts: number;
  /** What every host of the lab answers. */
  readonly answer: RequestListener;
  readonly settings?: Settings;
};

/** Opens Redis, store and lab; API and worker processes are started by the test. */
export async function openFleet({ hosts: count, answer, settings = {} }: FleetOptions): Promise<Fleet> {
  const [redis, mongo] = await Promise.all([startRedis(), startMongo()]);
  const hosts = Array.from({ length: count }, (_, index) => `t${index}.test`);
  const { listener, most } = countPerHost(answer);
  const lab = await openLab({ sites: Object.fromEntries(hosts.map((host) => [`http://${host}`, listener])) });
  const members = new Set<ChildProcess>();
  const workers = new Set<ChildProcess>();
  const environment = lab.settings({
    REDIS_URL: redis.url,
    MONGODB_URL: mongo.url,
    RATE_LIMIT: 'off',
    LOG_LEVEL: 'info',
    ...settings,
  });
  const start = async (
    name: 'api' | 'worker',
    more: Settings = {},
    status: Status = 'ready',
    program = 'cli/diag.js',
  ) => {
    const member = await startMember([program, name], { ...environment, ...more }, (child) => {
      members.add(child);
      if (name === 'worker') workers.add(child);
    });
    await untilStatus(member, status);
    return member;
  };
  return {
    redis,
    mongo,
    lab,
    hosts,
    mostAtOneHost: most,
    startApi: (more, status, program) => start('api', more, status, program),
    startWorker: (more, status, program) => start('worker', more, status, program),
    killWorkers() {
      for (const child of workers) child.kill('SIGKILL');
    },
    ask: askUntilAnswered,
    async leftovers() {
      const server = new Redis(redis.url);
      const left = await countLeftovers(server, mongo.url);
      server.disconnect();
      return left;
    },
    async close() {
      for (const member of members) member.kill('SIGKILL');
      await Promise.all([redis.stop(), mongo.stop(), lab.close()]);
    },
  };
}

/** Sends one GET for a check of this URL. */
export async function get(
  member: Member,
  url: string,
  query = '',
  headers: SentHeaders = {},
): Promise<Answer> {
  const start = performance.now();
  const response = await fetch(
    `${member.url}/api/tools/redirect-check?url=${encodeURIComponent(url)}${query}`,
    { headers, signal: AbortSignal.timeout(60_000) },
  );
  const text = await response.text();
  return {
    status: response.status,
    body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
    ms: performance.now() - start,
    headers: response.headers,
  };
}

async function askUntilAnswered(
  api: () => Member,
  url: string,
  tally: Tally,
  headers: SentHeaders = {},
): Promise<Answer> {
  const until = performance.now() + 120_000;
  for (;;) {
    const answer = await get(api(), url, '&wait=5', headers).catch((error: unknown) =>
      String((error as { cause?: { code?: string } }).cause?.code ?? error),
    );
    const outcome = typeof answer === 'string' ? answer : outcomeOf(answer);
    tally[outcome] = (tally[outcome] ?? 0) + 1;
    if (typeof answer !== 'string' && answer.status === 200) return answer;
    if (performance.now() > until) throw new Error(`${url} was never answered: ${JSON.stringify(tally)}`);
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}

// "200", or the status and the problem's code: which of the reasons for a 503 it was, a failed test must tell.
function outcomeOf({ status, body: { code, detail } }: Answer): string {
  // The process itself has too much to do, whatever the test does to it.
  if (typeof detail === 'string' && detail.startsWith('This process is busy')) return `${status} busy`;
  return typeof code === 'string' ? `${status} ${code}` : String(status);
}

async function startMember(
  args: readonly string[],
  environment: Settings,
  onSpawn: (child: ChildProcess) => void,
): Promise<Member> {
  const command = { program: process.execPath, args, environment, onSpawn };
  const { child, url, adminUrl, lines } = await startService(command);
  return { process: child, url, adminUrl, lines };
}

// One that never says so is given to the test all the same, which will tell why it matters.
async function untilStatus({ adminUrl }: Member, status: Status): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    const isThere = await fetch(`${adminUrl}/readyz`).then(
      async (answer) => ((await answer.json()) as { readonly status: string }).status === status,
      () => false,
    );
    if (isThere) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function countPerHost(answer: RequestListener): { listener: RequestListener; most: () => number } {
  const now = new Map<string, number>();
  let most = 0;
  const listener: RequestListener = (request, response) => {
    const host = request.headers.host ?? '';
    const count = (now.get(host) ?? 0) + 1;
    now.set(host, count);
    most = Math.max(most, count);
    response.once('close', () => now.set(host, (now.get(host) ?? 1) - 1));
    answer(request, response);
  };
  return { listener, most: () => most };
}

async function countLeftovers(redis: Redis, mongoUrl: string) {
  const sum = async (pattern: string, least: number | '-inf') => {
    const keys = await redis.keys(pattern);
    const counts = await Promise.all(keys.map((key) => redis.zcount(key, least, '+inf')));
    return counts.reduce((total, count) => total + count, 0);
  };
  // A lease that has run out holds nothing; the next who asks for the place strikes it out.
  const [slots, parked] = [await sum('diag:jobs:at:*', Date.now()), await sum('diag:jobs:host:*', '-inf')];
  const mongo = new MongoClient(mongoUrl);
  const keys = await mongo
    .db()
    .collection('reports')
    .find({}, { projection: { jobKey: 1 } })
    .toArray();
  await mongo.close();
  return {
    slots,
    parked,
    reports: keys.length,
    duplicates: keys.length - new Set(keys.map(({ jobKey }) => String(jobKey))).size,
  };
}
