import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { holdWhileAway, openRunClock } from '../../worker/run/run-clock.ts';

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

test('while a run waits without its slot its time stands still, and it may go on for that much longer', async () => {
  const clock = openRunClock({ limitMs: 300, partsMs: 300, heldMostMs: 2000 });
  const told: string[] = [];
  const slot = holdWhileAway(
    { release: () => void told.push('release'), retake: async () => void told.push('retake') },
    clock,
  );
  slot.release();
  slot.release();
  await delay(600);
  expect(clock.limit.aborted).toBe(false);
  expect(clock.mostMs()).toBeLessThanOrEqual(2300 - 590);
  expect(clock.mostMs()).toBeGreaterThan(300);
  await slot.retake(new AbortController().signal);
  expect(told).toEqual(['release', 'release', 'retake']);
  await expect.poll(() => clock.limit.aborted).toBe(true);
  expect(clock.mostMs()).toBeLessThanOrEqual(2000 - 590);
  clock.close();
});
