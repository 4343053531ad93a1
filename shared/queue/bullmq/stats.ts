import { readFileSync } from 'node:fs';
import type { Queue } from 'bullmq';
import type { Result } from 'ioredis';
import type { AnyRedis } from '../../backends/redis.ts';
import type { QueueName } from '../../model/job.ts';
import type { QueueStats } from '../../ports/job-queue.ts';
import type { ShardQueues } from './shard-queues.ts';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    diagStats(...args: (string | number)[]): Result<number[], Context>;
  }
}

const script = readFileSync(new URL('stats.lua', import.meta.url), 'utf8');

/** The counts of all queues, and their oldest waits by Redis' clock. */
export type ReadStats = () => Promise<Readonly<Record<QueueName, QueueStats>>>;

/** Makes the reader of the counts: sums over all shards, and the oldest wait of any. */
export function openStats(
  redis: AnyRedis,
  queuesByShard: readonly Pick<ShardQueues, 'queues' | 'keys'>[],
): ReadStats {
  redis.defineCommand('diagStats', { numberOfKeys: 5, lua: script });
  const read = async (name: QueueName) =>
    sum(
      await Promise.all(
        queuesByShard.map(({ queues, keys }) =>
          statsOf(redis, queues[name], `${keys.turns}:${name}:waiting`),
        ),
      ),
    );
  return async () => {
    const [network, browser, composite] = await Promise.all([
      read('network'),
      read('browser'),
      read('composite'),
    ]);
    return { network, browser, composite };
  };
}

async function statsOf(redis: AnyRedis, { keys }: Queue, turns: string): Promise<QueueStats> {
  const { wait = '', prioritized = '', delayed = '', active = '', '': jobPrefix = '' } = keys;
  const [waiting = 0, parked = 0, running = 0, oldestWaitingMs = 0, oldestParkedMs = 0] =
    await redis.diagStats(wait, prioritized, delayed, active, turns, jobPrefix);
  return { waiting, parked, running, oldestWaitingMs, oldestParkedMs };
}

function sum(all: readonly QueueStats[]): QueueStats {
  return all.reduce((total, one) => ({
    waiting: total.waiting + one.waiting,
    parked: total.parked + one.parked,
    running: total.running + one.running,
    oldestWaitingMs: Math.max(total.oldestWaitingMs, one.oldestWaitingMs),
    oldestParkedMs: Math.max(total.oldestParkedMs, one.oldestParkedMs),
  }));
}
