import { expect, test } from 'vitest';
import { openRunIsolation, type IsolatedRun, type RunIsolation } from '#shared/queue/delivery/run-isolation';

const soon = () => new Promise(setImmediate);
const nobody = async () => undefined;

/** Enters, and keeps the stay once it has begun. */
function enter(isolation: RunIsolation, mustBeAlone: boolean) {
  const entered: { isolatedRun: IsolatedRun | undefined } = { isolatedRun: undefined };
  void isolation.enter(mustBeAlone, nobody).then((isolatedRun) => {
    entered.isolatedRun = isolatedRun;
  });
  return entered;
}

test('runs begin beside each other; only the first of them begins alone', async () => {
  const isolation = openRunIsolation();
  const first = enter(isolation, false);
  await soon();
  const runs = [first, enter(isolation, false), enter(isolation, false)];
  await soon();
  expect(runs.map(({ isolatedRun }) => isolatedRun?.isAlone)).toEqual([true, false, false]);
});

test('a run that must be alone waits for those that run, goes before those that wait, and keeps them out', async () => {
  const isolation = openRunIsolation();
  const first = enter(isolation, false);
  await soon();
  const alone = enter(isolation, true);
  const late = enter(isolation, false);
  await soon();
  expect([alone.isolatedRun, late.isolatedRun]).toEqual([undefined, undefined]);
  first.isolatedRun?.leave();
  await soon();
  expect([alone.isolatedRun?.isAlone, late.isolatedRun]).toEqual([true, undefined]);
  alone.isolatedRun?.leave();
  await soon();
  expect(late.isolatedRun?.isAlone).toBe(true);
});

test('a run that began alone is told of company once, before the other begins', async () => {
  const isolation = openRunIsolation();
  const { promise: told, resolve: tell } = Promise.withResolvers<void>();
  let count = 0;
  await isolation.enter(false, () => {
    count += 1;
    return told;
  });
  const second = enter(isolation, false);
  await soon();
  expect([count, second.isolatedRun]).toEqual([1, undefined]);
  tell();
  await soon();
  expect(second.isolatedRun?.isAlone).toBe(false);
  enter(isolation, false);
  await soon();
  expect(count).toBe(1);
});

test('a run whose company could not be told does not stay', async () => {
  const isolation = openRunIsolation();
  const first = await isolation.enter(false, () => Promise.reject(new Error('no answer')));
  await expect(isolation.enter(false, nobody)).rejects.toThrow('no answer');
  first.leave();
  const alone = enter(isolation, true);
  await soon();
  expect(alone.isolatedRun?.isAlone).toBe(true);
});
