import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dnsCodesBroken } from '../../unit/dns-check/run-check.ts';
import { checkDomain, gatherDomain } from './check-domain.ts';
import { skipReason } from './debian-tools.ts';
import { openSignedLab, type SignedLab } from './signed-lab.ts';

const reason = skipReason('the signed zones of dns-check');

// All of the lab is on IPv4 loopback, and every zone lacks what a real one should have beside its fault.
const always = ['address-no-ipv6', 'ns-no-ipv6'];
/** Without any address IPv6 is not missed. */
const withoutAddress = ['hints.test', 'alpn.test', 'aliasalone.test', 'aliasgone.test'];
const allOf = (zone: string, broken: readonly string[]) =>
  [...(withoutAddress.includes(zone) ? always.slice(1) : always), ...broken].toSorted();
const rows: readonly { zone: string; status: string; broken: readonly string[]; unvalidated: string }[] = [
  { zone: 'secure.test', status: 'secure', broken: [], unvalidated: 'indeterminate' },
  { zone: 'rsa.test', status: 'secure', broken: [], unvalidated: 'indeterminate' },
  {
    zone: 'rsa512.test',
    status: 'secure',
    broken: ['dnssec-algorithm-not-recommended'],
    unvalidated: 'indeterminate',
  },
  { zone: 'short.test', status: 'secure', broken: ['dnssec-key-short'], unvalidated: 'indeterminate' },
  { zone: 'sha1.test', status: 'secure', broken: ['dnssec-algorithm-weak'], unvalidated: 'indeterminate' },
  { zone: 'p384.test', status: 'secure', broken: [], unvalidated: 'indeterminate' },
  { zone: 'ed25519.test', status: 'secure', broken: [], unvalidated: 'indeterminate' },
  { zone: 'ed448.test', status: 'secure', broken: [], unvalidated: 'indeterminate' },
  { zone: 'nsec3.test', status: 'secure', broken: ['dnssec-nsec3-iterations'], unvalidated: 'indeterminate' },
  { zone: 'nsec3zero.test', status: 'secure', broken: [], unvalidated: 'indeterminate' },
  { zone: 'wild3.test', status: 'secure', broken: [], unvalidated: 'indeterminate' },
  { zone: 'optout.test', status: 'secure', broken: ['dnssec-nsec3-opt-out'], unvalidated: 'indeterminate' },
  { zone: 'crowd.test', status: 'secure', broken: ['ns-same-prefix'], unvalidated: 'indeterminate' },
  {
    zone: 'noproof.test',
    status: 'bogus',
    broken: ['dnssec-bogus', 'dnssec-denial-invalid'],
    unvalidated: 'indeterminate',
  },
  {
    zone: 'noproof3.test',
    status: 'bogus',
    broken: ['dnssec-bogus', 'dnssec-denial-invalid'],
    unvalidated: 'indeterminate',
  },
  {
    zone: 'unsignedproof.test',
    status: 'bogus',
    broken: ['dnssec-bogus', 'dnssec-denial-invalid'],
    unvalidated: 'indeterminate',
  },
  {
    zone: 'oneproof.test',
    status: 'secure',
    broken: ['dnssec-server-denial-invalid'],
    unvalidated: 'indeterminate',
  },
  { zone: 'as.test', status: 'insecure', broken: ['dnssec-unsigned'], unvalidated: 'insecure' },
  ...(
    [
      ['hints.test', 'https-record-no-address'],
      ['alpn.test', 'https-record-no-address'],
      ['aliasalone.test', 'https-record-alone'],
      ['aliasgone.test', 'https-record-target-missing'],
      ['servicegone.test', 'https-record-target-unused'],
    ] as const
  ).map(([zone, code]) => ({
    zone,
    status: 'insecure',
    broken: ['dnssec-unsigned', code],
    unvalidated: 'insecure',
  })),
  { zone: 'plain.test', status: 'insecure', broken: ['dnssec-unsigned'], unvalidated: 'insecure' },
  {
    zone: 'halfsigned.test',
    status: 'secure',
    broken: ['dnssec-keys-inconsistent', 'dnssec-server-signature-invalid'],
    unvalidated: 'indeterminate',
  },
  {
    zone: 'halfisland.test',
    status: 'insecure',
    broken: ['dnssec-ds-missing', 'dnssec-keys-inconsistent'],
    unvalidated: 'insecure',
  },
  { zone: 'island.test', status: 'insecure', broken: ['dnssec-ds-missing'], unvalidated: 'insecure' },
  {
    zone: 'wrongds.test',
    status: 'bogus',
    broken: ['dnssec-bogus', 'dnssec-ds-without-key'],
    unvalidated: 'bogus',
  },
  {
    zone: 'expired.test',
    status: 'bogus',
    broken: ['dnssec-bogus', 'dnssec-signature-invalid'],
    unvalidated: 'bogus',
  },
  {
    zone: 'forgiven.test',
    status: 'bogus',
    broken: ['dnssec-signature-invalid'],
    unvalidated: 'bogus',
  },
  {
    zone: 'ending.test',
    status: 'secure',
    broken: ['dnssec-signature-expires-soon'],
    unvalidated: 'indeterminate',
  },
  {
    zone: 'lame.test',
    status: 'insecure',
    broken: ['dnssec-unsigned', 'ns-lame'],
    unvalidated: 'insecure',
  },
  {
    zone: 'silent.test',
    status: 'insecure',
    broken: ['dnssec-unsigned', 'ns-parent-child-mismatch', 'ns-silent'],
    unvalidated: 'insecure',
  },
  {
    zone: 'serial.test',
    status: 'insecure',
    broken: ['dnssec-unsigned', 'soa-serial-mismatch'],
    unvalidated: 'insecure',
  },
  {
    zone: 'differs.test',
    status: 'insecure',
    broken: ['dnssec-unsigned', 'ns-parent-child-mismatch', 'ns-single'],
    unvalidated: 'insecure',
  },
  {
    zone: 'glue.test',
    status: 'insecure',
    broken: ['dnssec-unsigned', 'ns-glue-mismatch'],
    unvalidated: 'insecure',
  },
  {
    zone: 'single.test',
    status: 'insecure',
    broken: ['dnssec-unsigned', 'ns-single'],
    unvalidated: 'insecure',
  },
  {
    zone: 'unheard.test',
    status: 'insecure',
    broken: ['dnssec-unsigned', 'soa-rname-no-mail'],
    unvalidated: 'insecure',
  },
  {
    zone: 'nullmx.test',
    status: 'insecure',
    broken: ['dnssec-unsigned', 'soa-rname-no-mail'],
    unvalidated: 'insecure',
  },
  { zone: 'odd.test', status: 'secure', broken: ['wildcard-present'], unvalidated: 'indeterminate' },
];

