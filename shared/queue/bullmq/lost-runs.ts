import { readFileSync } from 'node:fs';
import { UnrecoverableError } from 'bullmq';
import type { Result } from 'ioredis';
import type { AnyRedis } from '../../backends/redis.ts';
import type { Job } from '../../model/job.ts';
import type { Keys } from './keys.ts';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    diagBeginRun(...args: (string | number)[]): Result<[number, number], Context>;
  }
}

type Held = Pick<Job, 'queue' | 'jobId'>;

/** Which runs of a job began and did not end: each has lost its worker. */
export type LostRuns = {
  /** Counts a run that begins. Rejects, and BullMQ fails the job, when it has lost too many workers already. */
  begin(job: Held, isAlone: boolean): Promise<void>;
  /** Another run begins beside one that was alone until now. */
  addCompany(job: Held): Promise<void>;
  /** The run is handed to another worker: this one is not lost. */
  takeBack(job: Held): Promise<void>;
};

const script = readFileSync(new URL('begin-run.lua', import.meta.url), 'utf8');

/** A job that lost its worker twice is at fault when it was alone there once. */
const lostRunsMost = 2;
/** Any other job was beside those that may be at fault, until it has lost this many. */
const lostRunsInCompanyMost = 4;

/** After so many stalls a job's next run is alone in its process: then it is known whether it kills its worker. */
export const stallsBeforeAlone = 2;

/** Opens the count. */
export function openLostRuns(redis: AnyRedis, { bull }: Keys): LostRuns {
  redis.defineCommand('diagBeginRun', { numberOfKeys: 1, lua: script });
  const count = ({ queue, jobId }: Held, runs: number, alone: number) =>
    redis.diagBeginRun(`${bull}:${queue}:${jobId}`, runs, alone);
  return {
    async begin(job, isAlone) {
      const [lost, lostAlone] = await count(job, 1, isAlone ? 1 : 0);
      refuseLoser(lost, lostAlone);
    },
    async addCompany(job) {
      await count(job, 0, -1);
    },
    async takeBack(job) {
      await count(job, -1, 0);
    },
  };
}

/** Throws, and BullMQ fails the job, for one that has lost too many workers already. @param lost its runs that began before, @param lostAlone of those, the ones that had no other run beside them */
export function refuseLoser(lost: number, lostAlone: number): void {
  if (lost >= lostRunsInCompanyMost || (lost >= lostRunsMost && lostAlone > 0))
    throw new UnrecoverableError(`lost its worker ${lost} times`);
}
