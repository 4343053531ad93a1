import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { smtpReportShape } from '#shared/catalogue/smtp-check/report';
import { rules, type SmtpCode } from '#shared/catalogue/smtp-check/rules';
import { codesBroken, codesOf, isBroken, type Verdict } from '#shared/model/verdict';
import { assessSmtp } from '../../../worker/checks/smtp-check/assess.ts';
import type { SmtpEvidence } from '../../../worker/checks/smtp-check/evidence.ts';
import { cases, dane, good, small } from './cases.ts';
import { declined, leaf, one, silent, sts } from './mail.ts';

describe('each row', () => {
  test.for(cases)('$name', ({ evidence, broken, score }) => {
    const assessment = assessSmtp(JSON.parse(JSON.stringify(evidence)) as SmtpEvidence);
    expect(codesBroken(assessment.verdicts).sort()).toEqual([...broken].sort());
    expect(
      z.object(smtpReportShape).omit({ target: true }).safeParse(assessment.fields).error,
    ).toBeUndefined();
    expect(assessment.score).toBe(score === undefined ? assessment.score : score);
  });
});

const judged = cases.map(({ evidence }) => assessSmtp(evidence).verdicts);
const verdictsOf = (code: SmtpCode): Verdict[] => judged.map((verdicts) => verdicts[code]);

/** Two connections never tell all suites of a server. */
const neverHolds: readonly SmtpCode[] = ['smtp-suites-weak'];

test.for(codesOf(rules))('%s has a row for broken, for holds and for not tested', (code) => {
  const verdicts = verdictsOf(code);
  expect(verdicts.some(isBroken)).toBe(true);
  expect(verdicts.includes('holds')).toBe(!neverHolds.includes(code));
  // Without MX nothing is tested at cases.
  const isUntested = verdicts.some(
    (verdict) =>
      typeof verdict === 'object' && 'notTested' in verdict && !verdict.notTested.startsWith('the MX'),
  );
  expect(isUntested).toBe(true);
});

test('the same evidence gives the same states of each address', () => {
  const stateOf = (evidence: SmtpEvidence) => assessSmtp(evidence).fields.hosts[0]?.addresses[0];
  expect(stateOf(one(silent()))).toMatchObject({ state: 'silent', startTls: 'unknown' });
  expect(stateOf({ ...one(silent()), port: 'blocked' })).toMatchObject({ state: 'blocked-here' });
  expect(stateOf(one(declined(421, 'busy')))).toMatchObject({ state: 'temporary', startTls: 'unknown' });
  expect(stateOf(dane([[1, 1, 1, leaf]]))).toMatchObject({ dane: { state: 'unusable' } });
  expect(stateOf(one(good, null, { records: [small], isSigned: false }))).toMatchObject({
    dane: { state: 'insecure' },
  });
  expect(stateOf({ ...one(good), sts: sts('enforce', 'mx.b.test') })).toMatchObject({
    mtaSts: { mode: 'enforce', state: 'mismatch' },
  });
});
