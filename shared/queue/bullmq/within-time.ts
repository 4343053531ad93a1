import { type AnyRedis, isCluster, isRedisAway, redisTimeoutMs } from '../../backends/redis.ts';
import { queueUnavailable } from '../unavailable.ts';

/** Sends the commands of this turn of the loop in one write: each alone would cost a system call, dearer than all the rest of it. */
export function sendTogether(redis: AnyRedis): void {
  const connections = isCluster(redis) ? redis.nodes('master') : [redis];
  for (const { stream } of connections) {
    // A node of a cluster has none before its first command.
    if (!stream || stream.writableCorked > 0) continue;
    stream.cork();
    setImmediate(() => stream.uncork());
  }
}

/** Does something with Redis within its time, or throws Problem `queue_unavailable`. What was asked for may still happen later. */
export async function withinTime<T>(redis: AnyRedis, act: () => Promise<T>): Promise<T> {
  if (redis.status !== 'ready') throw queueUnavailable(new Error(`Redis is not connected (${redis.status})`));
  sendTogether(redis);
  const late = Promise.withResolvers<never>();
  const refuse = () =>
    late.reject(queueUnavailable(new Error(`Redis did not answer within ${redisTimeoutMs} ms`)));
  // What has arrived while this process stood still is read first.
  const timer = setTimeout(() => setImmediate(refuse), redisTimeoutMs);
  try {
    return await Promise.race([act(), late.promise]);
  } catch (error) {
    throw isRedisAway(error) ? queueUnavailable(error) : error;
  } finally {
    clearTimeout(timer);
    late.promise.catch(() => undefined);
  }
}
