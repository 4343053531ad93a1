import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { catalogue, findSpec } from '#shared/catalogue/registry';
import { problems } from '#shared/model/problem';
import { makeDocs } from '../docs/docs.ts';
import { makeOpenapiLock } from '../docs/openapi-lock.ts';
import {
  findUnraised,
  makeRulesLock,
  makeWeighedSince,
  type RulesLock,
  rulesLockPath,
  weighedSincePath,
} from '../docs/rules-lock.ts';

test.for([...(await makeDocs())])('%s is what the code generates (npm run docs)', ([path, text]) => {
  expect(readFileSync(path, 'utf8')).toBe(text);
});

test('rules.lock.json is what the rules say: a change wants a raised rulesVersion, then npm run docs', async () => {
  const locked = JSON.parse(readFileSync(rulesLockPath, 'utf8')) as RulesLock;
  const now = await makeRulesLock(locked);
  expect(findUnraised(locked, now)).toEqual([]);
  expect(locked).toEqual(now);
  expect(readFileSync(weighedSincePath, 'utf8')).toBe(makeWeighedSince(locked));
});

test('a rule that weighs otherwise has the version that changed it', async () => {
  const locked = JSON.parse(readFileSync(rulesLockPath, 'utf8')) as RulesLock;
  const before = { ...locked['smtp-check'], rules: { 'starttls-missing': 'low 1' } };
  const now = await makeRulesLock({ ...locked, 'smtp-check': before } as RulesLock);
  expect(now['smtp-check']?.weighedSince).toEqual({ 'starttls-missing': now['smtp-check']?.rulesVersion });
});

test('a change of severity, points, codes or findings is noticed, a raised version lets it through', () => {
  const check = {
    rulesVersion: 1,
    rules: { 'a-b': 'low 1' },
    weighedSince: {},
    findings: { 'x.json': ['a-b'] },
  };
  const locked = { 'a-check': check };
  const changes = [
    { ...check, rules: { 'a-b': 'low 2' } },
    { ...check, rules: {} },
    { ...check, findings: { 'x.json': [] } },
  ];
  for (const change of changes) {
    expect(findUnraised(locked, { 'a-check': change })).toEqual(['a-check']);
    expect(findUnraised(locked, { 'a-check': { ...change, rulesVersion: 2 } })).toEqual([]);
  }
  expect(findUnraised(locked, locked)).toEqual([]);
});

test('a change of a path, of a shared schema or of anything else of the API document changes one line of its lock', () => {
  const document = {
    servers: [{ url: '/' }],
    paths: { '/a': { get: {} }, '/b': { get: {} } },
    components: { schemas: { A: { type: 'string' }, B: { type: 'null' } }, headers: { c: {} } },
  };
  const { schemas, headers } = document.components;
  const changes = [
    { ...document, servers: [{ url: '/below' }] },
    { ...document, paths: { ...document.paths, '/b': { get: { summary: 'B' } } } },
    { ...document, components: { headers, schemas: { ...schemas, A: { type: 'number' } } } },
    { ...document, components: { schemas, headers: { c: { description: 'C' } } } },
  ];
  const linesOf = (lock: object) => JSON.stringify(lock, null, 1).split('\n');
  const locked = linesOf(makeOpenapiLock(document));
  for (const change of changes)
    expect(linesOf(makeOpenapiLock(change)).filter((line) => !locked.includes(line))).toHaveLength(1);
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

test('every rule says what, why, how to fix it, and where that is written', () => {
  const bare = catalogue.flatMap(({ name, rules }) =>
    Object.entries(rules)
      .filter(
        ([, rule]) => rule.title === '' || rule.detail === '' || rule.fix === '' || rule.title.endsWith('.'),
      )
      .map(([code]) => `${name} ${code}`),
  );
  expect(bare).toEqual([]);
});
