import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { rules } from '#shared/catalogue/security-header-check/rules';
import { codesBroken } from '#shared/model/verdict';
import { assessHeaders } from '../../../worker/checks/security-header-check/assess.ts';
import type { HeaderEvidence } from '../../../worker/checks/security-header-check/evidence.ts';
import type { Observatory } from '../../../worker/checks/security-header-check/report/observatory/compare.ts';

const folder = new URL('../../fixtures/security-header-check/', import.meta.url);

/** Kept evidence, and what it must always be judged to be; a change here raises rulesVersion. */
const fixtures: readonly (readonly [
  name: string,
  score: number | null,
  observatory: number | null,
  broken: readonly string[],
])[] = [
  ['good', 100, 155, []],
  [
    'poor',
    17,
    0,
    [
      'http-not-upgraded',
      'hsts-short',
      'hsts-no-subdomains',
      'hsts-preload-ineligible',
      'csp-script-unsafe-inline',
      'csp-http-source',
      'csp-base-uri-missing-with-hosts',
      'csp-form-action-missing',
      'csp-directive-unknown',
      'csp-keyword-unquoted',
      'csp-meta-ignored-directive',
      'csp-meta-not-in-head',
      'xfo-allow-from',
      'cookie-session-no-secure',
      'cookie-session-no-httponly',
      'cookie-session-no-samesite',
      'cookie-refused',
      'cors-reflects-origin-credentials',
      'cors-vary-missing',
      'xcto-missing',
      'permissions-policy-legacy-syntax',
      'sri-missing',
      'leak-version',
    ],
  ],
  ['api', 100, 55, []],
  ['loop', null, 30, ['redirect-no-page']],
];

test.for(fixtures)('%s is judged as ever', ([name, score, observatory, broken]) => {
  const evidence = JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8')) as HeaderEvidence;
  const assessment = assessHeaders(evidence);
  const found = codesBroken(assessment.verdicts).filter((code) => rules[code].severity !== 'info');
  expect(found.toSorted()).toEqual([...broken].toSorted());
  expect(assessment.score).toBe(score);
  expect((assessment.fields['observatory'] as Observatory).score).toBe(observatory);
});
