import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openTurnOrder } from '../../../shared/time/turn-order.ts';

/** Takes pieces until none is left, each for so long. */
function takeAll(
  order: ReturnType<typeof openTurnOrder<string>>,
  pathOf: (piece: string) => readonly string[],
  ms = 1,
) {
  const taken: string[] = [];
  for (let piece = order.next(); piece !== undefined; piece = order.next()) {
    taken.push(piece);
    order.charge(pathOf(piece), ms);
  }
  return taken;
}

test('callers alternate, however many pieces one of them has', () => {
  const order = openTurnOrder<string>(() => 0);
  for (const piece of ['a1', 'a2', 'a3', 'b1', 'b2']) order.add([piece.slice(0, 1)], piece);
  expect(takeAll(order, (piece) => [piece.slice(0, 1)])).toEqual(['a1', 'b1', 'a2', 'b2', 'a3']);
});

test('whoever has used little goes before those who have used much', () => {
  const order = openTurnOrder<string>(() => 0);
  order.charge(['a'], 100);
  order.charge(['b'], 50);
  for (const name of ['a', 'b', 'c']) for (const at of [1, 2]) order.add([name], `${name}${at}`);
  expect(takeAll(order, (piece) => [piece.slice(0, 1)], 10)).toEqual(['c1', 'c2', 'b1', 'b2', 'a1', 'a2']);
});

test('a thousand callers of one network have together what one other caller has', () => {
  const order = openTurnOrder<string>(() => 0);
  const pathOf = (piece: string) => (piece === 'other' ? ['other'] : ['net', piece]);
  for (let at = 0; at < 1000; at += 1) order.add(pathOf(`n${at}`), `n${at}`);
  for (let at = 0; at < 10; at += 1) order.add(['other'], 'other');
  const taken = takeAll(order, pathOf);
  expect(taken.slice(0, 20).filter((piece) => piece === 'other')).toHaveLength(10);
});

test('what was used long ago is forgotten', () => {
  let now = 0;
  const order = openTurnOrder<string>(() => now);
  order.charge(['early'], 1000);
  now = 60_000;
  order.charge(['late'], 10);
  order.add(['late'], 'late');
  order.add(['early'], 'early');
  expect(order.next()).toBe('early');
});

test('over days of work the order stays right', () => {
  let now = 0;
  const order = openTurnOrder<string>(() => now);
  for (let day = 0; day < 20; day += 1) {
    now += 86_400_000;
    order.charge(['busy'], 100);
    order.charge(['quiet'], 1);
    order.add(['busy'], 'busy');
    order.add(['quiet'], 'quiet');
    expect([order.next(), order.next(), order.next()]).toEqual(['quiet', 'busy', undefined]);
  }
});

test('every piece is taken once, and those of one caller in the order in which they came', () => {
  const pieces = fc.array(fc.tuple(fc.nat(3), fc.nat(2), fc.nat(20)), { maxLength: 60 });
  fc.assert(
    fc.property(pieces, (all) => {
      const order = openTurnOrder<number>(() => 0);
      const pathOf = (at: number) => {
        const [network = 0, caller = 0] = all[at] ?? [];
        return caller === 0 ? [`n${network}`] : [`n${network}`, `c${caller}`];
      };
      for (const at of all.keys()) order.add(pathOf(at), at);
      const taken: number[] = [];
      for (let at = order.next(); at !== undefined; at = order.next()) {
        taken.push(at);
        order.charge(pathOf(at), all[at]?.[2] ?? 0);
      }
      expect(taken.toSorted((one, other) => one - other)).toEqual([...all.keys()]);
      for (const ofCaller of Map.groupBy(taken, (at) => pathOf(at).join(' ')).values())
        expect(ofCaller).toEqual(ofCaller.toSorted((one, other) => one - other));
    }),
  );
});
