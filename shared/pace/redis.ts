import { readFileSync } from 'node:fs';
import type { Logger } from '../logger.ts';
import type { AnyRedis } from '../redis.ts';
import { openMemoryPace } from './memory.ts';
import type { Pace } from './port.ts';

const take = readFileSync(new URL('take.lua', import.meta.url), 'utf8');

type PaceRedis = AnyRedis & {
  diagPace(key: string, units: number, perSecond: number, burst: number, maxWaitMs: number): Promise<number>;
};

/** The pace over all workers. While Redis is away each process keeps the pace by itself, so that nobody is asked without limit. */
export function openRedisPace(redis: AnyRedis, log: Logger): Pace {
  redis.defineCommand('diagPace', { numberOfKeys: 1, lua: take });
  const alone = openMemoryPace();
  return {
    async take(key, units, rate, maxWaitMs) {
      if (redis.status !== 'ready') return alone.take(key, units, rate, maxWaitMs);
      try {
        const waitMs = await (redis as PaceRedis).diagPace(
          `diag:pace:${key}`,
          units,
          rate.perSecond,
          rate.burst,
          Math.floor(maxWaitMs),
        );
        return waitMs < 0 ? null : waitMs;
      } catch (error) {
        log.debug({ err: error }, 'pace not shared: Redis does not answer, this process counts alone');
        return alone.take(key, units, rate, maxWaitMs);
      }
    },
    close: async () => redis.disconnect(),
  };
}
