import type { Redis } from 'ioredis';
import { readTimeMs } from '../../backends/redis.ts';
import {
  namesOf,
  refusedForMs,
  strikeHourMs,
  strikesAllowed,
  type Struck,
  type Strikes,
} from '../../ports/strikes.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { openMemoryStrikes } from './memory.ts';

/** Each name has a list of its own, and Redis's clock counts: processes may disagree about the time. */
const keyOf = (name: string) => `diag:strikes:${name}`;

/** The strikes over all processes. While Redis is away each process goes by its own. */
export function openRedisStrikes(redis: Redis, log: Logger): Strikes {
  const alone = openMemoryStrikes();
  const shared = async <T>(ask: () => Promise<T>, instead: () => Promise<T>): Promise<T> => {
    if (redis.status !== 'ready') return instead();
    try {
      return await ask();
    } catch (error) {
      log.debug({ err: error }, 'strikes not shared: Redis does not answer, this process goes by its own');
      return instead();
    }
  };
  return {
    async add(job) {
      await alone.add(job);
      await shared(
        () => write(redis, job),
        async () => undefined,
      );
    },
    look: (job) =>
      shared(
        () => read(redis, job),
        () => alone.look(job),
      ),
    has: (jobId) =>
      shared(
        async () => (await redis.exists(keyOf(`job ${jobId}`))) === 1,
        () => alone.has(jobId),
      ),
  };
}

async function write(redis: Redis, job: Struck): Promise<void> {
  const nowMs = await readTimeMs(redis);
  for (const name of Object.values(namesOf(job))) {
    await redis.lpush(keyOf(name), nowMs);
    await redis.ltrim(keyOf(name), 0, strikesAllowed - 1);
    await redis.pexpire(keyOf(name), 2 * strikeHourMs);
  }
  await redis.set(keyOf(`job ${job.jobId}`), 1, 'PX', strikeHourMs);
}

async function read(redis: Redis, job: Omit<Struck, 'jobId'>): ReturnType<Strikes['look']> {
  const { caller, host } = namesOf(job);
  const asked = [
    ['caller', caller],
    ['host', host],
  ] as const;
  const [nowMs, ...lists] = await Promise.all([
    readTimeMs(redis),
    ...asked.map(([, name]) => redis.lrange(keyOf(name), 0, strikesAllowed - 1)),
  ]);
  for (const [index, [who]] of asked.entries()) {
    const ms = refusedForMs((lists[index] ?? []).map(Number), nowMs);
    if (ms > 0) return { who, forS: Math.ceil(ms / 1000) };
  }
  return undefined;
}
