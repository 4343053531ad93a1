import { readFileSync } from 'node:fs';
import type { Redis, Result } from 'ioredis';
import type { Job } from '../../model/job.ts';
import { keyPrefix } from '../../redis.ts';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    diagDrawTurn(...args: (string | number)[]): Result<number, Context>;
    diagBeginTurn(...args: (string | number)[]): Result<number, Context>;
  }
}

/** The order of page loads over all hosts: callers take turns, and each has at most so many that are not finished. */
export type PageLine = {
  /** The job's turn, 1 or more, for BullMQ's priority; undefined when its caller has enough page loads waiting. @param nowMs by the clock of the job's times */
  draw(job: Job, nowMs: number): Promise<number | undefined>;
  /** A worker begins this turn. */
  begin(turn: number): Promise<void>;
  /** The job is finished, or was not kept. */
  leave(job: Pick<Job, 'jobId' | 'caller'>): Promise<void>;
};

const drawTurn = readFileSync(new URL('draw-turn.lua', import.meta.url), 'utf8');
const beginTurn = readFileSync(new URL('begin-turn.lua', import.meta.url), 'utf8');
const turnsKey = `${keyPrefix}:pages turns`;
/** What ends a job that is late may take this much longer. */
const graceMs = 60_000;

/** Opens the line. @param pageLimit unfinished page loads of one caller; undefined counts nothing */
export function openPageLine(redis: Redis, pageLimit: number | undefined): PageLine {
  redis.defineCommand('diagDrawTurn', { numberOfKeys: 2, lua: drawTurn });
  redis.defineCommand('diagBeginTurn', { numberOfKeys: 1, lua: beginTurn });
  return {
    async draw({ jobId, caller, startBy, runLimitMs }, nowMs) {
      const lastMs = Math.max(0, startBy - nowMs) + runLimitMs + graceMs;
      const turn = await redis.diagDrawTurn(turnsKey, heldKey(caller), jobId, caller, pageLimit ?? 0, lastMs);
      return turn === 0 ? undefined : turn;
    },
    async begin(turn) {
      await redis.diagBeginTurn(turnsKey, turn);
    },
    async leave({ jobId, caller }) {
      await redis.zrem(heldKey(caller), jobId);
    },
  };
}

function heldKey(caller: string): string {
  return `${keyPrefix}:pages:${caller}`;
}
