import { expect, test } from 'vitest';
import { catalogue } from '#shared/catalogue/registry';

const told = catalogue.flatMap(({ name, rules }) =>
  Object.entries(rules).map(([code, { severity, replaces = [] }]) => ({
    check: name,
    code,
    severity,
    replaces,
  })),
);
const codes = Map.groupBy(told, ({ code }) => code);

test('the same fact has one severity, whichever check tells it', () => {
  const apart = [...codes].filter(([, rules]) => new Set(rules.map(({ severity }) => severity)).size > 1);
  expect(apart.map(([code]) => code)).toEqual([]);
});

test('no check has a code that another of its rules replaces', () => {
  const kept = told.flatMap(({ check, replaces }) =>
    replaces.filter((old) => codes.get(old)?.some((rule) => rule.check === check)),
  );
  expect(kept).toEqual([]);
});

test('an old code of a check has one successor', () => {
  const old = told.flatMap(({ check, replaces }) => replaces.map((code) => `${check} ${code}`));
  expect(new Set(old).size).toBe(old.length);
});
