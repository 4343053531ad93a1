import { describe, expect, test } from 'vitest';
import { rules as smtpRules } from '#shared/catalogue/smtp-check/rules';
import { smtpCheck } from '#shared/catalogue/smtp-check/spec';
import { assessHealth } from '#shared/health/assess';
import type { Source } from '#shared/health/evidence';
import { openHealthProgress } from '../../../worker/checks/domain-health/progress.ts';
import { dns, evidence, failedRun, smtp } from './parts.ts';

const judge = (hosts?: Source, change: Parameters<typeof evidence>[0] = {}) => {
  const { score, grade, state, verdicts, fields } = assessHealth(
    evidence({ ...change, ...(hosts ? { smtp: hosts } : {}) }),
  );
  const { mailHosts, ...mail } = fields.categories.mail;
  return { score, grade, state, verdicts, fields, mail, mailHosts };
};
const told = ({ fields }: ReturnType<typeof judge>) =>
  (fields.partFindings ?? [])
    .filter(({ check }) => check === 'smtp-check')
    .map(({ code, category, target, scoreEffect, domainEffect }) => ({
      code,
      category,
      target,
      scoreEffect,
      domainEffect,
    }));
const unseen = Object.keys(smtpRules);

test('good mail hosts change nothing, and are linked to', () => {
  const without = judge();
  const seen = judge(smtp());
  expect([seen.score, seen.grade, seen.mail.score]).toEqual([
    without.score,
    without.grade,
    without.mail.score,
  ]);
  expect(told(seen)).toEqual([]);
  expect(seen.mailHosts).toEqual({
    report: expect.objectContaining({ check: 'smtp-check', href: '/api/tools/smtp-check/a.test' }),
  });
  expect(without.mailHosts).toBeUndefined();
});

describe('what is broken at the mail hosts', () => {
  test('takes its points from the category', () => {
    const seen = judge(smtp({ broken: ['smtp-suites-weak'] }));
    expect(seen.mail).toMatchObject({ score: 91, grade: 'A', codes: ['smtp-suites-weak'] });
    expect(told(seen)).toEqual([
      { code: 'smtp-suites-weak', category: 'mail', target: 'a.test', scoreEffect: -9, domainEffect: -1.8 },
    ]);
    expect(seen.fields.worstFindings[0]).toMatchObject({ code: 'smtp-suites-weak', scoreEffect: -1.8 });
  });

  test('is added to what the records of the domain have broken', () => {
    const records = dns({ broken: ['tls-rpt-missing'] });
    const before = judge(undefined, { dns: records });
    const after = judge(smtp({ broken: ['starttls-missing'] }), { dns: records });
    expect(after.mail.score).toBe((before.mail.score ?? 0) - 20);
    expect(after.mail.codes).toEqual(['starttls-missing', 'tls-rpt-missing']);
    const effects = ({ fields }: typeof before) =>
      fields.partFindings?.find(({ code }) => code === 'tls-rpt-missing')?.domainEffect;
    expect(effects(after)).toBe(effects(before));
  });

  test('limits the grade where it is critical', () => {
    const seen = judge(smtp({ broken: ['dane-certificate-mismatch'] }));
    expect(seen.mail).toMatchObject({ score: 50, grade: 'F' });
    expect(seen.grade).toBe('C');
    expect(seen.fields.caps.map(({ code, category }) => [code, category])).toContainEqual([
      'finding-critical',
      'mail',
    ]);
    expect(seen.fields.raise?.[0]).toMatchObject({
      findings: [{ check: 'smtp-check', category: 'mail', code: 'dane-certificate-mismatch' }],
      scoreAfter: judge(smtp()).score,
      gradeAfter: judge(smtp()).grade,
    });
  });

  test('never takes more than there is', () => {
    const broken = ['dane-certificate-mismatch', 'mta-sts-host-refused', 'starttls-missing'];
    expect(judge(smtp({ broken })).mail.score).toBe(0);
  });
});

test.for<readonly [string, Source, string]>([
  ['port 25 is blocked here', smtp({ unseen, state: 'unreachable', score: null }), 'was not looked at'],
  ['it was late', { unavailable: 'it did not end in time' }, 'it did not end in time'],
  ['our own run failed', failedRun(smtpCheck, 'a.test'), 'the check could not be finished'],
  [
    'the service does not',
    { unavailable: 'this service does not talk to mail hosts' },
    'this service does not talk to mail hosts',
  ],
])('nothing is lowered where they say nothing: %s', ([, hosts, why]) => {
  const without = judge();
  const seen = judge(hosts);
  expect(seen.mailHosts?.reason).toContain(why);
  expect([seen.score, seen.grade, seen.state, seen.verdicts]).toEqual([
    without.score,
    without.grade,
    without.state,
    without.verdicts,
  ]);
  const { summary, ...mail } = seen.mail;
  expect({ ...without.mail, summary }).toEqual({ ...mail, summary });
  const { coverage, caps, partFindings, raise } = without.fields;
  expect(seen.fields).toMatchObject({ coverage, caps, partFindings, raise });
});

test('of a domain whose mail records are unknown the hosts make no score', () => {
  const away: Source = { unavailable: 'it did not end in time' };
  expect(judge(smtp({ broken: ['starttls-missing'] }), { dns: away }).mail).toMatchObject({
    state: 'unavailable',
    score: null,
    codes: [],
  });
});

test('the part mail is done when both of its sources are', () => {
  const seen: { readonly percent: number; readonly mail: string | undefined }[] = [];
  const told = openHealthProgress(
    ({ done, total, parts }) => {
      const mail = parts?.find(({ name }) => name === 'mail')?.state;
      seen.push({ percent: (100 * done) / total, mail });
    },
    ['mail'],
    true,
  );
  told.visited('done');
  told.hosts({ done: 1, total: 2, current: '' });
  told.talked();
  told.paged('done');
  expect(seen.map(({ mail }) => mail)).toEqual(['waiting', 'running', 'running', 'done', 'done']);
  expect(seen.map(({ percent }) => percent)).toEqual([40, 80, 90, 100, 100]);
});
