import { readFileSync } from 'node:fs';
import type { Result } from 'ioredis';
import { type AnyRedis, isCluster, isRedisAway } from '../../backends/redis.ts';
import type { Job } from '../../model/job.ts';
import { pagePartyOf } from '../unavailable.ts';
import { heldPagesKey } from './keys.ts';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    diagHoldPage(...args: (string | number)[]): Result<number, Context>;
  }
}

/** Page loads that are not finished: of each caller without a token, and of each account, at most so many. */
export type PageLine = {
  /** Counts a page load; false when its caller has enough of them waiting. @param nowMs by the clock of the job's times */
  enter(job: Job, nowMs: number): Promise<boolean>;
  /** The job is finished, or was not kept. */
  leave(job: Pick<Job, 'jobId' | 'caller' | 'levels' | 'isAnonymous'>): Promise<void>;
};

const holdPage = readFileSync(new URL('hold-page.lua', import.meta.url), 'utf8');
/** What ends a job that is late may take this much longer. */
const graceMs = 60_000;

/** Opens the count. @param pageLimit unfinished page loads of one name, over all shards, where its jobs do not say how many; undefined counts nothing */
export function openPageLine(redis: AnyRedis, pageLimit: number | undefined): PageLine {
  redis.defineCommand('diagHoldPage', { numberOfKeys: 1, lua: holdPage });
  // In a cluster the master that counts a caller may be away alone: its callers are not counted then, and no submit waits for it.
  const counted = <T>(asked: Promise<T>, otherwise: T) =>
    isCluster(redis) ? unlessAway(asked, otherwise) : asked;
  return {
    async enter(job, nowMs) {
      if (pageLimit === undefined) return true;
      const key = heldPagesKey(pagePartyOf(job));
      const asking = redis.diagHoldPage(key, job.jobId, job.pages ?? pageLimit, lastMsOf(job, nowMs));
      return (await counted(asking, 1)) === 1;
    },
    // It is forgotten by itself when its time is over.
    async leave(job) {
      await counted(redis.zrem(heldPagesKey(pagePartyOf(job)), job.jobId), 0);
    },
  };
}

function lastMsOf({ startBy, runLimitMs }: Job, nowMs: number): number {
  return Math.max(0, startBy - nowMs) + runLimitMs + graceMs;
}

/** So long an answer is waited for that is not needed. */
const countWaitMs = 300;

async function unlessAway<T>(asked: Promise<T>, otherwise: T): Promise<T> {
  const late = Promise.withResolvers<T>();
  const timer = setTimeout(() => late.resolve(otherwise), countWaitMs);
  const answer = asked.catch((error: unknown) => {
    if (isRedisAway(error)) return otherwise;
    throw error;
  });
  return Promise.race([answer, late.promise]).finally(() => clearTimeout(timer));
}
