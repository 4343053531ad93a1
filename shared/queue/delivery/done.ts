import type { Redis } from 'ioredis';
import { isRedisAway, onceOnly, openRedis } from '../../backends/redis.ts';
import type { Done, Missed } from '../../ports/job-queue.ts';
import { type Logger, openLogger } from '../../telemetry/logger.ts';
import { openOnceEach } from '../../telemetry/once-each.ts';
import { readDone } from '../read-message.ts';
import { doneChannel } from '../scheduler/keys.ts';
import { queueUnavailable } from '../unavailable.ts';

/** Published instead of the end of a job when reports were deleted by hand. */
const purgedMessage = '"purged"';

/** Hears of every job that ends, over its own connection; after a break it says that some may have been missed. */
export function subscribeDone(redis: Redis, log: Logger, listener: (done: Done | Missed) => void): void {
  let wasAway = false;
  redis.on('close', () => {
    wasAway = true;
  });
  redis.on('ready', () => {
    redis.subscribe(doneChannel).then(
      () => {
        if (wasAway) listener('missed');
        wasAway = false;
      },
      (error: unknown) => log.warn({ err: error }, 'cannot subscribe to ended jobs'), // the next `ready` tries again
    );
  });
  const onceEach = openOnceEach();
  redis.on('message', (_channel, message) => {
    // Reports were deleted: what a process remembers of them is void, as after a break.
    if (message === purgedMessage) return listener('missed');
    const done = readDone(message);
    if (done) listener(done);
    else onceEach('done', () => log.warn({ channel: doneChannel }, 'message dropped: not the end of a job'));
  });
}

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
