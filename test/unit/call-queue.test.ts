import { MongoNetworkError } from 'mongodb';
import { expect, test } from 'vitest';
import { storeUnavailable } from '#shared/backends/mongo-errors';
import { type CallQueueLimits, openCallQueue } from '#shared/stores/reports/call-queue';

const limits: CallQueueLimits = { first: 8, least: 2, most: 12, turnMs: 60_000 };
const settled = () => new Promise(setImmediate);

/** A queue whose calls end when they are told to, by a clock that the test sets. */
function openCalls(given: Partial<CallQueueLimits> = {}) {
  let nowMs = 0;
  const queue = openCallQueue({ ...limits, ...given }, () => nowMs);
  const underWay: PromiseWithResolvers<void>[] = [];
  const outcomes: string[] = [];
  return {
    underWay,
    outcomes,
    share: () => queue.share(),
    async call(count: number) {
      for (let index = 0; index < count; index += 1)
        queue
          .through(() => {
            const own = Promise.withResolvers<void>();
            underWay.push(own);
            return own.promise;
          })
          .then(
            () => outcomes.push('works'),
            (error: Error & { cause?: unknown }) => outcomes.push(String(error.cause)),
          );
      await settled();
    },
    /** Ends as many as are under way. */
    async end(tookMs: number, error?: Error) {
      nowMs += tookMs;
      for (const { resolve, reject } of underWay.splice(0)) {
        if (error) reject(error);
        else resolve();
      }
      await settled();
    },
  };
}

const late = storeUnavailable(new MongoNetworkError('timed out'));

test('calls that take long become fewer at once, down to the least, and quick ones more, up to the most', async () => {
  const calls = openCalls();
  await calls.call(500);
  const atOnce: number[] = [];
  for (const tookMs of [...Array<number>(8).fill(500), ...Array<number>(40).fill(5)]) {
    atOnce.push(calls.underWay.length);
    await calls.end(tookMs);
  }
  expect(atOnce.slice(0, 9)).toEqual([8, 5, 3, 2, 2, 2, 2, 2, 2]);
  expect(Math.max(...atOnce.slice(9))).toBe(12);
  expect(atOnce.slice(9)).toEqual(atOnce.slice(9).toSorted((one, other) => one - other));
});

test('a server that is far away is not slow: as long as always is as usual', async () => {
  const calls = openCalls();
  await calls.call(1000);
  for (let rounds = 0; rounds < 100; rounds += 1) await calls.end(300);
  expect(calls.underWay.length).toBe(12);
});

test('where the store answers nothing, those that wait fail with the first that it did not answer', async () => {
  const calls = openCalls();
  await calls.call(20);
  await calls.end(800, late);
  expect(calls.outcomes).toEqual(Array(20).fill('MongoNetworkError: timed out'));
  // It is tried again by the next.
  await calls.call(1);
  await calls.end(5);
  expect(calls.outcomes.at(-1)).toBe('works');
});

test('where it answers others, those that wait have their turn', async () => {
  const calls = openCalls();
  await calls.call(12);
  const [first, ...others] = calls.underWay.splice(0);
  for (const { resolve } of others) resolve();
  await settled();
  first?.reject(late);
  await settled();
  expect(calls.outcomes).toEqual([...Array<string>(7).fill('works'), 'MongoNetworkError: timed out']);
  await calls.end(5);
  expect(calls.outcomes.filter((outcome) => outcome === 'works')).toHaveLength(11);
});

test('a call that gets no turn in time fails, and takes nobody else’s', async () => {
  const calls = openCalls({ turnMs: 1 });
  await calls.call(9);
  await expect.poll(() => calls.outcomes).toEqual(['MongoNetworkError: no turn within 1 ms']);
  await calls.end(5);
  await calls.call(8);
  expect(calls.underWay).toHaveLength(8);
});

test('where calls wait long for their turn, those who make them become fewer, and more again', async () => {
  const calls = openCalls({ first: 2, most: 2 });
  const shares: number[] = [];
  for (let rounds = 0; rounds < 20; rounds += 1) {
    await calls.call(10);
    while (calls.underWay.length > 0) await calls.end(400);
    await calls.end(2000);
    shares.push(calls.share());
  }
  expect(shares).toEqual(shares.toSorted((one, other) => other - one));
  expect(shares.at(-1)).toBe(0.1);
  for (let rounds = 0; rounds < 20; rounds += 1) {
    await calls.end(5000);
    calls.share();
  }
  expect(calls.share()).toBe(1);
});
