import { expect, test } from 'vitest';
import { groupByFix, type DomainFinding } from '#shared/catalogue/domain-health/fix-groups';

const of = (check: string, code: string, evidence: DomainFinding['evidence'][number]): DomainFinding => ({
  check,
  code,
  severity: 'critical',
  target: 'a.test',
  category: check === 'dns-check' ? 'mail' : 'ssl',
  domainEffect: -10,
  evidence: [evidence],
});
const policyHost = of('dns-check', 'mta-sts-certificate', {
  url: 'https://mta-sts.a.test/.well-known/mta-sts.txt',
  reason: 'certificate has expired',
});

test.for([
  {
    name: 'a wildcard that has expired is the certificate of the policy host too',
    subject: '*.a.test',
    faults: 1,
  },
  {
    name: 'the policy host may have another certificate, which has expired too',
    subject: 'a.test',
    faults: 2,
  },
])('$name', ({ subject, faults }) => {
  const web = of('ssl-check', 'certificate-expired', { subject, notAfter: '2026-11-01T00:00:00Z' });
  expect(groupByFix([web, policyHost])).toHaveLength(faults);
});

test('findings that offer the same record are one fault', () => {
  const record = { type: 'TXT', name: 'a.test', value: 'v=spf1 mx ~all' };
  const told = ['spf-ptr', 'spf-term-repeated', 'spf-no-all'].map((code) => ({
    ...of('dns-check', code, {}),
    fix: { record },
  }));
  const other = {
    ...of('dns-check', 'spf-not-closed', {}),
    fix: { record: { ...record, value: 'v=spf1 -all' } },
  };
  expect(groupByFix([...told, other]).map(({ others }) => others.length)).toEqual([2, 0]);
});
