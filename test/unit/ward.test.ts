import { expect, test } from 'vitest';
import { openWard, type Stay, type Ward } from '#shared/queue/bullmq/ward';

const soon = () => new Promise(setImmediate);
const nobody = async () => undefined;

/** Enters, and keeps the stay once it has begun. */
function enter(ward: Ward, mustBeAlone: boolean) {
  const entered: { stay: Stay | undefined } = { stay: undefined };
  void ward.enter(mustBeAlone, nobody).then((stay) => {
    entered.stay = stay;
  });
  return entered;
}

test('runs begin beside each other; only the first of them begins alone', async () => {
  const ward = openWard();
  const first = enter(ward, false);
  await soon();
  const runs = [first, enter(ward, false), enter(ward, false)];
  await soon();
  expect(runs.map(({ stay }) => stay?.isAlone)).toEqual([true, false, false]);
});

test('a run that must be alone waits for those that run, goes before those that wait, and keeps them out', async () => {
  const ward = openWard();
  const first = enter(ward, false);
  await soon();
  const alone = enter(ward, true);
  const late = enter(ward, false);
  await soon();
  expect([alone.stay, late.stay]).toEqual([undefined, undefined]);
  first.stay?.leave();
  await soon();
  expect([alone.stay?.isAlone, late.stay]).toEqual([true, undefined]);
  alone.stay?.leave();
  await soon();
  expect(late.stay?.isAlone).toBe(true);
});

test('a run that began alone is told of company once, before the other begins', async () => {
  const ward = openWard();
  const { promise: told, resolve: tell } = Promise.withResolvers<void>();
  let count = 0;
  await ward.enter(false, () => {
    count += 1;
    return told;
  });
  const second = enter(ward, false);
  await soon();
  expect([count, second.stay]).toEqual([1, undefined]);
  tell();
  await soon();
  expect(second.stay?.isAlone).toBe(false);
  enter(ward, false);
  await soon();
  expect(count).toBe(1);
});

test('a run whose company could not be told does not stay', async () => {
  const ward = openWard();
  const first = await ward.enter(false, () => Promise.reject(new Error('no answer')));
  await expect(ward.enter(false, nobody)).rejects.toThrow('no answer');
  first.leave();
  const alone = enter(ward, true);
  await soon();
  expect(alone.stay?.isAlone).toBe(true);
});
