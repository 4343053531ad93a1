import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { assessDnsCheck } from '../../../worker/checks/dns-check/assess.ts';
import type { DnsCheckEvidence } from '../../../worker/checks/dns-check/gather.ts';
import { dnsCodesBroken } from './run-check.ts';

// Captured from name servers of another make; addresses are replaced, signatures and times are as they came.
const fixtures: readonly { zone: string; status: string; score: number; broken: readonly string[] }[] = [
  { zone: 'secure.test', status: 'secure', score: 97, broken: ['address-no-ipv6', 'ns-no-ipv6'] },
  {
    zone: 'nsec3.test',
    status: 'secure',
    score: 88,
    broken: ['address-no-ipv6', 'ns-no-ipv6', 'dnssec-nsec3-iterations'],
  },
  {
    zone: 'expired.test',
    status: 'bogus',
    score: 47,
    broken: ['address-no-ipv6', 'ns-no-ipv6', 'dnssec-bogus', 'dnssec-signature-invalid'],
  },
  {
    zone: 'lame.test',
    status: 'insecure',
    score: 65,
    broken: ['address-no-ipv6', 'ns-lame', 'ns-no-ipv6', 'dnssec-unsigned'],
  },
  {
    zone: 'serial.test',
    status: 'insecure',
    score: 83,
    broken: ['address-no-ipv6', 'ns-no-ipv6', 'soa-serial-mismatch', 'dnssec-unsigned'],
  },
];

test.for(fixtures)('$zone is judged again as it was: $status, $score', ({ zone, status, score, broken }) => {
  const text = readFileSync(new URL(`../../fixtures/dns-check/${zone}.json`, import.meta.url), 'utf8');
  const evidence = JSON.parse(text) as DnsCheckEvidence;
  const outcome = assessDnsCheck(evidence);
  const { fields } = outcome;
  expect(dnsCodesBroken(outcome)).toEqual(broken);
  expect(fields).toMatchObject({ dnsScore: score, dnssec: { status } });
  const again = assessDnsCheck(JSON.parse(text) as DnsCheckEvidence);
  expect(JSON.stringify(again.fields)).toBe(JSON.stringify(fields));
});
