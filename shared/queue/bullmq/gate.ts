import { readFileSync } from 'node:fs';
import type { Result } from 'ioredis';
import type { AnyRedis } from '../../backends/redis.ts';
import { type Job, type QueueName, queueNames } from '../../model/job.ts';
import type { CallerJobs } from '../../ports/job-queue.ts';
import { turnRules } from '../turn-rules.ts';
import type { OurScripts, ScriptWords } from './joint-scripts.ts';
import { doneChannel, type Keys } from './keys.ts';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    diagTake(...args: (string | number)[]): Result<number, Context>;
    diagRelease(...args: (string | number)[]): Result<string[], Context>;
    diagStartRun(...args: (string | number)[]): Result<number[], Context>;
    diagBeat(...args: (string | number)[]): Result<string[], Context>;
    diagMoveTurn(...args: (string | number)[]): Result<string[], Context>;
    diagJobsOf(...args: (string | number)[]): Result<[number, number], Context>;
  }
}

/** A slot kept for a job between its submit and its start. */
export const reservationMs = 30_000;
/** Beyond its run limit a running job keeps its slot this long, to close what it opened. */
const leaseGraceMs = { network: 15_000, browser: 30_000, composite: 0 } as const;

/** So long it is known that a run of a key has ended. */
const endedMs = 60_000;

/** What a worker says of its fault is shown to callers, and has a few sentences. */
const fixMost = 1000;

export type GateLimits = { readonly hostConcurrency: number; readonly lineLimit: number };
type GateSettings = GateLimits & {
  /** Parts of the queue, of which this is one. */
  readonly shards: number;
};
/** A job that may run now. */
export type Handed = Pick<Job, 'queue' | 'jobId' | 'host'>;
type Caller = Pick<Job, 'caller' | 'levels' | 'isAnonymous'>;
type Held = Handed & Caller & Pick<Job, 'runLimitMs'>;

/** What is told of the end of a job. */
type JobEnd = { readonly jobKey: string; readonly message: string };
/** Where a job stands that is submitted. */
type Position = number | 'turn' | 'full' | 'unserved';

export type Gate = {
  /** 0: the job has its slots. n: its place in the line of its host. `turn`: it waits for its caller's turn. `full`: not kept. `unserved`: no worker is alive. */
  reserve(job: Held, lineLimit?: number): Promise<Position>;
  /** What `reserve` asks, to be asked together with BullMQ's own script; `readPlace` reads the answer. */
  wordsOfReserve(job: Held, lineLimit?: number): ScriptWords;
  /** The same for the `release` of a job that has ended; `readHanded` reads the answer. */
  wordsOfEnd(job: Held, end: JobEnd & { readonly attempt: number }): ScriptWords;
  /** What `release` asks of a job that is taken out before it ran, of which nobody is told. */
  wordsOfRelease(job: Handed & Partial<Pick<Job, 'caller'>>): ScriptWords;
  /** What must be done for a queue that a worker should serve and cannot. */
  denied(queue: QueueName): Promise<string | undefined>;
  /** A worker's first act with a job that was held back: true when it may run now. */
  start(job: Held, attempt: number): Promise<boolean>;
  /** The same for every other job, in one exchange with the look for pauses and the count of its runs. */
  startRun(job: Held & Pick<Job, 'check' | 'jobKey'>, start: StartRun): Promise<RunStarted>;
  /** A worker's last act, or the act of a process that finds a job gone. `ended` tells of the end of the job. Gives the jobs that may run now. */
  release(
    job: Handed & Partial<Pick<Job, 'caller'>>,
    options: {
      readonly attempt?: number;
      readonly ended?: JobEnd;
    },
  ): Promise<readonly Handed[]>;
  /** Place in the line of its host, 1 is next; 0 when the job does not stand there. */
  position(job: Handed): Promise<number>;
  /** True while a job waits for its caller's turn. */
  waitsForTurn(job: Pick<Job, 'queue' | 'jobId'>): Promise<boolean>;
  /** A run gives its slot to other work. Gives the jobs that may run now. */
  giveTurn(job: Held): Promise<readonly Handed[]>;
  /** True when the run has a slot again; else it waits for its caller's turn. */
  retakeTurn(job: Held): Promise<boolean>;
  /** Hands free slots on. Gives the jobs that may run now. */
  passOn(queue: QueueName): Promise<readonly Handed[]>;
  /** A worker is alive, with so many slots; with none it leaves. Gives the jobs that may run now. */
  beat(queue: QueueName, worker: string, slots: number): Promise<readonly Handed[]>;
  /** A caller's unfinished jobs of one queue. */
  jobsOf(queue: QueueName, caller: Caller): Promise<CallerJobs>;
};

