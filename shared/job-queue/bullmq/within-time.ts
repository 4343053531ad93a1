import type { Redis } from 'ioredis';
import { isRedisAway, redisTimeoutMs } from '../../redis.ts';
import { queueUnavailable } from '../unavailable.ts';

/** Sends the commands of this turn of the loop in one write: each alone would cost a system call, dearer than all the rest of it. */
export function sendTogether({ stream }: Redis): void {
  if (stream.writableCorked > 0) return;
  stream.cork();
  setImmediate(() => stream.uncork());
}

/** Does something with Redis within its time, or throws Problem `queue_unavailable`. What was asked for may still happen later. */
export async function withinTime<T>(redis: Redis, act: () => Promise<T>): Promise<T> {
  if (redis.status !== 'ready') throw queueUnavailable();
  sendTogether(redis);
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(queueUnavailable()), redisTimeoutMs);
  try {
    return await Promise.race([act(), late.promise]);
  } catch (error) {
    throw isRedisAway(error) ? queueUnavailable(error) : error;
  } finally {
    clearTimeout(timer);
    late.promise.catch(() => undefined);
  }
}
