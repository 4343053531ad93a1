import { setTimeout as delay } from 'node:timers/promises';
import {
  openEmbedded,
  openScaled,
  openTargets,
  type FairnessService,
  type Targets,
} from './fairness-place.ts';
import { lackOf } from './run-all.ts';
import type { Section } from './section.ts';
import { percentile } from './statistics.ts';

/** BENCH_FAIR_S is how long each load lasts; its first fifth is left out. BENCH_FAIR_LOADS and BENCH_FAIR_PLACES name some, such as "3 slow,token". */
const loadS = Number(process.env['BENCH_FAIR_S'] ?? 300);
const leftOut = 0.2;
const isNamed = (name: string, list: string | undefined) => list?.split(',').includes(name) ?? true;

/** What is measured: a check of a site that takes so long, asked for so often by a caller who asks for nothing else. */
const checkMs = 400;
const everyMs = 1500;
/** What a GET waits at most; one that is answered later counts as that. */
const waitS = 55;

/** Each hop of a slow site takes so long; its check occupies a slot for so many of them: three callers fill 50 slots. */
const slowHopMs = 6000;
const slowHops = 3;
/** As often as an anonymous caller may start a check. */
const slowEveryMs = 1000;
const backlog = 2000;
const tokenCheckMs = 401;
const atHoster = 200;
const crowd = 1000;

type Load = {
  readonly name: string;
  /** Whose wait is measured: an anonymous caller's, that of one with a token, or that of the account whose load it is. */
  readonly whose?: 'known' | 'own';
  readonly settings?: Readonly<Record<string, string>>;
  /** Puts the load on, until the signal. */
  run(place: FairnessService, targets: Targets, stop: AbortSignal): Promise<void>;
};

/** Of the batches of one account: five slots, and sites that take 4 s. */
const fewSlots = { WORKER_CONCURRENCY: '5', LIMIT_ACCOUNT_BATCHES: '20' };
const batchTargets = 150;
const batchMs = 4000;

/** Other loads may be added here. */
const loads: readonly Load[] = [
  { name: 'idle', run: async () => undefined },
  ...[3, 10, 100].map((count) => ({
    name: `${count} slow`,
    run: (place: FairnessService, targets: Targets, stop: AbortSignal) =>
      runSlow(place, targets, { count, stop }),
  })),
  { name: 'token', run: runToken },
  {
    name: 'crowd',
    whose: 'known',
    run: (...given) => runCrowd((index) => `20.${index >> 8}.${index & 255}.7`, ...given),
  },
  {
    name: 'networks',
    run: (...given) => runCrowd((index) => `2001:db8:1:${index.toString(16)}::1`, ...given),
  },
  { name: 'hoster', run: runHoster },
  { name: 'own batch', whose: 'own', settings: fewSlots, run: runBatches },
];

const about: Readonly<Record<string, string>> = {
  idle: 'nothing else',
  '3 slow': '3 callers with slow sites',
  '10 slow': '10 callers with slow sites',
  '100 slow': '100 callers with slow sites',
  token: `one token with ${backlog} checks`,
  crowd: `${crowd} networks without a token, each with a slow site; the caller has a token`,
  networks: `${crowd} networks of one operator, each with a slow site`,
  hoster: `${atHoster} dns-checks at one hoster`,
  'own batch': `batches of ${batchTargets} of its own, 5 slots, sites of ${batchMs / 1000} s`,
};

/** How long one caller's quick check takes beside others, embedded and scaled with one worker, default settings and limits. */
export async function bench(): Promise<Section> {
  const targets = await openTargets();
  const rows: string[][] = [];
  const lack = lackOf(['redis', 'store']);
  if (lack !== undefined) console.log(`fairness, scaled: ${lack}`);
  const places = { embedded: openEmbedded, ...(lack === undefined ? { scaled: openScaled } : {}) };
  try {
    for (const [name, open] of Object.entries(places))
      for (const load of loadsOf(name)) {
        const row = await measure(await open(targets, load.settings), load, targets);
        rows.push([name, about[load.name] ?? load.name, ...row]);
        console.log(rows.at(-1)?.join(', '));
      }
  } finally {
    targets.close();
  }
  return {
    title: 'How long a caller waits beside others',
    about: `An anonymous caller asks every ${everyMs / 1000} s for the check of a site that answers after ${checkMs} ms; beside the crowd it is one with a token. Others load the service for ${loadS} s meanwhile; the first fifth is left out. A slow site answers each of ${slowHops} hops after ${slowHopMs / 1000} s, and each of its callers starts a check a second, as the limits allow. The token always has ${backlog} unfinished checks of sites that answer after ${tokenCheckMs} ms. At the hoster, ${atHoster} anonymous callers each always have one unfinished dns-check at the same two name servers. All settings are the defaults: one process, or an API and one worker of 50 slots.`,
    columns: ['', 'beside', 'checks', 'p50, s', 'p95, s', 'most, s', 'not answered 200'],
    rows,
    limits:
      'the CPU of the process that runs the checks, where a token keeps it busy. In the scaled service also the store: the stand-in reads all its reports for each question, so it takes fewer checks the longer the load lasts.',
  };
}

function loadsOf(place: string): readonly Load[] {
  const isPlace = isNamed(place, process.env['BENCH_FAIR_PLACES']);
  return isPlace ? loads.filter(({ name }) => isNamed(name, process.env['BENCH_FAIR_LOADS'])) : [];
}