/** @param nowMs by the shared clock */
export type StartRun = { readonly attempt: number; readonly isAlone: boolean; readonly nowMs: number };

/** `paused`: an operator holds it back, and nothing was done. `no-slot`: its host has no room. Else how many of its runs began before, and how many of them alone. */
export type RunStarted =
  | 'paused'
  | 'no-slot'
  | {
      readonly lost: number;
      readonly lostAlone: number;
      /** A run of its key has ended within the last `endedMs`. */
      readonly hasEndedLately: boolean;
    };

/** A worker that says nothing for so long is taken to be gone. */
const aliveMs = 15_000;

const read = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8');
const turns = `local RULES = cjson.decode('${JSON.stringify(turnRules)}')\n${read('turns.lua')}`;
const slots = `${turns}\n${read('host-slots.lua')}`;
const [take, release] = [read('take.lua'), read('release.lua')];
/** For scripts that run together with one of BullMQ's. */
export const ourScripts: OurScripts = { before: slots, take, release };
const startRun = `${slots}\nlocal function take(KEYS, ARGV)\n${take}\nend
local function beginRun(KEYS, ARGV)\n${read('begin-run.lua')}\nend
${read('start-run.lua')}`;

/** The order of each host's line, kept in Redis: who holds its slots, who waits, whose turn it is. */
export function openGate(redis: AnyRedis, keys: Keys, settings: GateSettings): Gate {
  const { hostConcurrency, lineLimit, shards } = settings;
  defineScripts(redis);
  const keysOfTake = (job: Held) => [...lineKeys(keys, job.host), keys.worker(job.queue)];
  const wordsOfTake = (job: Held, attempt: string, leaseMs: number, longest = lineLimit) => {
    const { queue, jobId, host } = job;
    const place = [hostConcurrency, leaseMs, longest, host, job.isAnonymous === true ? 1 : 0, keys.turns];
    return [queue, jobId, attempt, levelsOf(job), ...place] as const;
  };
  const takeSlots = (job: Held, attempt: string, leaseMs: number, longest = lineLimit) =>
    redis.diagTake(...keysOfTake(job), ...wordsOfTake(job, attempt, leaseMs, longest));
  return {
    reserve: async (job, longest) => readPlace(await takeSlots(job, '', reservationMs, longest)),
    denied: async (queue) => (await redis.get(keys.denied(queue)))?.slice(0, fixMost),
    start: async (job, attempt) => (await takeSlots(job, String(attempt), leaseMsOf(job))) === 0,
    startRun: (job, start) => {
      const words = wordsOfTake(job, String(start.attempt), leaseMsOf(job));
      return startInOne(redis, keys, { job, start, take: [keysOfTake(job), words] });
    },
    async release(job, options) {
      const { keys: names, words } = wordsOfRelease(keys, hostConcurrency, job, options);
      return readHanded(await redis.diagRelease(...names, ...words));
    },
    wordsOfReserve: (job, longest) => ({
      keys: keysOfTake(job),
      words: wordsOfTake(job, '', reservationMs, longest),
    }),
    wordsOfEnd: (job, { attempt, ...ended }) =>
      wordsOfRelease(keys, hostConcurrency, job, { attempt, ended }),
    wordsOfRelease: (job) => wordsOfRelease(keys, hostConcurrency, job, {}),
    async position(job) {
      const rank = await redis.zrank(`${keys.host(job.host)}:parked:${job.queue}`, job.jobId);
      return rank === null ? 0 : rank + 1;
    },
    ...openTurnsOf(redis, keys, shards),
  };
}

function wordsOfRelease(
  keys: Keys,
  hostConcurrency: number,
  job: Parameters<Gate['release']>[0],
  { attempt, ended }: Parameters<Gate['release']>[1],
): ScriptWords {
  const { queue, jobId, host, caller = '' } = job;
  const told = [doneChannel, ended?.message ?? '', keys.bull, endedMs];
  return {
    keys: [...lineKeys(keys, host), keys.ended(ended?.jobKey ?? '')],
    words: [queue, jobId, attempt ?? '', hostConcurrency, reservationMs, ...told, host, caller, keys.turns],
  };
}

/** Reads the answer of take.lua to a submit. */
export function readPlace(place: number): Position {
  return refusals[place] ?? place;
}

