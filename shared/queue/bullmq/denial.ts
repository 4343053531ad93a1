import type { AnyRedis } from '../../backends/redis.ts';
import type { QueueWorker } from '../../ports/job-queue.ts';

const repeatMs = 5000;
const aliveS = 15;

/** Tells every process, as long as this worker lives, why it does not serve a queue that it should. @param keys of that queue, one in each shard */
export function startDenial(redis: AnyRedis, keys: readonly string[], fix: string): QueueWorker {
  const tell = () => {
    for (const key of keys) void redis.set(key, fix, 'EX', aliveS).catch(() => undefined); // said again in a moment
  };
  tell();
  const timer = setInterval(tell, repeatMs);
  return { close: async () => clearInterval(timer) };
}
