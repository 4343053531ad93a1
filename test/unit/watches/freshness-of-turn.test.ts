import { expect, test } from 'vitest';
import { freshnessOfTurn } from '../../../worker/watches/recheck-target.ts';

const dueAt = 1_000_000;
const wanted = (state: 'new' | 'ok', everySeconds: number) =>
  freshnessOfTurn({ state, dueAt }, { everySeconds }, { refreshFloorS: 30 });

test('any report that is fresh answers a first turn; those after it take one of their own time', () => {
  expect(wanted('new', 3600)).toEqual({ since: dueAt, orFresh: true });
  expect(wanted('ok', 3600)).toEqual({ since: dueAt - 30_000, orFresh: false });
  expect(wanted('ok', 4)).toEqual({ since: dueAt - 2000, orFresh: false });
});
