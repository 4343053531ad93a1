import { expect, test } from 'vitest';
import { drawJobId } from '#shared/model/job';
import { listShards, ofHost, ofJobId, slotOf } from '#shared/queue/bullmq/shards';

const cluster = 'redis+cluster://a,b,c';

test('one Redis has one shard, with the keys that it always had', () => {
  const [only, ...others] = listShards('redis://a', 16);
  expect(others).toEqual([]);
  expect([only.bull, only.worker('network'), only.host('a.test'), only.pauses, only.turns]).toEqual([
    'diag:bull',
    'diag:worker:network',
    'diag:host:a.test',
    'diag:pauses',
    'diag:turns',
  ]);
});

test('the slot of a key is that of the Redis Cluster specification', () => {
  // "The CRC16 of 123456789 is 0x31C3."
  expect(slotOf('123456789')).toBe(0x31c3 % 16_384);
});

test.for([1, 16, 64, 256])('%i shards have an equal share of the slots each', (count) => {
  const slots = listShards(cluster, count).map(({ prefix }) => slotOf(prefix.slice(1, -1)));
  expect(slots.map((slot) => Math.floor((slot * count) / 16_384))).toEqual(slots.map((_, index) => index));
});

test('a job is found in the shard of its host by its id alone', () => {
  const shards = listShards(cluster, 16);
  const hosts = Array.from({ length: 200 }, (_, index) => `h${index}.test`);
  const found = hosts.map((host) => ofJobId(shards, drawJobId(host)).prefix);
  expect(found).toEqual(hosts.map((host) => ofHost(shards, host).prefix));
  expect(new Set(found).size).toBe(16);
});

test('an id that is none of ours is looked for somewhere', () => {
  const shards = listShards(cluster, 16);
  expect(ofJobId(shards, 'zz')).toBe(shards[0]);
});
