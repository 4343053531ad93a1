import { Resolver } from 'node:dns/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { codesBroken } from '#shared/model/verdict';
import { checkDomain } from './check-domain.ts';
import { skipReason } from './debian-tools.ts';
import { openSignedLab, type SignedLab } from './signed-lab.ts';
import type { LabZone } from './zones.ts';

// Two providers that each sign with keys of their own, served by real servers and asked for through a resolver that validates.
const reason = skipReason('a zone with two signers', ['unbound', 'nsd', 'ldns-signzone', 'ldns-keygen']);
const block = 139;
const text = `$TTL 3600\n@ SOA ns1 hostmaster 1 14400 3600 1209600 3600\n@ NS ns1\n@ NS ns2\nns1 A 127.${block}.1.1\nns2 A 127.${block}.2.1\n@ A 192.0.2.80\n`;
const zone = (providers: 'shared' | 'apart'): LabZone => ({
  text,
  signing: { algorithm: 'ECDSAP256SHA256', providers },
});

describe.skipIf(reason !== undefined)('a zone with two signers', () => {
  let lab: SignedLab;
  beforeAll(async () => {
    lab = await openSignedLab(block, { 'shared.test': zone('shared'), 'apart.test': zone('apart') });
  }, 90_000);
  afterAll(async () => lab?.close());
  const dnssec = async (domain: string) => {
    const { verdicts, fields } = await checkDomain(domain, lab.settings);
    const { status } = fields['dnssec'] as { status: string };
    return { status, broken: codesBroken(verdicts).filter((code) => code.startsWith('dnssec-')) };
  };

  test('whose keys fit together is secure, in every run', async () => {
    const resolver = new Resolver();
    resolver.setServers([lab.addresses.resolver]);
    expect(await resolver.resolve4('shared.test')).toEqual(['192.0.2.80']);
    for (let run = 0; run < 5; run += 1)
      expect(await dnssec('shared.test')).toEqual({ status: 'secure', broken: [] });
  });

  test('whose keys do not fit is told, in every run', async () => {
    for (let run = 0; run < 5; run += 1)
      expect((await dnssec('apart.test')).broken).toContain('dnssec-keys-inconsistent');
  });
});
