import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { catalogue } from '#shared/catalogue/registry';
import type { Json } from '#shared/model/verdict';
import { parseDomain, parseHttpUrl, tellFault } from '#shared/targets/parse-target';
import { findCheck } from '../../worker/checks/registry.ts';
import { whyNoClause } from '../kit/clauses.ts';

const policy = { addresses: { allow: [], deny: [] }, allowedSuffixes: [], ports: [[80, 80] as const] };

describe('a reason is a clause, so that any sentence can end with it', () => {
  test.for([
    ['the server did not answer in time', undefined],
    ['DS or DNSKEY was not seen', undefined],
    ['https://a.test/: the redirects lead to no page', undefined],
    ['"localhost" is a single label', undefined],
    ['The server did not answer', 'begins with a capital'],
    ['the server did not answer.', 'ends with a full stop'],
    ['', 'is empty'],
  ] as const)('%s', ([text, why]) => {
    expect(whyNoClause(text)).toBe(why);
  });

  test('in every notTested that the source spells out', () => {
    const spelled = globSync('{worker,shared/health}/**/*.ts').flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/notTested\(\s*(['`])((?:(?!\1).)+)\1\s*,?\s*\)/g)].map(
        ([, , text = '']) => ({ file, text }),
      ),
    );
    expect(spelled.length).toBeGreaterThan(50);
    expect(spelled.filter(({ text }) => whyNoClause(text) !== undefined)).toEqual([]);
  });

  const fixtures = catalogue.flatMap(({ name }) =>
    globSync(`test/fixtures/${name}/*.json`).map((file) => ({ name, file })),
  );
  test.for(fixtures)('in the report of $file', async ({ name, file }) => {
    const check = await findCheck(name);
    const assessment = check?.assess(JSON.parse(readFileSync(file, 'utf8')) as Json);
    const reasons = Object.values(assessment?.verdicts ?? {}).flatMap((verdict) =>
      typeof verdict === 'object' && 'notTested' in verdict ? [verdict.notTested] : [],
    );
    expect(reasons.filter((reason) => whyNoClause(reason) !== undefined)).toEqual([]);
  });
});

test('no sentence of a rule is made of a reason alone', () => {
  const alone = catalogue.flatMap(({ name, rules }) =>
    Object.entries(rules)
      .filter(([, { detail }]) => /\. \{reason\}\./.test(detail))
      .map(([code]) => `${name} ${code}`),
  );
  // Its reasons are whole sentences without a full stop, from a table of old header fields.
  expect(alone).toEqual(['security-header-check deprecated-harmful']);
});

describe('the fault of a target', () => {
  test.for([
    ['', '"" is empty. Give a URL, such as https://example.com/.'],
    ['https://u:p@a.example/', 'The URL carries a user name or password. Remove it: reports are stored.'],
    ['http://localhost/', 'The host "localhost" is a single label.'],
    [
      'http://a.example:25/',
      '"http://a.example:25/" names port 25, which is not checked; these ports are: 80.',
    ],
  ] as const)('is told in whole sentences: %s', ([text, told]) => {
    const parsed = parseHttpUrl(text, policy);
    expect(parsed.ok ? '' : tellFault(parsed.fault)).toBe(told);
    expect(parsed.ok ? 'good' : whyNoClause(parsed.fault.why)).toBe(undefined);
  });
  test('and so is that of a domain', () => {
    const parsed = parseDomain('*.a.example', policy);
    expect(parsed.ok ? '' : tellFault(parsed.fault)).toBe('"*.a.example" is a wildcard. Give one name.');
  });
});
