import type { Socket } from 'node:net';
import type { Redis } from 'ioredis';
import { isRedisAway, redisTimeoutMs } from '../../backends/redis.ts';
import { queueUnavailable } from '../unavailable.ts';

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
