// npm run soak: a scaled deployment under mixed load (10,000 checks an hour, some of hot hosts and with tokens, and ten cached answers a second) with a fault every half minute, for SOAK_MINUTES (60). Exit status 1 where a check was lost or stored twice. With SOAK_PREVIOUS=1, every second process is of the previous version.
import { setTimeout as delay } from 'node:timers/promises';
import { openBackend } from '#shared/lifecycle/backend';
import { readConfig } from '#shared/settings/config';
import { makeToken } from '#shared/stores/tokens/make-token';
import { openLogger } from '#shared/telemetry/logger';
import { type Fleet, type Member, openFleet, type Tally } from '../test/faults/fleet.ts';
import { clientHeaders } from '../test/kit/client-headers.ts';
import { freeze } from '../test/kit/freeze.ts';
import { previousVersions, unpackPrevious } from '../test/kit/previous-version.ts';
import { readSample, type Sample, tableOf } from './soak-samples.ts';

const minutes = Number(process.env['SOAK_MINUTES'] ?? 60);
const checksPerHour = Number(process.env['SOAK_CHECKS_PER_HOUR'] ?? 10_000);
const totalMs = minutes * 60_000;
const sampleMs = Math.min(60_000, totalMs / 10);
const faultMs = Math.min(30_000, totalMs / 4);
const frozenMs = 2000;
/** A target that takes as long as a near server. */
const targetMs = 50;
/** The hot host is slow, so that its checks stand in line. */
const hotTargetMs = 2000;
const cachedPerSecond = 10;

/** Limits that are counted for every caller, and that no caller of a soak reaches. */
const wideLimits = {
  RATE_LIMIT: 'on',
  LIMIT_ANON_REQUESTS: '1000000/60',
  LIMIT_ANON_SCANS: '1000000/60',
  LIMIT_TOKEN_REQUESTS: '1000000/60',
  LIMIT_TOKEN_SCANS: '1000000/60',
};

/** Cached answers are asked for among this many of the latest checks. */
const latest = 500;
const tokenCount = 5;

/** The newest version before this one, where half of the processes are to be of it. */
const newest = process.env['SOAK_PREVIOUS'] === '1' ? previousVersions.at(-1) : undefined;
const previous = newest && unpackPrevious(newest);

/** What was asked and what became of it. */
type Counts = { accepted: number; answered: number; lost: number; cached: number; tally: Tally };

/** The clients of a soak: each call sends one request and counts its outcome. */
type Load = {
  readonly counts: Counts;
  /** Starts a check that nobody asked for before: every third of a hot host, every second with a token. */
  askNew(turn: number): Promise<void>;
  /** Asks once more for a check that is answered, with the header fields of a real client. */
  askAgain(turn: number): Promise<void>;
};

type MixedFleet = { readonly apis: readonly Member[]; readonly workers: Member[] };

const fleet = await openFleet({
  hosts: 200,
  answer: ({ headers: { host } }, response) =>
    void setTimeout(() => response.writeHead(204).end(), host === 't0.test' ? hotTargetMs : targetMs),
  // An hour of finished checks stays stored, so that a second report of one check is seen.
  settings: { FRESH_SECONDS: '7200', QUEUE_SECONDS: '120', LOG_LEVEL: 'info', ...wideLimits },
});
const stopped = new AbortController();
try {
  const [firstApi, secondApi, ...workers] = await Promise.all([
    fleet.startApi(),
    fleet.startApi({}, 'ready', previous?.program),
    fleet.startWorker(),
    fleet.startWorker({}, 'ready', previous?.program),
    fleet.startWorker(),
  ]);
  process.exitCode = await soak(fleet, { apis: [firstApi, secondApi], workers });
} finally {
  stopped.abort();
  await fleet.close();
  previous?.remove();
}
process.exit();

async function soak(fleet: Fleet, crew: MixedFleet): Promise<number> {
  const load = await openLoad(fleet, crew.apis);
  const { counts } = load;
  const samples: Sample[] = [];
  const start = performance.now();
  const faults = Object.entries(faultsOf(fleet, crew));
  const done: Record<string, number> = {};
  const sampling = every(sampleMs, start, async () => {
    const values = await readSample(watchedOf(fleet, crew));
    samples.push({ minute: (performance.now() - start) / 60_000, values });
    console.error(`${JSON.stringify({ minute: samples.at(-1)?.minute, ...values, ...counts })}`);
  });
  const faulting = every(faultMs, start, async (turn) => {
    const [name, strike] = faults[turn % faults.length] ?? [];
    if (name === undefined || strike === undefined) return;
    done[name] = (done[name] ?? 0) + 1;
    await strike();
  });
  const askingAgain = every(1000 / cachedPerSecond, start, load.askAgain);
  const asked: Promise<void>[] = [];
  await every(3_600_000 / checksPerHour, start, async (turn) => {
    asked.push(load.askNew(turn));
  });
  await Promise.all([sampling, faulting, askingAgain, ...asked]);
  const { duplicates, reports, slots, parked } = await settle(fleet);
  const values = await readSample(watchedOf(fleet, crew));
  samples.push({ minute: (performance.now() - start) / 60_000, values });
  console.log(`${tableOf(samples)}\n`);
  const { accepted, answered, lost, cached, tally } = counts;
  console.log(
    `${minutes} min at ${checksPerHour} checks an hour; faults: ${JSON.stringify(done)}; answers: ${JSON.stringify(tally)}`,
  );
  console.log(
    `cached answers ${cached}; requests accepted ${accepted}, answered ${answered}, lost ${lost}, duplicated ${duplicates}; reports stored ${reports}; host slots left ${slots}, places in line left ${parked}; at most ${fleet.mostAtOneHost()} at a host`,
  );
  // The rules of another version are another question: a caller who was sent from one API to the other has asked both.
  const areStored = previous ? reports >= accepted : reports === accepted;
  return lost + duplicates + slots + parked === 0 && answered === accepted && areStored ? 0 : 1;
}