async function measure(place: FairnessService, load: Load, targets: Targets): Promise<string[]> {
  const stop = new AbortController();
  const running = load.run(place, targets, stop.signal);
  const samples: Promise<Sample>[] = [];
  const until = performance.now() + loadS * 1000;
  const from = performance.now() + loadS * 1000 * leftOut;
  while (performance.now() < until) {
    const sample = ask(place, redirectOf(targets.site(nextHost(), checkMs, 1)), {
      caller: '203.0.113.77',
      waitS,
      ...tokenOf(place, load),
    });
    if (performance.now() >= from) samples.push(sample);
    await delay(everyMs);
  }
  const seen = await Promise.all(samples);
  stop.abort();
  await running;
  await place.close();
  const times = seen.map(({ status, ms }) => (status === 200 ? ms : Math.max(ms, waitS * 1000)) / 1000);
  const at = (share: number) => percentile(times, share).toFixed(2);
  const others = seen.filter(({ status }) => status !== 200).length;
  return [String(seen.length), at(0.5), at(0.95), at(1), String(others)];
}

function tokenOf({ token, otherToken }: FairnessService, { whose }: Load): { readonly token?: string } {
  if (whose === undefined) return {};
  return { token: whose === 'own' ? token : otherToken };
}

let hosts = 0;
function nextHost(): number {
  hosts += 1;
  return hosts;
}

type Sample = { readonly status: number; readonly ms: number };
type CallerLoad = { readonly caller: string; readonly waitS: number; readonly token?: string };

const redirectOf = (target: string) => `redirect-check?url=${encodeURIComponent(target)}&`;

async function ask(
  { url }: FairnessService,
  tool: string,
  { caller, waitS: wait, token }: CallerLoad,
): Promise<Sample> {
  const start = performance.now();
  const headers = {
    'x-forwarded-for': caller,
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  const path = `/api/tools/${tool}wait=${wait}`;
  try {
    const response = await fetch(`${url}${path}`, { headers });
    await response.arrayBuffer();
    return { status: response.status, ms: performance.now() - start };
  } catch {
    // The service is ended while some are under way.
    return { status: 0, ms: performance.now() - start };
  }
}

type Slow = { readonly count: number; readonly stop: AbortSignal };

/** Each caller in a network of its own starts a check a second and does not wait for it. */
async function runSlow(place: FairnessService, targets: Targets, { count, stop }: Slow): Promise<void> {
  const caller = async (index: number) => {
    await pause((index / count) * slowEveryMs, stop);
    while (!stop.aborted) {
      const target = targets.site(nextHost(), slowHopMs, slowHops);
      void ask(place, redirectOf(target), { caller: `198.${index}.100.7`, waitS: 0 });
      await pause(slowEveryMs, stop);
    }
  };
  await Promise.all(Array.from({ length: count }, (_, index) => caller(index)));
}

/** Each of so many callers always has one check of a slow site unfinished. */
async function runCrowd(
  addressOf: (index: number) => string,
  place: FairnessService,
  targets: Targets,
  stop: AbortSignal,
): Promise<void> {
  const one = async (index: number) => {
    await pause(index * 2, stop);
    while (!stop.aborted) {
      const tool = redirectOf(targets.site(nextHost(), slowHopMs, slowHops));
      let status = 0;
      while (status !== 200 && !stop.aborted) {
        ({ status } = await ask(place, tool, { caller: addressOf(index), waitS: 20 }));
        if (status !== 200 && status !== 202) await pause(slowEveryMs, stop);
      }
    }
  };
  await Promise.all(Array.from({ length: crowd }, (_, index) => one(index)));
}

/** Keeps so many checks of one token unfinished. */
async function runToken(place: FairnessService, targets: Targets, stop: AbortSignal): Promise<void> {
  let started = 0;
  const before = targets.answered(tokenCheckMs);
  while (!stop.aborted) {
    const missing = backlog - (started - (targets.answered(tokenCheckMs) - before));
    const asked = Array.from({ length: Math.min(100, Math.max(0, missing)) }, () =>
      ask(place, redirectOf(targets.site(nextHost(), tokenCheckMs, 1)), {
        caller: '198.51.100.9',
        waitS: 0,
        token: place.token,
      }),
    );
    started += (await Promise.all(asked)).filter(({ status }) => status === 202).length;
    await pause(50, stop);
  }
}

/** Each caller in a network of its own has one dns-check unfinished, of a domain that was not asked before while there are some. */
async function runHoster(place: FairnessService, targets: Targets, stop: AbortSignal): Promise<void> {
  const caller = async (index: number) => {
    while (!stop.aborted) {
      const { status } = await ask(place, `dns-check/${targets.nextDomain()}?`, {
        caller: `20.${index}.100.7`,
        waitS: 20,
      });
      if (status !== 200) await pause(slowEveryMs, stop);
    }
  };
  await Promise.all(Array.from({ length: atHoster }, (_, index) => caller(index)));
}

/** One batch of an account after the other. */
async function runBatches(place: FairnessService, targets: Targets, stop: AbortSignal): Promise<void> {
  const headers = { authorization: `Bearer ${place.token}`, 'content-type': 'application/json' };
  while (!stop.aborted) {
    const list = Array.from({ length: batchTargets }, () => targets.site(nextHost(), batchMs, 1));
    const body = JSON.stringify({ check: 'redirect-check', targets: list });
    const made = await fetch(`${place.url}/api/batches`, { method: 'POST', headers, body });
    const { links } = (await made.json()) as { links: { self: string } };
    let isOpen = true;
    while (isOpen && !stop.aborted) {
      await pause(slowEveryMs, stop);
      const seen = await fetch(new URL(links.self, place.url), { headers });
      isOpen = ((await seen.json()) as { endedAt: string | null }).endedAt === null;
    }
  }
}

async function pause(ms: number, stop: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal: stop }).catch(() => undefined); // the load is over
}
