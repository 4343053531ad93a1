import { CspEvaluator, DEFAULT_CHECKS, STRICTCSP_CHECKS } from 'csp_evaluator/dist/evaluator.js';
import { Severity, Type } from 'csp_evaluator/dist/finding.js';
import { CspParser } from 'csp_evaluator/dist/parser.js';
import { expect, test } from 'vitest';
import { readPolicies } from '../../../worker/checks/security-header-check/facts/policies.ts';
import { evaluatePolicies } from '../../../worker/checks/security-header-check/report/evaluator/csp-evaluator.ts';
import { indexFields } from '../../../worker/web/fields.ts';
import { csp } from './observations.ts';

const policiesOf = (...texts: readonly string[]) =>
  readPolicies({ url: new URL('https://site.test/'), fields: indexFields(texts.map(csp)) }, null);

/** csp_evaluator's own checks, its repetitions taken out. */
function originally(text: string): string[] {
  const found = new CspEvaluator(new CspParser(text).csp).evaluate(
    [],
    [...DEFAULT_CHECKS, ...STRICTCSP_CHECKS],
  );
  return unique(
    found.map(({ type, severity, directive, value }) => [Type[type], Severity[severity], directive, value]),
  );
}

function ours(text: string): string[] {
  const found = evaluatePolicies(policiesOf(text));
  return unique(
    found.map(({ type, severity, directive, value }) => [upper(type), upper(severity), directive, value]),
  );
}

function unique(found: readonly (readonly (string | undefined)[])[]): string[] {
  return [...new Set(found.map((each) => each.join(' ')))].toSorted();
}

function upper(name: string): string {
  return name.toUpperCase().replaceAll('-', '_');
}

test.for([
  "default-src 'self'",
  "script-src 'unsafe-inline' 'unsafe-eval' data: https: *",
  'script-src https://ajax.googleapis.com https://*.google.com cdn.test; object-src https://www.example.com',
  "script-src https://ajax.googleapis.com/ajax/libs/angularjs/ maps.googleapis.com 'unsafe-eval'",
  "script-src 'nonce-abc' 'strict-dynamic' https: 'unsafe-inline'; object-src 'none'; base-uri 'none'",
  "script-src 'nonce-abc'; object-src 'self'; plugin-types application/pdf",
  "default-src 'none'; img-src 192.0.2.1 https://192.0.2.1:8080/a http://[2001:db8::1] 127.0.0.1",
  "scirpt-src self; script-src nonce-abc none unsafe-inline 'unsafe-bogus'",
  'script-src https://vimeo.com object-src; referrer no-referrer; report-uri http://a.test',
  'default-src *.test; object-src *.vimeocdn.com *',
])('%s is found to have what csp_evaluator finds', (text) => {
  expect(ours(text)).toEqual(originally(text));
});

test('what makes csp_evaluator throw is no trouble', () => {
  const text = 'script-src https://[ https://a.test:99999 //; object-src http://%zz; img-src https://a b:c:d';
  expect(() => originally(text)).toThrow('Invalid URL');
  expect(ours(text).length).toBeGreaterThan(0);
});

test('each finding names its policy, and report-only ones have none', () => {
  const fields = indexFields([
    ['Content-Security-Policy-Report-Only', 'script-src *'],
    csp("default-src 'self'"),
    csp('script-src *'),
  ]);
  const found = evaluatePolicies(readPolicies({ url: new URL('https://site.test/'), fields }, null));
  expect([...new Set(found.map(({ policy }) => policy))]).toEqual([0, 1]);
});