/** The first two workers and both APIs live as long as the soak: what grows in them is seen. The third worker is the one that is killed; the next one is of the other version. */
function faultsOf(fleet: Fleet, { workers }: MixedFleet): Readonly<Record<string, () => Promise<void>>> {
  let kills = 0;
  const pause = async (child: Parameters<typeof freeze>[0]) => {
    await freeze(child);
    await delay(frozenMs);
    child?.kill('SIGCONT');
  };
  return {
    'worker killed': async () => {
      workers[2]?.process.kill('SIGKILL');
      kills += 1;
      workers[2] = await fleet.startWorker({}, 'ready', kills % 2 === 1 ? previous?.program : undefined);
    },
    'Redis frozen': () => pause(fleet.redis.process),
    'store frozen': () => pause(fleet.mongo.process),
  };
}

function watchedOf({ redis, mongo }: Fleet, { apis, workers }: MixedFleet) {
  const named = (name: string, members: readonly Member[]) =>
    members.map(({ process: { pid = 0 }, adminUrl }, index) => ({
      name: `${name} ${index + 1}`,
      pid,
      adminUrl,
    }));
  return {
    processes: [...named('api', apis), ...named('worker', workers.slice(0, 2))],
    redisUrl: redis.url,
    mongoUrl: mongo.url,
  };
}

/** Slots that a killed worker left run out within half a minute. */
async function settle(fleet: Fleet) {
  for (let tries = 0; tries < 60; tries += 1) {
    const left = await fleet.leftovers();
    if (left.slots + left.parked === 0) return left;
    await delay(1000);
  }
  return fleet.leftovers();
}

/** Does something at each multiple of a time after `start`, until the soak is over; one that is late is followed by the next at once. */
async function every(ms: number, start: number, act: (turn: number) => Promise<void>): Promise<void> {
  for (let turn = 0; turn * ms < totalMs; turn += 1) {
    await delay(Math.max(0, start + turn * ms - performance.now()), undefined, { signal: stopped.signal });
    await act(turn);
  }
}

/** Opens the clients, with tokens in the fleet's own store. */
async function openLoad(fleet: Fleet, apis: readonly Member[]): Promise<Load> {
  const tokens = await makeTokens(fleet);
  const counts: Counts = { accepted: 0, answered: 0, lost: 0, cached: 0, tally: {} };
  const answered: string[] = [];
  const clients = Object.values(clientHeaders);
  const bearer = (turn: number) =>
    turn % 2 === 0 ? { authorization: `Bearer ${tokens[turn % tokens.length]}` } : {};
  return {
    counts,
    async askNew(turn) {
      const host = turn % 3 === 0 ? fleet.hosts[0] : fleet.hosts[turn % fleet.hosts.length];
      const url = `http://${host}/${turn}`;
      counts.accepted += 1;
      let tries = turn;
      const nextApi = () => {
        tries += 1;
        return pick(apis, tries);
      };
      try {
        await fleet.ask(nextApi, url, counts.tally, bearer(turn));
        counts.answered += 1;
        answered[counts.answered % latest] = url;
      } catch (error) {
        counts.lost += 1;
        console.error(String(error));
      }
    },
    async askAgain(turn) {
      const known = answered.filter((url) => url !== undefined);
      if (known.length === 0) return;
      const headers = { ...pick(clients, turn), ...bearer(turn) };
      const url = `${pick(apis, turn).url}/api/tools/redirect-check?url=${encodeURIComponent(pick(known, turn * 7))}`;
      const answer = await fetch(url, { headers, signal: AbortSignal.timeout(40_000) });
      await answer.bytes();
      const outcome = `again ${answer.status}`;
      counts.tally[outcome] = (counts.tally[outcome] ?? 0) + 1;
      counts.cached += 1;
    },
  };
}

async function makeTokens({ redis, mongo }: Fleet): Promise<readonly string[]> {
  const config = readConfig({ REDIS_URL: redis.url, MONGODB_URL: mongo.url });
  const backend = await openBackend(config, openLogger('silent'));
  try {
    const made = Array.from({ length: tokenCount }, (_, index) =>
      makeToken({ name: `soak ${index}`, scopes: ['tools'], limits: {}, expiresAt: null }, Date.now()),
    );
    for (const { token } of made) await backend.tokenStore.insert(token);
    return made.map(({ text }) => text);
  } finally {
    await backend.close(0);
  }
}

function pick<Value>(values: readonly Value[], turn: number): Value {
  const value = values[turn % values.length];
  if (value === undefined) throw new Error('there is nothing to pick from');
  return value;
}
