import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { listOldData, oldAfterDays, referenceData } from '../../../worker/start/reference-data.ts';

const days = (count: number) => count * 86_400_000;
const names = (nowMs: number) => listOldData(nowMs).map(({ name }) => name);

test('a table is old half a year after its day, not before', () => {
  const [oldest] = referenceData.map(({ day }) => Date.parse(day)).sort((a, b) => a - b);
  expect(names((oldest ?? 0) + days(oldAfterDays))).toEqual([]);
  expect(names((oldest ?? 0) + days(oldAfterDays + 1))).not.toEqual([]);
  expect(names(Date.parse('2040-01-01'))).toEqual(referenceData.map(({ name }) => name));
});

test('each day that stands beside a table is in the list, and each table in the guide', () => {
  const source = readFileSync('worker/start/reference-data.ts', 'utf8');
  const dated = globSync('worker/**/*.ts').flatMap((file) =>
    [
      ...readFileSync(file, 'utf8').matchAll(/^export const (\w+On) = (?:'\d{4}-\d\d-\d\d'|\{.*day: ')/gm),
    ].map(([, name = '']) => name),
  );
  expect(dated.length).toBe(referenceData.length);
  expect(dated.filter((name) => !source.includes(name))).toEqual([]);
  const guide = readFileSync('docs/data.md', 'utf8');
  expect(referenceData.filter(({ name }) => !guide.includes(`| \`${name}\` |`))).toEqual([]);
});
