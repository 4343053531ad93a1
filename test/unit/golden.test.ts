import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { makeDocs } from '../../cli/docs.ts';
import { catalogue, findSpec } from '../../shared/catalogue/registry.ts';
import { problems } from '../../shared/model/problem.ts';

test.for([...makeDocs()])('%s is what the code generates (npm run docs)', ([path, text]) => {
  expect(readFileSync(path, 'utf8')).toBe(text);
});

test('finding codes are kebab-case and unique over all checks; problem codes are snake_case', () => {
  const codes = catalogue.flatMap(({ name, rules }) => Object.keys(rules).map((code) => `${name} ${code}`));
  expect(codes.filter((code) => !/^[a-z0-9-]+ [a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(code))).toEqual([]);
  expect(Object.keys(problems).filter((code) => !/^[a-z]+(_[a-z]+)*$/.test(code))).toEqual([]);
});

test('the engine that stands in the keys of pagespeed-check is the one that is installed', () => {
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    dependencies: Record<string, string>;
  };
  expect(findSpec('pagespeed-check')?.engine).toBe(
    `lighthouse ${dependencies['lighthouse']}, chromium ${dependencies['@sparticuz/chromium']}`,
  );
});

test('every rule says what, why, how to mend it, and where that is written', () => {
  const bare = catalogue.flatMap(({ name, rules }) =>
    Object.entries(rules)
      .filter(
        ([, rule]) => rule.title === '' || rule.detail === '' || rule.fix === '' || rule.title.endsWith('.'),
      )
      .map(([code]) => `${name} ${code}`),
  );
  expect(bare).toEqual([]);
});
