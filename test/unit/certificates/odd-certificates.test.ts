import { expect, test } from 'vitest';
import { readCertificate } from '../../../worker/certificates/certificate.ts';
import { extensionIds } from '../../../worker/certificates/grammar/certificate-extensions.ts';
import { findPath } from '../../../worker/certificates/trust/find-path.ts';
import type { PathReason } from '../../../worker/certificates/trust/reasons.ts';
import { issueCertificate, makeKey, type Wishes } from '../ssl-check/issue-certificate.ts';
import { der, objectIdentifier, sequence, text } from '../ssl-check/write-der.ts';

// Kinds of certificates on which verifiers disagree. Each row says what Chrome (BoringSSL's pki) and Firefox (mozilla::pkix) do;
// a certificate is trusted where both accept it.
const at = Date.parse('2026-11-21T03:00:00Z');
const authority = { notBefore: '2020-01-01T00:00:00', notAfter: '2040-01-01T00:00:00', isAuthority: true };
const root = issueCertificate({ subject: 'Root', issuer: null, ...authority });

type Extension = NonNullable<Wishes['extensions']>[number];
const critical = (one: Extension): Extension => ({ ...one, isCritical: true });
const keyId = der(0x04, [1, 2, 3, 4]);
const subjectKeyId = { id: extensionIds.subjectKeyId, value: keyId };
const authorityKeyId = { id: extensionIds.authorityKeyId, value: sequence(der(0x80, [1, 2, 3, 4])) };
const access = (location: Uint8Array) => ({
  id: extensionIds.authorityAccess,
  value: sequence(sequence(objectIdentifier('1.3.6.1.5.5.7.48.2'), location)),
});
const revocationLists = {
  id: extensionIds.revocationLists,
  value: sequence(sequence(der(0xa0, der(0xa0, text(0x86, 'http://ca.test/a.crl'))))),
};
const usages = (...bits: readonly number[]) => ({ id: extensionIds.keyUsage, value: der(0x03, bits) });
const purposes = (...ids: readonly string[]) => ({
  id: extensionIds.extendedKeyUsage,
  value: sequence(...ids.map(objectIdentifier)),
});
const serverPurpose = '1.3.6.1.5.5.7.3.1';
const anyPurpose = '2.5.29.37.0';
const limits = (name: string) => ({
  id: extensionIds.nameConstraints,
  value: sequence(der(0xa0, sequence(text(0x82, name)))),
});
const names = (...all: readonly string[]) => ({
  id: extensionIds.subjectAltName,
  value: sequence(...all.map((name) => text(0x82, name))),
});

type Odd = { readonly leaf?: Partial<Wishes>; readonly issuer?: Partial<Wishes> };
type Row = readonly [name: string, odd: Odd, ...reasons: PathReason[]];
const leafWith = (...extensions: Extension[]): Odd => ({ leaf: { extensions } });
const issuerWith = (...extensions: Extension[]): Odd => ({ issuer: { extensions } });

const refused: readonly Row[] = [
  // Both refuse.
  ['a critical identifier of the issuer’s key', leafWith(critical(authorityKeyId)), 'extension-unknown'],
  ['a critical identifier of the key', leafWith(critical(subjectKeyId)), 'extension-unknown'],
  ['the same in an intermediate', issuerWith(critical(subjectKeyId)), 'extension-unknown'],
  ['a critical pointer to the CRL', leafWith(critical(revocationLists)), 'extension-unknown'],
  ['a key that may not sign', leafWith(usages(2, 0x04)), 'key-usage-wrong'],
  // Chrome refuses.
  [
    'critical access to the issuer',
    leafWith(critical(access(text(0x86, 'http://ca.test/')))),
    'extension-unknown',
  ],
  ['an extension that stands twice', leafWith(subjectKeyId, subjectKeyId), 'extension-repeated'],
  [
    'an extension that stands twice in an intermediate',
    issuerWith(revocationLists, revocationLists),
    'extension-repeated',
  ],
  ['access to the issuer that is malformed', leafWith(access(der(0x05))), 'extension-malformed'],
  ['malformed access in an intermediate', issuerWith(access(der(0x05))), 'extension-malformed'],
  [
    'no subject, and names that are not critical',
    { leaf: { subject: '', names: [], extensions: [names('a.test')] } },
    'subject-missing',
  ],
  // Firefox refuses.
  [
    'a DNS entry with a leading period before the others',
    { leaf: { names: ['.a.test', 'a.test'] } },
    'extension-malformed',
  ],
  ['any purpose alone', leafWith(purposes(anyPurpose)), 'purpose-wrong'],
  ['any purpose alone in an intermediate', issuerWith(purposes(anyPurpose)), 'purpose-wrong'],
  ['a CA certificate as that of a server', { leaf: { isAuthority: true } }, 'authority-as-server'],
  [
    'a DNS entry with a leading period under name constraints',
    { leaf: { names: ['a.test', '.a.test'] }, issuer: { extensions: [limits('a.test')] } },
    'name-not-permitted',
  ],
  [
    'a DNS entry with a trailing period under name constraints',
    { leaf: { names: ['a.test', 'a.test.'] }, issuer: { extensions: [limits('a.test')] } },
    'name-not-permitted',
  ],
  ['a name constraint with a trailing period', issuerWith(limits('a.test.')), 'name-not-permitted'],
];

