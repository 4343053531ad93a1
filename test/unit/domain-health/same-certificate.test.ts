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
