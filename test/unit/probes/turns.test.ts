import { setImmediate as afterTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { inTurn, yieldToOthers } from '../../../worker/probes/turns.ts';

/** Keeps the loop for longer than half of what one turn may take. */
function spin(): void {
  const end = performance.now() + 5;
  while (performance.now() < end);
}

/** Counts turns of the loop until `work` is done; gives the turn in which each note was made. */
async function watchTurns(work: (note: () => void) => Promise<unknown>): Promise<number[]> {
  const noted: number[] = [];
  let turn = 0;
  let isDone = false;
  const counting = (async () => {
    for (; !isDone; turn += 1) await afterTurn();
  })();
  await work(() => noted.push(turn));
  isDone = true;
  await counting;
  return noted;
}

/** The most notes of one turn. */
function mostOf(noted: readonly number[]): number {
  return Math.max(
    ...Map.groupBy(noted, (turn) => turn)
      .values()
      .map(({ length }) => length),
  );
}

test('work is done in the order of asking, whether by callback or by promise', async () => {
  const order: number[] = [];
  const done = yieldToOthers().then(() => order.push(1));
  inTurn(() => order.push(2));
  await Promise.all([done, yieldToOthers().then(() => order.push(3))]);
  expect(order).toEqual([1, 2, 3]);
});

test('work is not done at once', () => {
  let isDone = false;
  inTurn(() => {
    isDone = true;
  });
  expect(isDone).toBe(false);
});

const ways: { name: string; run: (note: () => void) => Promise<unknown> }[] = [
  {
    name: 'of callbacks',
    run: (note) =>
      new Promise<void>((resolve) => {
        for (let count = 1; count <= 12; count += 1)
          inTurn(() => {
            note();
            spin();
            if (count === 12) resolve();
          });
      }),
  },
  {
    name: 'in what follows a promise',
    run: (note) =>
      Promise.all(
        Array.from({ length: 12 }, async () => {
          await yieldToOthers();
          await Promise.resolve();
          note();
          spin();
        }),
      ),
  },
];
test.for(ways)('one turn of the loop has 8 ms of work $name, and the rest comes later', async ({ run }) => {
  const noted = await watchTurns(run);
  expect(noted).toHaveLength(12);
  expect(mostOf(noted)).toBeLessThanOrEqual(2);
});

test('each turn of the loop has some work, however long it takes', async () => {
  const noted = await watchTurns(ways[0]?.run ?? (async () => undefined));
  expect(Math.max(...noted) - Math.min(...noted)).toBeLessThan(12);
});
