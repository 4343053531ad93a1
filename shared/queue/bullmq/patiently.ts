import { setTimeout as delay } from 'node:timers/promises';
import { isRedisAway } from '../../backends/redis.ts';

const retryMs = 1000;

/** Does something with Redis, again each second while Redis refuses work: a job is not at fault for that. Rejects with any other error, and with the signal's reason. */
export async function patiently<T>(signal: AbortSignal, act: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (!isRedisAway(error) || signal.aborted) throw error;
    }
    await delay(retryMs, undefined, { signal });
  }
}
