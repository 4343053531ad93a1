import { describe, expect, test } from 'vitest';
import type { HealthFields } from '#shared/catalogue/domain-health/report';
import { type HealthCode, rules } from '#shared/catalogue/domain-health/rules';
import { assessHealth } from '#shared/health/assess';
import type { HealthEvidence } from '#shared/health/evidence';
import { enumerate } from '#shared/health/facts/source';
import { listVerdicts } from '#shared/model/finding';
import { codesOf, type Rules } from '#shared/model/verdict';
import { chain, failed } from '../redirect-check/chain.ts';
import { cases } from './cases.ts';
import { dns, dnsFields, evidence, goodRedirects, headers, performance, redirect } from './parts.ts';

const late = { unavailable: 'it did not end in time' };
const noBrowser = { unavailable: 'there is no browser to load pages with' };
const findingsOf = (seen: HealthEvidence) => listVerdicts(rules, assessHealth(seen).verdicts).findings;
const find = (code: HealthCode, change: Partial<HealthEvidence>) =>
  findingsOf(evidence(change)).find((finding) => finding.code === code);
const reasonsOf = (code: HealthCode, change: Partial<HealthEvidence>) =>
  (assessHealth(evidence(change)).fields as HealthFields).caps
    .filter((cap) => cap.code === code)
    .map(({ reason }) => reason);

describe('a finding about several speaks of all, and each cap of its own', () => {
  test('categories that are F', () => {
    const change = { headers: headers({ score: 43.5 }), performance: performance({ score: 20 }) };
    expect(find('category-failed', change)?.detail).toBe(
      'Headers has only 43.5 of 100 points and Speed only 20.',
    );
    expect(reasonsOf('category-failed', change)).toEqual([
      'Headers has only 43.5 of 100 points.',
      'Speed has only 20 of 100 points.',
    ]);
  });
  test('one category that is D', () => {
    expect(find('category-poor', { headers: headers({ score: 65 }) })?.detail).toBe(
      'Headers has only 65 of 100 points.',
    );
  });
  test('gaps of one reason, and of another', () => {
    const change = { dns: late, headers: late, performance: noBrowser };
    expect(find('coverage-incomplete', change)?.detail).toBe(
      'DNS, Headers and Mail could not be checked completely: it did not end in time. Speed could not be checked completely either; the evidence says why.',
    );
    expect(reasonsOf('coverage-incomplete', change)).toContain(
      'Speed could not be checked completely: there is no browser to load pages with.',
    );
  });
  test('gaps of categories and of entry points', () => {
    const redirects = goodRedirects().map(({ url }) => ({ url, part: late }));
    expect(find('coverage-incomplete', { redirects: redirects.slice(0, 2), headers: late })?.detail).toBe(
      'Headers and the way from http://a.test/ or https://a.test/ could not be checked completely: it did not end in time.',
    );
    expect(find('coverage-incomplete', { redirects: redirects.slice(0, 1) })?.detail).toBe(
      'http://a.test/ could not be checked completely: it did not end in time.',
    );
  });
  test('critical findings', () => {
    const change = {
      dns: dns({ broken: ['mta-sts-mx-mismatch'] }),
      headers: headers({ broken: ['cors-null-credentials'], score: 95 }),
    };
    expect(find('finding-critical', change)?.detail).toMatch(
      /^Headers has the critical finding cors-null-credentials\. .*[^.]\. Other critical findings: mta-sts-mx-mismatch \(Mail\)\.$/,
    );
    expect(reasonsOf('finding-critical', change)).toHaveLength(2);
    expect(reasonsOf('finding-critical', change).join(' ')).not.toContain('Other critical findings');
  });
});

describe('what helps against a gap depends on its cause', () => {
  const again = /^Ask again in a minute/;
  const fixOf = (change: Partial<HealthEvidence>) => find('coverage-incomplete', change)?.fix.text ?? '';
  const unvalidated = { dnssec: { ...dnsFields.dnssec, status: 'indeterminate', resolverValidates: false } };

  test('what was late is asked again', () => {
    expect(fixOf({ headers: late })).toMatch(again);
  });
  test.for([
    ['no worker has one', noBrowser],
    ['it would not start', performance({ broken: ['browser-unavailable'], state: 'partial', score: null })],
  ] as const)('a browser that is not there is the operator’s matter: %s', ([, part]) => {
    expect(fixOf({ performance: part })).toMatch(/^This server has no working browser/);
  });
  test('a browser that failed may do better next time', () => {
    const part = performance({ broken: ['browser-failed'], state: 'partial', score: null });
    expect(fixOf({ performance: part })).toMatch(again);
  });
  test('a resolver that does not validate is too', () => {
    const part = dns({ state: 'partial', unseen: ['dnssec-bogus'] }, unvalidated);
    expect(fixOf({ dns: part })).toMatch(/The resolver of this server does not validate DNSSEC/);
  });
  test('but a record that was not seen is not its fault, and is named', () => {
    const part = dns(
      { state: 'partial', unseen: ['dnssec-bogus'] },
      { ...unvalidated, recordsUnknown: [{ type: 'CAA', reason: 'no answer in time' }] },
    );
    expect(fixOf({ dns: part })).toMatch(/^Open the report of the category/);
    expect(find('coverage-incomplete', { dns: part })?.detail).toBe(
      'DNS could not be checked completely: some of it could not be looked at (CAA: no answer in time).',
    );
  });
  test('a target that gives no answer is for its owner to see', () => {
    const part = headers({ state: 'partial', unseen: ['csp-missing'] });
    expect(fixOf({ headers: part })).toMatch(/^Open the report of the category/);
  });
  test('several causes are told one after the other', () => {
    const text = fixOf({ headers: late, performance: noBrowser });
    expect(text).toMatch(again);
    expect(text).toMatch(/This server has no working browser/);
  });
});

describe('a sentence of another report, put into one of ours', () => {
  test('is not there for an address that is not public: the words are ours', () => {
    const redirects = [
      redirect(failed('target-address-not-allowed', 'http://a.test/')),
      redirect(chain('https://a.test/')),
    ];
    expect(find('entry-point-broken', { redirects })?.detail).toBe(
      'http://a.test/ does not lead to a page: a name on the way resolves to an address that is not public.',
    );
  });
  test('a downgrade is told in whole sentences', () => {
    const redirects = [redirect(chain('https://a.test/', 'http://a.test/b', 'https://a.test/b'))];
    expect(find('https-downgrade', { redirects })?.detail).toMatch(
      /^A visitor who starts at https:\/\/a\.test\/ leaves HTTPS\. Hop 1 sends the visitor from .*[^.]\.$/,
    );
  });
});

test('words are put together as in a sentence', () => {
  expect([[], ['a'], ['a', 'b'], ['a', 'b', 'c']].map(enumerate)).toEqual(['', 'a', 'a and b', 'a, b and c']);
});

test.for(cases)('no sentence of ours begins anew after a colon: $name', ({ evidence: seen }) => {
  const own = findingsOf(seen).filter(
    ({ code }) => !['delegation-broken', 'name-server-alone'].includes(code),
  );
  expect(
    own.map(({ detail }) => detail).filter((detail) => /: (?:The|A|Hop|It|There) /.test(detail)),
  ).toEqual([]);
});

test('no rule is without a source', () => {
  const table: Rules = rules;
  expect(codesOf(table).filter((code) => table[code]?.references.length === 0)).toEqual([]);
});
