import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Progress } from '#shared/ports/job-queue';
import { addUp } from '../../worker/checks/add-up.ts';
import { risingProgress } from '../../worker/run/examine-job.ts';

const shareOf = ({ done, total }: Progress) => done / total;
const progress = fc.record({ done: fc.nat(200), total: fc.nat(200), current: fc.constant('x') });

test('119 of 126 that becomes 127 of 139 does not fall', () => {
  const seen: Progress[] = [];
  const tell = risingProgress((one) => void seen.push(one));
  tell({ done: 119, total: 126, current: '' });
  tell({ done: 127, total: 139, current: '' });
  tell({ done: 139, total: 139, current: '' });
  expect(seen.map(({ done, total }) => [done, total])).toEqual([
    [119, 126],
    [132, 139],
    [139, 139],
  ]);
});

test('whatever is told, the share never falls and is never above one', () => {
  fc.assert(
    fc.property(fc.array(progress), (all) => {
      const shares: number[] = [];
      const tell = risingProgress((one) => void shares.push(one.done / Math.max(1, one.total)));
      for (const one of all) tell({ ...one, done: Math.min(one.done, one.total) });
      expect(shares).toEqual(shares.toSorted((a, b) => a - b));
      expect(Math.max(0, ...shares)).toBeLessThanOrEqual(1);
    }),
  );
});

test('a sum of tasks never falls, and names the state of each part', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom('a 1', 'a 2', 'b'), progress)), (all) => {
      const seen: Progress[] = [];
      const tasks = addUp(
        (one) => void seen.push(one),
        ['a 1', 'a 2', 'b'],
        (task) => task.slice(0, 1),
      );
      for (const [task, one] of all) tasks.tell(task)(one);
      for (const task of ['a 1', 'a 2', 'b']) tasks.end(task, task === 'b' ? 'failed' : 'done');
      const shares = seen.map(shareOf);
      expect(shares).toEqual(shares.toSorted((a, b) => a - b));
      expect(seen.at(-1)).toMatchObject({
        done: 300,
        total: 300,
        parts: [
          { name: 'a', state: 'done' },
          { name: 'b', state: 'failed' },
        ],
      });
    }),
  );
});
