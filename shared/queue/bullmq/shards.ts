import { keyPrefix } from '../../backends/redis.ts';
import { hostTag } from '../../model/job.ts';
import { parseRedisUrl } from '../../settings/redis-url.ts';
import { type Keys, keysBelow } from './keys.ts';

/** The keys of every shard: one without a tag for one Redis, else so many, each with the tag of its slot. */
export function listShards(url: string, count: number): readonly [Keys, ...Keys[]] {
  if (parseRedisUrl(url)?.kind !== 'cluster') return [keysBelow(keyPrefix)];
  const [first = keysBelow(''), ...others] = Array.from({ length: count }, (_, index) =>
    keysBelow(`{${tagOf(index, count)}}`),
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

const slotCount = 16_384;

/**
 * A tag whose slot is in the shard's own share of all slots, such as "diag:07.12". Masters have ranges of slots: plain numbers put nearly
 * half of sixteen shards on one of three masters.
 */
function tagOf(index: number, count: number): string {
  const share = slotCount / count;
  for (let number = 0; ; number += 1) {
    const tag = `${keyPrefix}:${String(index).padStart(2, '0')}.${number}`;
    if (Math.floor(slotOf(tag) / share) === index) return tag;
  }
}

/** The slot of a hash tag: CRC16 in the form of XMODEM (Redis Cluster specification, "Key distribution model"). */
export function slotOf(tag: string): number {
  let crc = 0;
  for (const byte of Buffer.from(tag)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff;
  }
  return crc % slotCount;
}