const refusals: { readonly [place: number]: 'full' | 'unserved' | 'turn' } = {
  [-1]: 'full',
  [-2]: 'unserved',
  [-4]: 'turn',
};

function defineScripts(redis: AnyRedis): void {
  redis.defineCommand('diagTake', { numberOfKeys: 6, lua: `${slots}\n${take}` });
  redis.defineCommand('diagRelease', { numberOfKeys: 6, lua: `${slots}\n${release}` });
  redis.defineCommand('diagStartRun', { numberOfKeys: 9, lua: startRun });
  redis.defineCommand('diagBeat', { numberOfKeys: 2, lua: `${turns}\n${read('beat.lua')}` });
  redis.defineCommand('diagMoveTurn', { numberOfKeys: 1, lua: `${turns}\n${read('move-turn.lua')}` });
  redis.defineCommand('diagJobsOf', { numberOfKeys: 1, lua: read('jobs-of.lua') });
}

type TurnGate = Pick<Gate, 'waitsForTurn' | 'giveTurn' | 'retakeTurn' | 'passOn' | 'beat' | 'jobsOf'>;

function openTurnsOf(redis: AnyRedis, keys: Keys, shards: number): TurnGate {
  const move = async (job: Held, leaseMs: number) => {
    const { queue, jobId, host, isAnonymous } = job;
    const words = [queue, jobId, host, levelsOf(job), isAnonymous === true ? 1 : 0, leaseMs, reservationMs];
    const [has, ...handed] = await redis.diagMoveTurn(keys.turns, ...words);
    return { hasSlot: has === '1', handed: readHanded(handed) };
  };
  const beat = async (queue: QueueName, worker: string, slots: number) => {
    const words = [queue, worker, slots, aliveMs, reservationMs, shards];
    return readHanded(await redis.diagBeat(keys.worker(queue), keys.turns, ...words));
  };
  return {
    waitsForTurn: async ({ queue, jobId }) =>
      (await redis.zscore(`${keys.turns}:${queue}:waiting`, jobId)) !== null,
    giveTurn: async (job) => (await move(job, 0)).handed,
    retakeTurn: async (job) => (await move(job, leaseMsOf(job))).hasSlot,
    passOn: (queue) => beat(queue, '', 0),
    beat,
    async jobsOf(queue, { caller, levels = [] }) {
      const nodes = [...levels, caller].map((_, index, all) => ` ${all.slice(0, index + 1).join(' ')}`);
      const base = `${keys.turns}:${queue}`;
      const [running, waiting] = await redis.diagJobsOf(base, nodes.at(-1) ?? '', nodes.at(-2) ?? '', caller);
      return { running, waiting };
    },
  };
}

/** A caller's levels, as JSON, the widest first, itself last. */
function levelsOf({ caller, levels = [] }: Caller): string {
  return JSON.stringify([...levels, caller]);
}

type StartInOne = {
  readonly job: Held & Pick<Job, 'check' | 'jobKey'>;
  readonly start: StartRun;
  /** The keys and words of take.lua. */
  readonly take: readonly [keys: readonly string[], words: readonly (string | number)[]];
};

async function startInOne(
  redis: AnyRedis,
  keys: Keys,
  { job, start, take }: StartInOne,
): Promise<RunStarted> {
  const [place = 0, lost = 0, lostAlone = 0, hasEnded = 0] = await redis.diagStartRun(
    ...take[0],
    keys.pauses,
    `${keys.bull}:${job.queue}:${job.jobId}`,
    keys.ended(job.jobKey),
    ...take[1],
    `host ${job.host}`,
    `check ${job.check}`,
    start.nowMs,
    start.isAlone ? 1 : 0,
  );
  if (place === -3) return 'paused';
  return place === 0 ? { lost, lostAlone, hasEndedLately: hasEnded === 1 } : 'no-slot';
}

function leaseMsOf({ queue, runLimitMs }: Held): number {
  return runLimitMs + leaseGraceMs[queue];
}

function lineKeys(keys: Keys, host: string): string[] {
  const key = keys.host(host);
  return [`${key}:slots`, `${key}:parked:network`, `${key}:parked:browser`, `${key}:owner`, `${key}:turns`];
}

/** Reads the answer of release.lua. */
export function readHanded(flat: readonly string[]): Handed[] {
  return flat.flatMap((queue, index) => {
    const name = queueNames.find((known) => known === queue);
    if (index % 3 !== 0 || !name) return [];
    return [{ queue: name, jobId: flat[index + 1] ?? '', host: flat[index + 2] ?? '' }];
  });
}
