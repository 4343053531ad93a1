import { isRedisAway, onceOnly, openRedis } from '../../backends/redis.ts';
import { openLogger } from '../../telemetry/logger.ts';
import { queueUnavailable } from '../unavailable.ts';
import { purgedMessage } from './done.ts';
import { doneChannel } from './keys.ts';

/** Tells every API that reports were deleted: what it remembers is void. Rejects with Problem `queue_unavailable` where Redis is away. */
export async function announcePurge(url: string): Promise<void> {
  const redis = openRedis(url, onceOnly, openLogger('silent'));
  try {
    await redis.publish(doneChannel, purgedMessage);
  } catch (error) {
    throw isRedisAway(error) ? queueUnavailable(error) : error;
  } finally {
    redis.disconnect();
  }
}
