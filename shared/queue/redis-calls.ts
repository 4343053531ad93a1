import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import {
  isClusterAnswer,
  isRedisAway,
  redisTimeoutMs,
  refusalOf,
  sayRedisFault,
  tryWrite,
} from '../backends/redis.ts';
import { Problem } from '../model/problem.ts';
import { noCluster } from '../settings/redis-url.ts';
import { queueUnavailable } from './unavailable.ts';

/** Sends the commands of this turn of the loop in one write: each alone would cost a system call, dearer than all the rest of it. */
export function sendTogether({ stream }: Redis): void {
  if (!stream || stream.writableCorked > 0) return;
  stream.cork();
  setImmediate(() => stream.uncork());
}

/** A Redis that answers others is busy: it is waited for until then. */
const busyMostMs = 5000;

/**
 * Does something with Redis within its time, or throws Problem `queue_unavailable`: at once where it is not connected, soon where nothing
 * arrives from it, and later where it is only slow. What was asked for may still happen later.
 */
export async function withinTime<T>(redis: Redis, act: () => Promise<T>): Promise<T> {
  if (redis.status !== 'ready') throw queueUnavailable(new Error(`Redis is not connected (${redis.status})`));
  sendTogether(redis);
  const late = Promise.withResolvers<never>();
  const start = performance.now();
  let heard = bytesFrom(redis);
  // What has arrived while this process stood still is read first.
  const inTime = () => setTimeout(() => setImmediate(look), redisTimeoutMs);
  const look = () => {
    const bytes = bytesFrom(redis);
    const waitedMs = performance.now() - start;
    if (bytes > heard && waitedMs < busyMostMs) {
      heard = bytes;
      timer = inTime();
    } else late.reject(queueUnavailable(new Error(`Redis did not answer within ${Math.round(waitedMs)} ms`)));
  };
  let timer = inTime();
  try {
    return await Promise.race([act(), late.promise]);
  } catch (error) {
    throw isRedisAway(error) ? queueUnavailable(error) : error;
  } finally {
    clearTimeout(timer);
    late.promise.catch(() => undefined);
  }
}

function bytesFrom({ stream }: Redis): number {
  return (stream as Socket | undefined)?.bytesRead ?? 0;
}

const retryMs = 1000;

/** Does something with Redis, again each second while Redis refuses work: a job is not at fault for that. Rejects with any other error, and with the signal's reason. */
export async function patiently<T>(signal: AbortSignal, act: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (!isRedisAway(error) || signal.aborted) throw error;
    }
    await delay(retryMs, undefined, { signal });
  }
}

/** Tries Redis by a write, and looks at its settings: true when it takes jobs, else why not. Never rejects. */
export async function judgeRedis(redis: Redis): Promise<true | string> {
  try {
    return await withinTime(redis, async () => {
      await tryWrite(redis);
      return judgeSettings(redis);
    });
  } catch (error) {
    const cause = error instanceof Problem ? error.cause : error;
    const isSilent = refusalOf(cause) === undefined && !isClusterAnswer(cause);
    return isSilent
      ? 'Redis does not answer'
      : sayRedisFault(cause)
          .replace(/^its\b/, "Redis'")
          .replace(/^it\b/, 'Redis');
  }
}

// A queue in a Redis that evicts would lose jobs without a word.
async function judgeSettings(redis: Redis): Promise<true | string> {
  const unknown = () => undefined; // managed servers forbid CONFIG
  const [answer, info] = await Promise.all([
    redis.config('GET', 'maxmemory-policy').catch(unknown),
    redis.info('cluster').catch(unknown),
  ]);
  if (info?.includes('cluster_enabled:1') === true) return noCluster;
  const policy = Array.isArray(answer) ? String(answer[1]) : 'noeviction';
  return policy === 'noeviction' ? true : `Redis has maxmemory-policy ${policy}; the queue needs noeviction`;
}
