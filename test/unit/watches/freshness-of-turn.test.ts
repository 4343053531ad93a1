import { expect, test } from 'vitest';
import { freshnessOfTurn } from '../../../worker/watches/recheck-target.ts';

const dueAt = 1_000_000;
const wanted = (state: 'new' | 'ok', everySeconds: number) =>
  freshnessOfTurn({ state, dueAt }, { everySeconds }, { refreshFloorS: 30 });

test('any report that is fresh answers a first turn; those after it take one of their own time', () => {
  expect(wanted('new', 3600)).toEqual({ notBefore: dueAt, acceptFresh: true });
  expect(wanted('ok', 3600)).toEqual({ notBefore: dueAt - 30_000, acceptFresh: false });
  expect(wanted('ok', 4)).toEqual({ notBefore: dueAt - 2000, acceptFresh: false });
});
