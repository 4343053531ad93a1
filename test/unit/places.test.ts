import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openPlaces } from '#shared/time/places';
import { openAddressSlots } from '../../worker/probes/address-slots.ts';

const never = new AbortController().signal;
const soon = () => new Promise(setImmediate);

test('places are given in the order of asking, and never more than there are', async () => {
  const steps = fc.array(fc.constantFrom('enter', 'leave', 'leave twice', 'abort'), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(steps, fc.integer({ min: 1, max: 4 }), async (acts, limit) => {
      const places = openPlaces(limit);
      const inside: (() => void)[] = [];
      const order: number[] = [];
      const gaveUp = new Set<number>();
      const aborts: AbortController[] = [];
      for (const act of acts) {
        if (act === 'enter') {
          const mine = aborts.push(new AbortController()) - 1;
          void places.enter(aborts[mine]?.signal ?? never).then((leave) => {
            if (!leave) return gaveUp.add(mine);
            inside.push(leave);
            return order.push(mine);
          });
        }
        if (act === 'abort') aborts.at(-1)?.abort();
        if (act.startsWith('leave')) {
          const leave = inside.shift();
          leave?.();
          if (act === 'leave twice') leave?.();
        }
        await soon();
        expect(places.taken()).toBe(inside.length);
        expect(places.taken()).toBeLessThanOrEqual(limit);
        expect(places.waiting() === 0 || places.taken() === limit).toBe(true);
      }
      expect(order).toEqual(order.toSorted((one, other) => one - other));
      while (inside.length > 0) {
        inside.shift()?.();
        await soon();
      }
      expect(order.length + gaveUp.size).toBe(aborts.length);
      expect([places.taken(), places.waiting()]).toEqual([0, 0]);
    }),
    { numRuns: 100 },
  );
});

test('who waits for several addresses holds them all or, given up, none', async () => {
  const slots = openAddressSlots(1);
  let asked = 0;
  slots.onWait(() => {
    asked += 1;
  });
  const first = await slots.take(['b'], never);
  const giveUp = new AbortController();
  const second = slots.take(['b', 'a'], giveUp.signal);
  await soon();
  expect([slots.inUse(), slots.waiting(), asked]).toEqual([2, 1, 1]);
  giveUp.abort(new Error('the run is over'));
  await expect(second).rejects.toThrow('the run is over');
  expect([slots.inUse(), slots.waiting()]).toEqual([1, 0]);
  first();
  first();
  const third = await slots.take(['a', 'b'], never);
  expect(slots.inUse()).toBe(2);
  third();
  expect(slots.inUse()).toBe(0);
});
