import type { Redis } from 'ioredis';
import { type AnyRedis, isCluster, refusalOf } from '../../backends/redis.ts';
import { Problem } from '../../model/problem.ts';
import type { Keys } from './keys.ts';
import { withinTime } from './within-time.ts';

const reasons: { readonly [word: string]: string } = {
  OOM: 'Redis is full: it has reached its maxmemory',
  MISCONF: 'Redis cannot write to its disk',
  READONLY: 'Redis is a replica that takes no writes',
  LOADING: 'Redis is still reading its data',
  BUSY: 'Redis is stuck in a script',
  NOPERM: 'the user of REDIS_URL lacks a right: see the rights in docs/operating.md',
};

/** What is wrong with each shard, in a few words; those that take jobs are not in it. */
export type ShardFaults = ReadonlyMap<string, string>;

/** Tries every shard by a write, and looks at the settings of its servers. Never rejects. */
export async function judgeShards(redis: AnyRedis, shards: readonly Keys[]): Promise<ShardFaults> {
  const judged = await Promise.all(
    shards.map(async (keys) => [keys.prefix, await judgeShard(redis, keys)] as const),
  );
  return new Map(judged.flatMap(([name, state]) => (state === true ? [] : [[name, state] as const])));
}

/** Why no job can be taken at all, else true. @param count of the shards */
export function sayAllFaults(faults: ShardFaults, count: number): true | string {
  const [first] = faults.values();
  return first === undefined || faults.size < count ? true : first;
}

/** Which shards take no jobs while others do, else true. */
export function sayShardFaults(faults: ShardFaults, count: number): true | string {
  const [first] = faults;
  if (!first) return true;
  const [name, reason] = first;
  return `${faults.size} of ${count} shards take no jobs, such as ${name}: ${reason}`;
}

// All work goes by scripts: a user without the right to run them, or a server that is stuck in one, answers everything else.
const trial = "return redis.call('SET', KEYS[1], '1', 'EX', 60)";

async function judgeShard(redis: AnyRedis, keys: Keys): Promise<true | string> {
  try {
    return await withinTime(redis, async () => {
      await redis.eval(trial, 1, keys.ping);
      return judgePolicies(redis);
    });
  } catch (error) {
    const word = refusalOf(error instanceof Problem ? error.cause : error);
    if (word === undefined) return 'Redis does not answer';
    return reasons[word] ?? `Redis refuses work: ${word}`;
  }
}

// A queue in a Redis that evicts would lose jobs without a word.
async function judgePolicies(redis: AnyRedis): Promise<true | string> {
  if (!isCluster(redis)) return judgePolicy(redis);
  const judged = await Promise.all(redis.nodes('master').map(judgePolicy));
  return judged.find((state) => state !== true) ?? true;
}

async function judgePolicy(redis: Redis): Promise<true | string> {
  const answer = await redis.config('GET', 'maxmemory-policy').catch(() => undefined); // managed servers forbid CONFIG
  const policy = Array.isArray(answer) ? String(answer[1]) : 'noeviction';
  return policy === 'noeviction' ? true : `Redis has maxmemory-policy ${policy}; the queue needs noeviction`;
}
