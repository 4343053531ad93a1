import { hostTag } from '../../model/job.ts';
import { keyPrefix } from '../../redis.ts';
import { parseRedisUrl } from '../../redis-url.ts';
import { type Keys, keysBelow } from './keys.ts';

/** The keys of every shard: one without a tag for one Redis, else so many, each with the tag of its slot. */
export function listShards(url: string, count: number): readonly [Keys, ...Keys[]] {
  if (parseRedisUrl(url)?.kind !== 'cluster') return [keysBelow(keyPrefix)];
  const [first = keysBelow(''), ...others] = Array.from({ length: count }, (_, index) =>
    keysBelow(`{${keyPrefix}:${String(index).padStart(2, '0')}}`),
  );
  return [first, ...others];
}

/** What belongs to a host, of a list with an item for each shard. */
export function ofHost<T>(shards: readonly [T, ...T[]], host: string): T {
  return ofTag(shards, hostTag(host));
}

/** What belongs to the host of a job, whose id ends with the host's tag. */
export function ofJobId<T>(shards: readonly [T, ...T[]], jobId: string): T {
  return ofTag(shards, jobId.slice(-2));
}

function ofTag<T>(shards: readonly [T, ...T[]], tag: string): T {
  const number = Number.parseInt(tag, 16);
  return shards[Number.isNaN(number) ? 0 : number % shards.length] ?? shards[0];
}