describe.skipIf(reason !== undefined)('zones on real name servers, signed by another hand', () => {
  let lab: SignedLab;
  beforeAll(async () => {
    lab = await openSignedLab(53);
  });
  afterAll(async () => lab?.close());

  test.for(rows)('$zone is $status', async ({ zone, status, broken }) => {
    const outcome = await checkDomain(zone, lab.settings);
    const { fields } = outcome;
    expect(fields['dnssec']).toMatchObject({ status, resolverValidates: true });
    expect(dnsCodesBroken(outcome).toSorted()).toEqual(allOf(zone, broken));
  });

  test.for(rows)(
    '$zone is $unvalidated by a resolver that does not validate',
    async ({ zone, unvalidated, broken }) => {
      const outcome = await checkDomain(zone, lab.plainSettings);
      const { fields } = outcome;
      expect(fields['dnssec']).toMatchObject({ status: unvalidated, resolverValidates: false });
      const own = broken.filter((code) => code !== 'dnssec-bogus');
      expect(dnsCodesBroken(outcome).toSorted()).toEqual(allOf(zone, own));
    },
  );

  test('of the bytes that a run may read in answers, the zone with the most to tell needs less than a quarter', async () => {
    const { answerBytes, spent } = await gatherDomain('crowd.test', lab.settings);
    console.info(`crowd.test: ${answerBytes} bytes of answers`);
    expect(answerBytes).toBeGreaterThan(100_000);
    expect(answerBytes).toBeLessThan(250_000);
    expect(spent).toEqual([]);
  });

  const origins: readonly { zone: string; verdict: unknown }[] = [
    { zone: 'one.as.test', verdict: { broken: [{ origin: 'AS64511', count: 2 }] } },
    { zone: 'two.as.test', verdict: 'holds' },
    { zone: 'half.as.test', verdict: { notTested: 'the origin of 127.53.2.1 was not found' } },
  ];
  test.for(origins)('origins of the name servers’ networks by $zone', async ({ zone, verdict }) => {
    const { verdicts } = await checkDomain('secure.test', { ...lab.settings, ORIGIN_ASN_ZONE: zone });
    expect(verdicts['ns-same-as']).toEqual(verdict);
  });

  test('a name that does not exist, and a host inside a zone', async () => {
    expect(dnsCodesBroken(await checkDomain('nothing.test', lab.settings))).toEqual(['domain-not-found']);
    expect((await checkDomain('mail.secure.test', lab.settings)).fields).toMatchObject({
      ns: { state: 'not-applicable', zone: 'secure.test' },
      dnssec: { status: 'secure' },
    });
  });
});
