import { expect, test } from 'vitest';
import { largestAnswerBytes, openAnswerRoom } from '../../../worker/probes/answer-room.ts';

const { signal } = new AbortController();

/** How many of so many reservations were granted at once. */
async function reserveMany(count: number, room = openAnswerRoom(1_000_000)) {
  let granted = 0;
  const all = Array.from({ length: count }, async () => {
    if (await room.reserve(signal)) granted += 1;
  });
  await new Promise((resolve) => setImmediate(resolve));
  return { granted: () => granted, all: Promise.all(all) };
}

test('as many answers are on their way as fit together, even where each is the largest', async () => {
  expect((await reserveMany(40)).granted()).toBe(Math.floor(1_000_000 / largestAnswerBytes));
});

test('one that waits goes on when another one has come, and is told when there is no room left', async () => {
  const room = openAnswerRoom(100_000);
  const first = await room.reserve(signal);
  const { granted } = await reserveMany(1, room);
  expect(granted()).toBe(0);
  first?.();
  await expect.poll(granted).toBe(1);
  expect(room.receive(99_999)).toBe(true);
  expect(room.receive(1)).toBe(false);
  expect(await room.reserve(signal)).toBeUndefined();
});

test('one that waits ends with its run', async () => {
  const ending = new AbortController();
  const room = openAnswerRoom(100_000);
  const first = await room.reserve(ending.signal);
  const waiting = room.reserve(ending.signal);
  ending.abort(new Error('called off'));
  first?.();
  await expect(waiting).rejects.toThrow('called off');
});
