import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { codesBroken } from '#shared/model/verdict';
import { checkDomain } from './check-domain.ts';
import { skipReason } from './debian-tools.ts';
import { openSignedLab, type SignedLab } from './signed-lab.ts';
import type { LabZone } from './zones.ts';

// Senders with DANE hold the mail back where they cannot look up the TLSA records of a host whose addresses are signed (RFC 7672 §2.1.2).
const reason = skipReason('TLSA records that cannot be looked up', ['unbound', 'nsd', 'ldns-signzone']);
const block = 138;
const text = `$TTL 3600\n@ SOA ns1 hostmaster 1 14400 3600 1209600 3600\n@ NS ns1\n@ NS ns2\nns1 A 127.${block}.1.1\nns2 A 127.${block}.2.1\n@ MX 10 mail\nmail A 192.0.2.25\n@ TXT "v=spf1 mx -all"\n`;
const tlsa = `_25._tcp.mail TLSA 3 1 1 ${'ab'.repeat(32)}\n`;
const signing = { algorithm: 'ECDSAP256SHA256' };
const zones: { readonly [name: string]: LabZone } = {
  'bogus.test': { text: `${text}${tlsa}`, signing, damage: { of: 'signatures of TLSA' } },
  'unproven.test': { text, signing, damage: { of: 'proofs' } },
  'good.test': { text: `${text}${tlsa}`, signing },
  'none.test': { text, signing },
  'unsigned.test': { text },
};

describe.skipIf(reason !== undefined)('TLSA records', () => {
  let lab: SignedLab;
  beforeAll(async () => {
    lab = await openSignedLab(block, zones);
  }, 90_000);
  afterAll(async () => lab?.close());

  test.for([
    ['bogus.test', ['mta-sts-missing', 'dane-lookup-failed']],
    // That nothing can be proven absent is told of the whole zone.
    ['unproven.test', []],
    ['good.test', []],
    ['none.test', ['mta-sts-missing', 'dane-missing']],
    ['unsigned.test', ['mta-sts-missing', 'dane-missing']],
  ] as const)('of %s: %j', async ([domain, told]) => {
    const { verdicts } = await checkDomain(domain, lab.settings);
    const codes = ['dane-lookup-failed', 'dane-missing', 'mta-sts-missing'];
    expect(codesBroken(verdicts).filter((code) => codes.includes(code))).toEqual(told);
  });
});
