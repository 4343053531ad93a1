import { readFileSync } from 'node:fs';
import type { Cluster, Result } from 'ioredis';
import type { Job } from '../../model/job.ts';
import { type AnyRedis, isCluster, isRedisAway } from '../../redis.ts';
import { heldPagesKey, type Keys } from './keys.ts';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    diagDrawTurn(...args: (string | number)[]): Result<number, Context>;
    diagHoldPage(...args: (string | number)[]): Result<number, Context>;
    diagNextTurn(...args: (string | number)[]): Result<number, Context>;
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

const read = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8');
const [holdPage, drawTurn, beginTurn] = [
  read('hold-page.lua'),
  read('draw-turn.lua'),
  read('begin-turn.lua'),
];
/** KEYS: the caller's page loads, sorted set: job id -> when it cannot run any more, Redis ms. ARGV: job id, limit (0 counts nothing), ms from now until then. */
const hold = 'holdPage(KEYS[1], ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]))';
const scripts = {
  /** KEYS[2]: the turns, sorted set: caller -> the last turn it drew; '' -> the turn that began last. ARGV[4]: the caller. Returns the turn, 0 for too many. */
  diagDrawTurn: `${holdPage}${drawTurn}if not ${hold} then return 0 end\nreturn drawTurn(KEYS[2], ARGV[4])`,
  // In a cluster the two keys have no slot in common.
  diagHoldPage: `${holdPage}return ${hold} and 1 or 0`,
  diagNextTurn: `${drawTurn}return drawTurn(KEYS[1], ARGV[1])`,
} as const;
/** What ends a job that is late may take this much longer. */
const graceMs = 60_000;

/** Opens the line of one shard. @param pageLimit unfinished page loads of one caller, over all shards; undefined counts nothing */
export function openPageLine(redis: AnyRedis, { pageTurns }: Keys, pageLimit: number | undefined): PageLine {
  redis.defineCommand('diagDrawTurn', { numberOfKeys: 2, lua: scripts.diagDrawTurn });
  redis.defineCommand('diagBeginTurn', { numberOfKeys: 1, lua: beginTurn });
  const line: PageLine = {
    async draw(job, nowMs) {
      const held = heldPagesKey(job.caller);
      const turn = await redis.diagDrawTurn(
        held,
        pageTurns,
        job.jobId,
        pageLimit ?? 0,
        lastMsOf(job, nowMs),
        job.caller,
      );
      return turn === 0 ? undefined : turn;
    },
    async begin(turn) {
      await redis.diagBeginTurn(pageTurns, turn);
    },
    async leave({ jobId, caller }) {
      await redis.zrem(heldPagesKey(caller), jobId);
    },
  };
  return isCluster(redis) ? overCluster(redis, line, { pageTurns, pageLimit }) : line;
}

/** The masters that count a caller and that hold a shard are two: while the first is away, its callers are not counted and nobody waits for it. */
function overCluster(
  redis: Cluster,
  line: PageLine,
  { pageTurns, pageLimit }: { readonly pageTurns: string; readonly pageLimit: number | undefined },
): PageLine {
  redis.defineCommand('diagHoldPage', { numberOfKeys: 1, lua: scripts.diagHoldPage });
  redis.defineCommand('diagNextTurn', { numberOfKeys: 1, lua: scripts.diagNextTurn });
  return {
    ...line,
    async draw(job, nowMs) {
      const { jobId, caller } = job;
      const asking = redis.diagHoldPage(heldPagesKey(caller), jobId, pageLimit ?? 0, lastMsOf(job, nowMs));
      if (pageLimit !== undefined && (await unlessAway(asking, 1)) === 0) return undefined;
      return redis.diagNextTurn(pageTurns, caller);
    },
    // It is forgotten by itself when its time is over.
    leave: (job) => unlessAway(line.leave(job), undefined),
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
