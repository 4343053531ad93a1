import { readFileSync } from 'node:fs';
import type { Queue } from 'bullmq';
import type { Redis, Result } from 'ioredis';
import type { QueueName } from '../../model/job.ts';
import type { QueueStats } from '../port.ts';
import type { Queues } from './hand-over.ts';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    diagStats(...args: (string | number)[]): Result<number[], Context>;
  }
}

const script = readFileSync(new URL('stats.lua', import.meta.url), 'utf8');

/** The counts of all queues, and their oldest waits by Redis' clock. */
export type ReadStats = () => Promise<Readonly<Record<QueueName, QueueStats>>>;

/** Makes the reader of the counts. */
export function openStats(redis: Redis, queues: Queues): ReadStats {
  redis.defineCommand('diagStats', { numberOfKeys: 4, lua: script });
  const read = (name: QueueName) => statsOf(redis, queues[name]);
  return async () => {
    const [network, browser, composite] = await Promise.all([
      read('network'),
      read('browser'),
      read('composite'),
    ]);
    return { network, browser, composite };
  };
}

async function statsOf(redis: Redis, { keys }: Queue): Promise<QueueStats> {
  const { wait = '', prioritized = '', delayed = '', active = '', '': jobPrefix = '' } = keys;
  const [waiting = 0, parked = 0, running = 0, oldestWaitingMs = 0, oldestParkedMs = 0] =
    await redis.diagStats(wait, prioritized, delayed, active, jobPrefix);
  return { waiting, parked, running, oldestWaitingMs, oldestParkedMs };
}
