import { expect, test } from 'vitest';
import { catalogue } from '#shared/catalogue/registry';
import type { Rule } from '#shared/model/verdict';
import { whysOf } from '#shared/model/why';

const longestWhy = 240;

test.for(catalogue)('$name says why each rule above info matters, and of no other', ({ rules, why }) => {
  const aboveInfo = Object.keys(rules).filter((code) => rules[code]?.severity !== 'info');
  expect(Object.keys(why)).toEqual(aboveInfo);
});

test.for([...new Set(catalogue.flatMap(({ why }) => Object.values(why)))])('%s', (text) => {
  expect(text.split(/(?<=[.?!])\s/)).toHaveLength(2);
  expect(text).toMatch(/^[A-Z].*\.$/);
  expect(text).not.toMatch(/RFC|[{}]|\s{2}|'/);
  expect(text.length).toBeLessThanOrEqual(longestWhy);
});

test('no rule is told by its own title again', () => {
  const repeated = catalogue.flatMap(({ rules, why }) =>
    Object.entries(rules).filter(([code, { title }]) => why[code]?.includes(title)),
  );
  expect(repeated).toEqual([]);
});

const rule = { points: 0, title: '', detail: '', fix: '', references: [] } as const;
const rules = {
  'a-low': { ...rule, severity: 'low' },
  'b-high': { ...rule, severity: 'high' },
  'c-info': { ...rule, severity: 'info' },
} as const satisfies Record<string, Rule>;

test('texts are by code, in the order of the rules', () => {
  expect(Object.entries(whysOf(rules, { One: ['b-high'], Two: ['a-low'] }))).toEqual([
    ['a-low', 'Two'],
    ['b-high', 'One'],
  ]);
});

// The compiler is what is tested: each line would be an error of its own without the comment above it.
test('the compiler refuses a rule that is left out, one under two texts, and a code that is no rule above info', () => {
  // @ts-expect-error b-high is missing
  whysOf(rules, { One: ['a-low'] });
  // @ts-expect-error a-low is listed twice
  whysOf(rules, { One: ['a-low', 'b-high'], Two: ['a-low'] });
  // @ts-expect-error c-info only informs
  whysOf(rules, { One: ['a-low', 'b-high', 'c-info'] });
  // @ts-expect-error there is no d-low
  whysOf(rules, { One: ['a-low', 'b-high', 'd-low'] });
  expect.assertions(0);
});