const accepted: readonly Row[] = [
  ['no identifiers of keys', {}],
  [
    'no subject, and critical names',
    { leaf: { subject: '', names: [], extensions: [critical(names('a.test'))] } },
  ],
  ['critical names beside a subject', { leaf: { names: [], extensions: [critical(names('a.test'))] } }],
  ['name constraints that are not critical', issuerWith(limits('a.test'))],
  ['name constraints with a leading period', issuerWith(limits('.test'))],
  ['a DNS entry with a leading period behind the others', { leaf: { names: ['a.test', '.a.test'] } }],
  ['name constraints in the certificate of a server', leafWith(limits('b.test'))],
  ['an underscore in a name', { leaf: { names: ['a_b.test', 'a.test'] } }],
  ['a common name that is no DNS entry', { leaf: { subject: 'b.test' } }],
  ['no extended key usage', {}],
  ['a critical extended key usage', leafWith(critical(purposes(serverPurpose)))],
  ['any purpose beside that of servers', leafWith(purposes(anyPurpose, serverPurpose))],
  ['a key that may sign certificates, in no CA', leafWith(usages(2, 0x84))],
  [
    'critical constraints on policies',
    issuerWith(critical({ id: '2.5.29.36', value: sequence(der(0x81, [0])) })),
  ],
  ['a serial number of zero', { leaf: { serial: [0] } }],
  ['a negative serial number', { leaf: { serial: [0x80] } }],
  ['a serial number of 21 bytes', { leaf: { serial: [1, ...new Uint8Array(20)] } }],
];

const search = ({ leaf: own, issuer: ca }: Odd) => {
  const intermediate = issueCertificate({ subject: 'CA', issuer: root, ...authority, ...ca });
  const leaf = issueCertificate({ subject: 'a.test', names: ['a.test'], issuer: intermediate, ...own });
  const [first, ...others] = [leaf, intermediate].flatMap(({ base64 }) => readCertificate(base64) ?? []);
  const anchor = readCertificate(root.base64);
  if (first === undefined || anchor === undefined) throw new Error('this is no certificate');
  return findPath({ leaf: first, sent: others, anchors: [anchor], at });
};

test.for(refused)('%s is refused', ([, odd, ...reasons]) => {
  const found = search(odd);
  expect('faults' in found ? found.faults.map(({ reason }) => reason) : []).toEqual(reasons);
});

test.for(accepted)('%s is accepted', ([, odd]) => {
  expect(search(odd).kind).toBe('trusted');
});

test('a curve that is given by its numbers is no named curve', () => {
  const { base64 } = issueCertificate({ subject: 'a.test', issuer: null, key: makeKey('p256-by-numbers') });
  expect(readCertificate(base64)?.key).toMatchObject({ type: 'EC', curve: null });
});

test('a certificate that is its own CA is refused for that alone, and not for being a CA', () => {
  const { base64 } = issueCertificate({ subject: 'a.test', issuer: null, names: ['a.test'], ...authority });
  const own = readCertificate(base64);
  if (own === undefined) throw new Error('this is no certificate');
  const found = findPath({ leaf: own, sent: [], anchors: [], at });
  expect('faults' in found && found.faults.map(({ reason }) => reason)).toEqual(['self-signed']);
  expect(findPath({ leaf: own, sent: [], anchors: [own], at }).kind).toBe('trusted');
});

test.for([
  ['a thirteenth month', '261301000000Z'],
  ['day 0', '261200000000Z'],
  ['30 February', '260230000000Z'],
  ['letters', '26ab01000000Z'],
  ['no second', '2612010000Z'],
  ['nothing', ''],
] as const)('a certificate whose end has %s cannot be read', ([, end]) => {
  const sound = issueCertificate({ subject: 'a.test', issuer: root, ...authority, isAuthority: false });
  const wrong = Buffer.from(end.padEnd(13, ' '), 'latin1');
  const at39 = sound.der.indexOf(Buffer.from('400101000000Z', 'latin1'));
  expect(at39).toBeGreaterThan(0);
  const damaged = Buffer.concat([sound.der.subarray(0, at39), wrong, sound.der.subarray(at39 + 13)]);
  expect(readCertificate(damaged.toString('base64'))).toBeUndefined();
  expect(readCertificate(sound.base64)).toBeDefined();
});

test('a certificate with more extensions than any CA writes is not read', () => {
  const leafOf = (count: number) =>
    readCertificate(
      issueCertificate({
        subject: 'a.test',
        issuer: root,
        extensions: Array.from({ length: count }, (_, index) => ({ id: `1.2.3.${index}`, value: der(0x05) })),
      }).base64,
    );
  expect(leafOf(100)).toBeDefined();
  expect(leafOf(101)).toBeUndefined();
});
