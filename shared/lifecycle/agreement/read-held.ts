import { onceOnly, openRedis } from '../../backends/redis.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { keyOfSetting } from './agreement.ts';

/** The value of a setting that the processes over this Redis have; undefined where none of them lives, or Redis is away. */
export async function readHeld(url: string, name: string, log: Logger): Promise<string | undefined> {
  const redis = openRedis(url, onceOnly, log);
  try {
    return (await redis.get(keyOfSetting(redis, name))) ?? undefined;
  } catch {
    return undefined; // what is asked of it next says so
  } finally {
    redis.disconnect();
  }
}
