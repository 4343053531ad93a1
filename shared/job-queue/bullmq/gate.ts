import { readFileSync } from 'node:fs';
import type { Result } from 'ioredis';
import { type Job, type QueueName, queueNames } from '../../model/job.ts';
import type { AnyRedis } from '../../redis.ts';
import { doneChannel, type Keys } from './keys.ts';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    diagTake(...args: (string | number)[]): Result<number, Context>;
    diagRelease(...args: (string | number)[]): Result<string[], Context>;
    diagStartRun(...args: (string | number)[]): Result<number[], Context>;
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
export type Handed = { readonly queue: QueueName; readonly jobId: string };
type Held = Pick<Job, 'queue' | 'jobId' | 'host' | 'caller' | 'runLimitMs'>;

export type Gate = {
  /** 0: the job has a slot. n: its place in the line. `full`: not kept. `unserved`: no worker is alive. */
  reserve(job: Held, lineLimit?: number): Promise<number | 'full' | 'unserved'>;
  /** For a queue without slots: whether a worker is alive. */
  admit(queue: QueueName): Promise<0 | 'unserved'>;
  /** What must be done for a queue that a worker should serve and cannot. */
  denied(queue: QueueName): Promise<string | undefined>;
  /** A worker's first act with a job that was held back: true when it may run now. */
  start(job: Held, attempt: number): Promise<boolean>;
  /** The same for every other job, in one exchange with the look for pauses and the count of its runs. */
  startRun(job: Held & Pick<Job, 'check' | 'jobKey'>, start: StartRun): Promise<RunStarted>;
  /** A worker's last act, or the act of a process that finds a job gone. `ended` tells of the end of the job. Gives the jobs that may run now. */
  release(
    job: Pick<Held, 'queue' | 'jobId' | 'host'>,
    options: {
      readonly attempt?: number;
      readonly ended?: { readonly jobKey: string; readonly message: string };
    },
  ): Promise<readonly Handed[]>;
  /** Place in the line, 1 is next; 0 when the job does not wait for a slot. */
  position(job: Pick<Held, 'queue' | 'jobId' | 'host'>): Promise<number>;
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

const read = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8');
const [take, release] = [read('take.lua'), read('release.lua')];
const startRun = `local function take(KEYS, ARGV)\n${take}\nend
local function beginRun(KEYS, ARGV)\n${read('begin-run.lua')}\nend
${read('start-run.lua')}`;

/** The order of each host's line, kept in Redis: who holds its slots, who waits, whose turn it is. */
export function openGate(redis: AnyRedis, keys: Keys, { hostConcurrency, lineLimit }: GateLimits): Gate {
  redis.defineCommand('diagTake', { numberOfKeys: 6, lua: take });
  redis.defineCommand('diagRelease', { numberOfKeys: 6, lua: release });
  redis.defineCommand('diagStartRun', { numberOfKeys: 9, lua: startRun });
  const keysOfTake = (job: Held) => [...lineKeys(keys, job.host), keys.worker(job.queue)];
  const wordsOfTake = ({ queue, jobId, caller }: Held, attempt: string, leaseMs: number) =>
    [queue, jobId, attempt, caller, hostConcurrency, leaseMs] as const;
  const takeSlot = (job: Held, attempt: string, leaseMs: number, longest = lineLimit) =>
    redis.diagTake(...keysOfTake(job), ...wordsOfTake(job, attempt, leaseMs), longest);
  return {
    async reserve(job, longest) {
      const place = await takeSlot(job, '', reservationMs, longest);
      if (place === -1) return 'full';
      return place === -2 ? 'unserved' : place;
    },
    admit: async (queue) => ((await redis.exists(keys.worker(queue))) === 1 ? 0 : 'unserved'),
    denied: async (queue) => (await redis.get(keys.denied(queue)))?.slice(0, fixMost),
    start: async (job, attempt) => (await takeSlot(job, String(attempt), leaseMsOf(job))) === 0,
    startRun: (job, start) => {
      const words = wordsOfTake(job, String(start.attempt), leaseMsOf(job));
      return startInOne(redis, keys, { job, start, take: [keysOfTake(job), [...words, lineLimit]] });
    },
    async release(job, { attempt, ended }) {
      const handed = await redis.diagRelease(
        ...lineKeys(keys, job.host),
        keys.ended(ended?.jobKey ?? ''),
        job.queue,
        job.jobId,
        attempt === undefined ? '' : String(attempt),
        hostConcurrency,
        reservationMs,
        doneChannel,
        ended?.message ?? '',
        keys.bull,
        endedMs,
      );
      return pairs(handed);
    },
    async position(job) {
      const rank = await redis.zrank(`${keys.host(job.host)}:parked:${job.queue}`, job.jobId);
      return rank === null ? 0 : rank + 1;
    },
  };
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

function pairs(flat: readonly string[]): Handed[] {
  return flat.flatMap((queue, index) => {
    const name = queueNames.find((known) => known === queue);
    return index % 2 === 0 && name ? [{ queue: name, jobId: flat[index + 1] ?? '' }] : [];
  });
}
