import type { RedisQueueBackend } from 'bullmq';
import type { Redis } from 'ioredis';
import { sendTogether } from './within-time.ts';

type Fetch = RedisQueueBackend['moveToActive'];
type FindStalled = RedisQueueBackend['moveStalledJobsToWait'];
/** BullMQ's own keys of a queue: a list, and two sorted sets. */
type Places = { readonly wait: string; readonly prioritized: string; readonly delayed: string };

/** BullMQ keeps the time of a delayed job in the upper bits of its score. */
const scorePerMs = 0x1000;

/**
 * Fetches a job only where there may be one. BullMQ wakes another worker with every job that is taken, and who took it asks once more: two of
 * three scripts found nothing. Three looks cost a tenth of such a script. A job that comes after the look leaves a marker, which wakes a worker.
 */
export function lookFirst(redis: Redis, { wait, prioritized, delayed }: Places, fetch: Fetch): Fetch {
  return async (...words) => {
    sendTogether(redis);
    const [waiting, urgent, [, score = '0']] = await Promise.all([
      redis.llen(wait),
      redis.zcard(prioritized),
      redis.zrange(delayed, 0, '0', 'WITHSCORES'),
    ]);
    const nextAt = Number(score) / scorePerMs;
    const isDue = nextAt > 0 && nextAt <= Date.now() + 1;
    if (waiting + urgent > 0 || isDue) return fetch(...words);
    return [null, undefined, 0, nextAt];
  };
}

/** Looks for jobs that lost their worker only where no other worker has looked lately, which BullMQ's script would find out as well. */
export function findStalledInTurn(redis: Redis, lookedKey: string, find: FindStalled): FindStalled {
  return async () => ((await redis.exists(lookedKey)) === 1 ? [] : find());
}
