import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Redis } from 'ioredis';
import { anonymousShare, type Pace } from '../../ports/pace.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { steadyNow } from '../../time/steady-time.ts';
import { openLeasedPace } from './leased.ts';
import { type PaceAsk, horizonMs, intervalsOf, type Ledger, type Portion } from './ledger.ts';
import { openMemoryLedger } from './memory.ts';

const lease = readFileSync(new URL('lease.lua', import.meta.url), 'utf8');
const count = readFileSync(new URL('count.lua', import.meta.url), 'utf8');

type Words = readonly (string | number)[];
type PaceRedis = Redis & {
  diagPaceLease(keys: number, ...words: Words): Promise<readonly number[]>;
  diagPaceCount(key: string, process: string, keptMs: number): Promise<number>;
};

/** What all its keys begin with. */
const prefix = 'diag:pace:{0}';
/** A process that ran a check tells that it lives; after some misses it no longer counts. */
const tellEveryMs = 5000;
const tellKeptMs = 16_000;

/**
 * The pace over all workers. While Redis is away each process keeps its part of every rate by itself, so that nobody is asked faster:
 * its burst has been used, as the others may have used it just before.
 */
export function openRedisPace(redis: Redis, log: Logger): Pace {
  return openLeasedPace(openRedisLedger(redis, log));
}

/** The account of all workers. Its client is disconnected when it is closed. */
export function openRedisLedger(client: Redis, log: Logger): Ledger {
  client.defineCommand('diagPaceLease', { lua: lease });
  client.defineCommand('diagPaceCount', { numberOfKeys: 1, lua: count });
  const redis = client as PaceRedis;
  const census = openCensus(redis, log);
  let answeredAt = steadyNow();
  const alone = openMemoryLedger({ share: () => 1 / census.processes(), emptyAt: () => answeredAt });
  const leaseAlone = async (asks: readonly PaceAsk[]) =>
    (await alone.lease(asks)).map((portion) => ({ ...portion, isAlone: true }));
  return {
    async lease(asks) {
      census.begin();
      if (redis.status !== 'ready') return leaseAlone(asks);
      try {
        const keys = asks.map(({ key }) => `${prefix}:${key}`);
        const words = [horizonMs, census.processes(), anonymousShare, ...asks.flatMap(wordsOf)];
        const told = await redis.diagPaceLease(keys.length, ...keys, ...words);
        answeredAt = steadyNow();
        return asks.map((ask, index) => ({
          ...readPortion(told, index * 3),
          at: answeredAt,
          intervals: intervalsOf(ask),
        }));
      } catch (error) {
        log.debug({ err: error }, 'pace not shared: Redis does not answer, this process counts alone');
        return leaseAlone(asks);
      }
    },
    close() {
      census.close();
      redis.disconnect();
    },
  };
}

type Census = {
  /** Tells of this process from now on: one that never ran a check does not count. */
  begin(): void;
  /** How many processes live, as far as was heard last. */
  processes(): number;
  close(): void;
};

function openCensus(redis: PaceRedis, log: Logger): Census {
  const id = randomBytes(8).toString('hex');
  let processes = 1;
  let timer: NodeJS.Timeout | undefined;
  const tell = () => {
    if (redis.status !== 'ready') return;
    redis.diagPaceCount(`${prefix}:processes`, id, tellKeptMs).then(
      (living) => {
        processes = Math.max(1, living);
      },
      (error: unknown) => log.debug({ err: error }, 'processes not counted'),
    );
  };
  return {
    begin() {
      if (timer) return;
      tell();
      timer = setInterval(tell, tellEveryMs).unref();
    },
    processes: () => processes,
    close: () => clearInterval(timer),
  };
}

function wordsOf({ rate, isAnonymous, wanted, ahead, returned }: PaceAsk): Words {
  return [rate.perSecond, rate.burst, isAnonymous ? 1 : 0, wanted, ahead, returned];
}

function readPortion(told: readonly number[], at: number): Omit<Portion, 'intervals' | 'at'> {
  return { units: told[at] ?? 0, ofAll: told[at + 1] ?? 0, ofKind: told[at + 2] ?? 0 };
}
