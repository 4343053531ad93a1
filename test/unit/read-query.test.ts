import { expect, test } from 'vitest';
import { readQuery } from '../../api/request/read-query.ts';

test.for([
  ['unknown names', 'a'],
  ['names that are no percent-encoding', '%'],
  ['empty values', 'url='],
  ['one name again and again', 'url=a'],
] as const)('7,500 times %s are told as 50 faults', ([, pair]) => {
  const { faults } = readQuery(Array.from({ length: 7500 }, () => pair).join('&'), ['url'], []);
  expect(faults).toHaveLength(50);
});

test('what stands behind good pairs is still judged', () => {
  const pairs = Array.from({ length: 60 }, () => 'dkimSelector=a').join('&');
  const { values, faults } = readQuery(`${pairs}&b=1`, ['dkimSelector'], ['dkimSelector']);
  expect([values.get('dkimSelector')?.length, faults.map(({ name }) => name)]).toEqual([60, ['b']]);
});
