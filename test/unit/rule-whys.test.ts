import { expect, test } from 'vitest';
import { catalogue } from '#shared/catalogue/registry';

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
