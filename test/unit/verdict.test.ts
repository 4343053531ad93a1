import { expect, test } from 'vitest';
import { rules } from '#shared/catalogue/redirect-check/rules';
import { redirectCheck as spec } from '#shared/catalogue/redirect-check/spec';
import { allOf, brokenIf, isMalformed, malformed, notTested, unlessBroken } from '#shared/model/verdict';
import { defineCheck } from '../../worker/checks/check.ts';
import { assessRedirects } from '../../worker/checks/redirect-check/assess.ts';
import { redirectCheck } from '../../worker/checks/redirect-check/index.ts';

test('allOf gives every rule of a table the same verdict', () => {
  expect(allOf({ a: 1, b: 2 }, 'holds')).toEqual({ a: 'holds', b: 'holds' });
});

test('unlessBroken keeps what was seen to be broken', () => {
  const unseen = notTested('the page was not seen');
  const verdicts = { a: brokenIf(true, { n: 1 }), b: brokenIf(false), c: 'not-applicable' as const };
  expect(unlessBroken(verdicts, unseen)).toEqual({ a: { broken: [{ n: 1 }] }, b: unseen, c: unseen });
});

test('a Malformed is told from every value that a parser may give', () => {
  expect([malformed('it is cut off'), malformed('a comma', 3)].every(isMalformed)).toBe(true);
  expect([null, undefined, '', 0, [], {}, { malformed: 1 }].some(isMalformed)).toBe(false);
});

test('the compiler refuses a check that leaves out a report field that its spec promises', () => {
  const check = defineCheck({
    spec: { ...spec, rules },
    gather: () => Promise.reject(new Error('not called')),
    // @ts-expect-error `ended` is missing
    assess: (evidence: Parameters<typeof assessRedirects>[0]) => {
      const assessment = assessRedirects(evidence);
      const { ended: _ended, ...fields } = assessment.fields;
      return { ...assessment, fields };
    },
  });
  expect(check.spec.name).toBe(redirectCheck.spec.name);
});
