import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openRunClock } from '../../worker/run/run-clock.ts';

const times = { limitMs: 300, partsMs: 200, heldMostMs: 10_000 };

test('the parts of a run end before the run', async () => {
  const clock = openRunClock(times);
  await expect.poll(() => clock.parts.aborted).toBe(true);
  expect(clock.limit.aborted).toBe(false);
  await expect.poll(() => clock.limit.aborted).toBe(true);
  clock.close();
});

test('what it waits for turns does not count; several waits are one', async () => {
  const clock = openRunClock(times);
  const goOn = [clock.hold(), clock.hold()];
  await delay(500);
  goOn[0]?.();
  goOn[0]?.();
  await delay(100);
  expect([clock.parts.aborted, clock.limit.aborted]).toEqual([false, false]);
  goOn[1]?.();
  await expect.poll(() => clock.limit.aborted).toBe(true);
  clock.close();
});

test('it is held for so long at most', async () => {
  const clock = openRunClock({ ...times, heldMostMs: 50 });
  clock.hold();
  await expect.poll(() => clock.limit.aborted, { timeout: 5000 }).toBe(true);
  clock.close();
});
