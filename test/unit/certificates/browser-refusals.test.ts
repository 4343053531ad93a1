import { rootCertificates } from 'node:tls';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Browsers } from '../../../worker/certificates/browsers/refusal.ts';
import { refusalsOf } from '../../../worker/certificates/browsers/refusals-of.ts';
import { type Certificate, readCertificate } from '../../../worker/certificates/certificate.ts';
import { extensionIds } from '../../../worker/certificates/grammar/certificate-extensions.ts';
import { findPath } from '../../../worker/certificates/trust/find-path.ts';
import { describeFault, faultsToMail, type PathFault } from '../../../worker/certificates/trust/reasons.ts';
import { makeKey, nameOf } from '../ssl-check/issue-certificate.ts';
import { der, integer, objectIdentifier, sequence, text, time } from '../ssl-check/write-der.ts';
import {
  algorithm,
  ecdsa,
  extension,
  extensionsOf,
  nothing,
  type Parts,
  pss,
  rsa,
  type Signer,
  signers,
  signPss,
  signWith,
  spki,
  writeOdd,
} from './write-odd.ts';

// What each browser does was read in the source of its verifier: pki/ of BoringSSL (parse_certificate.cc, parsed_certificate.cc, signature_algorithm.cc,
// general_names.cc, name_constraints.cc, certificate_policies.cc, verify_certificate_chain.cc) and mozpkix/ of NSS (pkixder, pkixcert, pkixcheck, pkixnames).
const at = Date.parse('2026-11-21T03:00:00Z');
const { ec, rsa: rsaSigner } = signers;
const isCa = extension(extensionIds.basicConstraints, sequence(der(1, [0xff])), [0xff]);
const long = sequence(time('2020-01-01T00:00:00'), time('2040-01-01T00:00:00'));
const readOrFail = (base64: string): Certificate => {
  const certificate = readCertificate(base64);
  if (certificate === undefined) throw new Error('this is no certificate');
  return certificate;
};
const rootOf = (signer: Signer) =>
  readOrFail(
    writeOdd(
      { subject: nameOf(signer.name), key: spki(signer.key), validity: long, extensions: extensionsOf(isCa) },
      signer,
    ),
  );
const anchors = [rootOf(ec), rootOf(rsaSigner)];
const middle = { key: makeKey(), name: 'Middle' };

type Odd = Partial<Parts> & { readonly signer?: Signer };
/** Here the extensions are those beside basicConstraints. */
type Middle = Odd & { readonly basic?: Uint8Array };
type Row = readonly [name: string, by: Browsers | null, odd: Odd];

const faultsOf = (sent: readonly string[]): readonly PathFault[] => {
  const [leaf, ...others] = sent.map(readOrFail);
  if (leaf === undefined) throw new Error('nothing is sent');
  const found = findPath({ leaf, sent: others, anchors, at });
  return found.kind === 'trusted' ? [] : found.faults;
};
const whoRefuses = (faults: readonly PathFault[]) => [...new Set(faults.map((one) => one.refusal?.by))];
const leafOf = ({ signer, ...parts }: Odd) => writeOdd(parts, signer);
/** A chain over an intermediate that is odd. */
const overMiddle = ({ signer = ec, basic = isCa, ...parts }: Middle, leaf: Odd = {}): readonly string[] => [
  writeOdd({ ...leaf }, middle),
  writeOdd(
    {
      subject: nameOf(middle.name),
      key: spki(middle.key),
      validity: long,
      ...parts,
      extensions: extensionsOf(basic, ...(parts.extensions ?? [])),
    },
    signer,
  ),
];

const with1 = (id: string, value: Uint8Array, critical?: readonly number[]): Odd => ({
  extensions: extensionsOf(extension(id, value, critical)),
});
const names = (...all: Uint8Array[]) => with1(extensionIds.subjectAltName, sequence(...all));
const host = text(0x82, 'a.test');
const empty = new Uint8Array(0);
const behind = (value: Uint8Array) => Buffer.concat([value, Uint8Array.of(5, 0)]);
const purpose = (last: number) => objectIdentifier(`1.3.6.1.5.5.7.3.${last}`);
const policy = (id: string, ...more: Uint8Array[]) => sequence(objectIdentifier(id), ...more);
const ip = (...bytes: number[]) => der(0x87, bytes);
const dates = (from: Uint8Array, to: Uint8Array, ...more: Uint8Array[]): Odd => ({
  validity: sequence(from, to, ...more),
});
const until = time('2026-12-30T00:00:00');
const nameWith = (tag: number, value: string) =>
  sequence(der(0x31, sequence(objectIdentifier('2.5.4.3'), text(tag, value))));
const rsaLeaf = makeKey('rsa2048');
const { n = '' } = rsaLeaf.export({ format: 'jwk' });
const modulus = der(0x02, [0, ...Buffer.from(n, 'base64url')]);
const rsaKey = (parameters: readonly Uint8Array[], ...numbers: Uint8Array[]): Odd => ({
  key: sequence(algorithm('1.2.840.113549.1.1.1', ...parameters), der(0x03, [0], sequence(...numbers))),
});
const exponent = integer(1, 0, 1);
const sha224 = '1.2.840.113549.1.1.14';

const signatures: readonly Row[] = [
  [
    'RSA-PSS with a salt as long as the hash',
    null,
    { signer: rsaSigner, outer: pss('sha256', 'sha256', 32), sign: signPss('sha256', 32) },
  ],
  [
    'RSA-PSS with SHA-384',
    null,
    { signer: rsaSigner, outer: pss('sha384', 'sha384', 48), sign: signPss('sha384', 48) },
  ],
  [
    'RSA-PSS with the salt of OpenSSL',
    'Chrome and Firefox',
    { signer: rsaSigner, outer: pss('sha256', 'sha256', 0x7e), sign: signPss('sha256', 0x7e) },
  ],
  [
    'RSA-PSS with a salt of 20',
    'Chrome and Firefox',
    { signer: rsaSigner, outer: pss('sha256', 'sha256', 20), sign: signPss('sha256', 20) },
  ],
  [
    'RSA-PSS without the NULLs of its hashes',
    'Firefox',
    { signer: rsaSigner, outer: pss('sha256', 'sha256', 32, []), sign: signPss('sha256', 32) },
  ],
  [
    'SHA-224 with RSA',
    'Chrome and Firefox',
    {
      signer: rsaSigner,
      outer: algorithm(sha224, nothing),
      sign: (body, key) => signWith('sha224', body, key),
    },
  ],
  [
    'SHA-512 with RSA',
    null,
    { signer: rsaSigner, outer: rsa(13, nothing), sign: (body, key) => signWith('sha512', body, key) },
  ],
  ['SHA-256 with RSA and no NULL', null, { signer: rsaSigner, outer: rsa(11) }],
  [
    'a NULL in one of the two algorithms',
    null,
    { signer: rsaSigner, outer: rsa(11, nothing), inner: rsa(11, nothing) },
  ],
  ['SHA-256 with ECDSA and a NULL', 'Chrome', { outer: algorithm('1.2.840.10045.4.3.2', nothing) }],
  [
    'SHA-512 with ECDSA on P-256',
    null,
    { outer: algorithm('1.2.840.10045.4.3.4'), sign: (body, key) => signWith('sha512', body, key) },
  ],
  [
    'SHA-224 with ECDSA',
    'Chrome and Firefox',
    { outer: algorithm('1.2.840.10045.4.3.1'), sign: (body, key) => signWith('sha224', body, key) },
  ],
];

const fields: readonly Row[] = [
  ['version 3', null, {}],
  ['version 1 and no extensions', null, { version: [] }],
  ['version 1 with extensions', 'Chrome', { version: [], ...names(host) }],
  ['version 2 with extensions', 'Chrome', { version: [der(0xa0, integer(1))], ...names(host) }],
  ['a version 1 that is written', 'Chrome', { version: [der(0xa0, integer(0))] }],
  ['version 4', 'Chrome', { version: [der(0xa0, integer(3))], ...names(host) }],
  ['a serial number of zero', null, { serial: integer(0) }],
  ['a negative serial number', null, { serial: integer(0x80) }],
  ['a serial number of 30 bytes', null, { serial: integer(...Array<number>(30).fill(1)) }],
  ['UTCTime', null, dates(text(0x17, '261001000000Z'), text(0x17, '261230000000Z'))],
  ['GeneralizedTime before 2050', null, dates(time('2026-10-01T00:00:00'), until)],
  ['a beginning before 1970', 'Firefox', dates(time('1969-12-31T23:59:59'), until)],
  ['a PrintableString with an at sign', 'Chrome', { subject: nameWith(0x13, 'a@test') }],
  ['a PrintableString as it should be', null, { subject: nameWith(0x13, "A (b) + c's: d=e?") }],
  ['an IA5String beyond ASCII', 'Chrome', { subject: nameWith(0x16, 'ä') }],
  ['a T61String', null, { subject: nameWith(0x14, 'ä') }],
  ['a UTF8String', null, { subject: nameWith(0x0c, 'Ã¤') }],
  ['unique identifiers', null, { uniqueIds: [der(0x81, [0, 1]), der(0x82, [0, 1])], ...names(host) }],
  ['unique identifiers in version 1', 'Chrome', { version: [], uniqueIds: [der(0x81, [0, 1])] }],
  ['padding that is not zero in a unique identifier', 'Chrome', { uniqueIds: [der(0x81, [1, 1])] }],
  ['a list of no extensions', 'Chrome', { extensions: extensionsOf() }],
  ['an RSA key', null, rsaKey([nothing], modulus, exponent)],
  ['an RSA key with an even exponent', 'Chrome', rsaKey([nothing], modulus, integer(1, 0, 2))],
  ['an RSA key with a third number', 'Chrome and Firefox', rsaKey([nothing], modulus, exponent, exponent)],
];

const values: readonly Row[] = [
  [
    'a critical extension with BOOLEAN 01',
    'Chrome and Firefox',
    with1(extensionIds.subjectAltName, sequence(host), [1]),
  ],
  ['FALSE written out in an extension', 'Chrome', with1(extensionIds.subjectAltName, sequence(host), [0])],
  ['a DNS name of raw UTF-8', 'Chrome', names(host, der(0x82, [...Buffer.from('bücher.test')]))],
  [
    'a DNS name of raw UTF-8 before the others',
    'Chrome and Firefox',
    names(der(0x82, [...Buffer.from('bücher.test')]), host),
  ],
  ['an empty DNS name before the others', 'Firefox', names(text(0x82, ''), host)],
  ['a DNS name that ends in a dot before the others', 'Firefox', names(text(0x82, 'a.test.'), host)],
  ['a wildcard for a top level before the others', 'Firefox', names(text(0x82, '*.test'), host)],
  ['a wildcard in the middle of a name before the others', 'Firefox', names(text(0x82, 'a.*.test'), host)],
  ['no host name at all', null, names(text(0x82, '*a.test'))],
  ['an underscore in the first name', null, names(text(0x82, '_a.test'), host)],
  ['an address of digits as the first DNS name', 'Firefox', names(text(0x82, '192.0.2.1'), host)],
  ['a URI of raw UTF-8', 'Chrome', names(host, der(0x86, [...Buffer.from('http://bücher.test')]))],
  ['an address of five bytes', 'Chrome', names(host, ip(192, 0, 2, 1, 0))],
  ['addresses of 4 and 16 bytes', null, names(host, ip(192, 0, 2, 1), ip(...Array<number>(16).fill(1)))],
  ['a subjectAltName without names', 'Chrome', names()],
  [
    'a subjectAltName that is a SET',
    'Chrome and Firefox',
    with1(extensionIds.subjectAltName, der(0x31, host)),
  ],
  [
    'bytes behind subjectAltName',
    'Chrome and Firefox',
    with1(extensionIds.subjectAltName, behind(sequence(host))),
  ],
  ['an unknown kind of name before the host', 'Chrome and Firefox', names(der(0x8a, [1]), host)],
  ['an unknown kind of name behind the host', 'Chrome', names(host, der(0x8a, [1]))],
  ['a directory name without its SEQUENCE', 'Chrome', names(host, der(0xa4, [5, 0]))],
  ['a wildcard in the middle of a name', null, names(host, text(0x82, 'a.*.test'))],
  ['an empty DNS name', null, names(host, text(0x82, ''))],
  ['basicConstraints without anything', null, with1(extensionIds.basicConstraints, sequence())],
  [
    'FALSE written out in basicConstraints',
    null,
    with1(extensionIds.basicConstraints, sequence(der(1, [0]))),
  ],
  ['basicConstraints of no bytes', 'Chrome and Firefox', with1(extensionIds.basicConstraints, empty)],
  [
    'a path length in a certificate that is no CA',
    null,
    with1(extensionIds.basicConstraints, sequence(integer(0))),
  ],
  [
    'bytes behind basicConstraints',
    'Chrome and Firefox',
    with1(extensionIds.basicConstraints, behind(sequence())),
  ],
  [
    'padding that is not zero in keyUsage',
    'Chrome and Firefox',
    with1(extensionIds.keyUsage, der(0x03, [1, 0x81])),
  ],
  ['bytes behind keyUsage', 'Chrome and Firefox', with1(extensionIds.keyUsage, behind(der(0x03, [0, 0x80])))],
  ['keyUsage with zeros at its end', null, with1(extensionIds.keyUsage, der(0x03, [0, 0x80, 0]))],
  [
    'a purpose that is no identifier',
    'Chrome and Firefox',
    with1(extensionIds.extendedKeyUsage, sequence(purpose(1), integer(1))),
  ],
  [
    'bytes behind the purposes',
    'Chrome and Firefox',
    with1(extensionIds.extendedKeyUsage, behind(sequence(purpose(1)))),
  ],
  ['no purpose', 'Chrome and Firefox', with1(extensionIds.extendedKeyUsage, sequence())],
  [
    'any purpose alone',
    'Firefox',
    with1(extensionIds.extendedKeyUsage, sequence(objectIdentifier('2.5.29.37.0'))),
  ],
  ['servers and OCSP', 'Firefox', with1(extensionIds.extendedKeyUsage, sequence(purpose(1), purpose(9)))],
  ['servers and code', null, with1(extensionIds.extendedKeyUsage, sequence(purpose(1), purpose(3)))],
  [
    'access without a location',
    'Chrome',
    with1(extensionIds.authorityAccess, sequence(sequence(objectIdentifier('1.3.6.1.5.5.7.48.2')))),
  ],
  ['access to nothing', 'Chrome', with1(extensionIds.authorityAccess, sequence())],
  ['a malformed pointer to the CRL', null, with1(extensionIds.revocationLists, sequence(integer(1)))],
  [
    'the same policy twice',
    'Chrome',
    with1(extensionIds.policies, sequence(policy('1.2.3'), policy('1.2.3'))),
  ],
  ['no policy', 'Chrome', with1(extensionIds.policies, sequence())],
  [
    'an unknown qualifier',
    null,
    with1(
      extensionIds.policies,
      sequence(policy('1.2.3', sequence(sequence(objectIdentifier('1.2.4'), nothing)))),
    ),
  ],
  [
    'an unknown qualifier that is critical',
    'Chrome',
    with1(
      extensionIds.policies,
      sequence(policy('1.2.3', sequence(sequence(objectIdentifier('1.2.4'), nothing)))),
      [0xff],
    ),
  ],
  ['a key id that is no OCTET STRING', 'Chrome', with1(extensionIds.subjectKeyId, integer(1))],
  [
    'an issuer without its serial number',
    'Chrome',
    with1(extensionIds.authorityKeyId, sequence(der(0xa1, host))),
  ],
  ['timestamps that are no OCTET STRING', 'Firefox', with1(extensionIds.timestamps, integer(1))],
  ['a TLS feature that is not the staple', 'Firefox', with1(extensionIds.tlsFeature, sequence(integer(17)))],
  [
    'a constraint on names with a broken mask',
    'Chrome',
    with1(extensionIds.nameConstraints, sequence(der(0xa0, sequence(ip(192, 0, 2, 0, 255, 0, 255, 0))))),
  ],
  [
    'a constraint on names with a minimum',
    'Chrome',
    with1(extensionIds.nameConstraints, sequence(der(0xa0, sequence(text(0x82, 'test'), der(0x80, [0]))))),
  ],
  ['critical statements of qualified certificates', 'Chrome', with1('1.3.6.1.5.5.7.1.3', sequence(), [0xff])],
  [
    'the critical Netscape type alone',
    'Chrome and Firefox',
    with1('2.16.840.1.113730.1.1', der(0x03, [6, 0x40]), [0xff]),
  ],
  ['the Netscape type', null, with1('2.16.840.1.113730.1.1', der(0x03, [6, 0x40]))],
  [
    'a critical mapping of policies',
    'Firefox',
    with1(
      extensionIds.policyMappings,
      sequence(sequence(objectIdentifier('1.2.3'), objectIdentifier('1.2.4'))),
      [0xff],
    ),
  ],
  [
    'a critical precertificate poison',
    'Chrome and Firefox',
    with1('1.3.6.1.4.1.11129.2.4.3', nothing, [0xff]),
  ],
];

test.for([...signatures, ...fields, ...values])('a certificate with %s is refused by %s', ([, by, odd]) => {
  const faults = faultsOf([leafOf(odd)]);
  expect(whoRefuses(faults).filter((one) => one !== undefined)).toEqual(by === null ? [] : [by]);
  expect(faults.length === 0).toBe(by === null);
});

const unreadable: readonly (readonly [name: string, odd: Odd])[] = [
  ['a third date', dates(time('2026-10-01T00:00:00'), until, until)],
  ['a BMPString of odd length', { subject: nameWith(0x1e, 'abc') }],
  [
    'an extension with a fourth field',
    { extensions: extensionsOf(sequence(objectIdentifier('1.2.3'), der(1, [0xff]), der(4, []), nothing)) },
  ],
  ['bytes behind its signature', { behind: [nothing] }],
  ['a field behind its extensions', { ...names(host), last: [nothing] }],
  ['a serial number longer than needed', { serial: integer(0, 1) }],
  ['a date without seconds', dates(text(0x17, '2610010000Z'), until)],
  ['a date with an offset', dates(text(0x17, '261001000000+0100'), until)],
  ['a date with a fraction', dates(text(0x18, '20261001000000.5Z'), until)],
];

test.for(unreadable)('a certificate with %s cannot be read', ([, odd]) => {
  expect(readCertificate(leafOf(odd))).toBeUndefined();
});

const limits = (...trees: Uint8Array[]) => extension(extensionIds.nameConstraints, sequence(...trees));
const basic = (length: readonly number[]) => ({
  extensions: [],
  basic: extension(extensionIds.basicConstraints, sequence(der(1, [0xff]), integer(...length)), [0xff]),
});
const san = (...all: Uint8Array[]) => names(...all).extensions ?? [];
const policies = (...ids: readonly string[]) =>
  extension(extensionIds.policies, sequence(...ids.map((id) => policy(id))));
const demanded = (after: number) =>
  extension(extensionIds.policyConstraints, sequence(der(0x80, [after])), [0xff]);
const any = '2.5.29.32.0';
const staple = extension(extensionIds.tlsFeature, sequence(integer(5)));
const directory = (name: string) => sequence(der(0xa4, nameOf(name)));

const chains: readonly (readonly [name: string, text: string | null, middle: Middle, leaf?: Odd])[] = [
  ['nothing odd', null, {}],
  ['a path length of 127', null, basic([0x7f])],
  ['a path length of 128', 'has a malformed basicConstraints, which Firefox refuses', basic([0, 0x80])],
  [
    'a path length of 256',
    'has a malformed basicConstraints, which Chrome and Firefox refuse',
    basic([1, 0]),
  ],
  ['a path length of -1', 'has a malformed basicConstraints, which Chrome and Firefox refuse', basic([0xff])],
  [
    'a malformed subjectAltName',
    'has a malformed subjectAltName, which Chrome refuses',
    { extensions: [extension(extensionIds.subjectAltName, sequence())] },
  ],
  [
    'timestamps that nobody reads in a CA',
    null,
    { extensions: [extension(extensionIds.timestamps, integer(1))] },
  ],
  [
    'OCSP among its purposes',
    null,
    { extensions: [extension(extensionIds.extendedKeyUsage, sequence(purpose(1), purpose(9)))] },
  ],
  [
    'a name written in another form',
    'writes the name of its issuer in another form than the issuer does, which Firefox refuses',
    {},
    { issuer: nameWith(0x13, 'Middle') },
  ],
  [
    'a name in other case',
    'writes the name of its issuer in another form than the issuer does, which Firefox refuses',
    {},
    { issuer: nameOf('MIDDLE') },
  ],
  [
    'demanded policies, and none',
    'has not the policies that a CA above it demands (policy constraints), which Chrome refuses',
    { extensions: [demanded(0), policies('1.2.3')] },
  ],
  [
    'demanded policies, and them',
    null,
    { extensions: [demanded(0), policies('1.2.3')] },
    { extensions: extensionsOf(policies('1.2.3')) },
  ],
  [
    'demanded policies, and another',
    'has not the policies that a CA above it demands (policy constraints), which Chrome refuses',
    { extensions: [demanded(0), policies('1.2.3')] },
    { extensions: extensionsOf(policies('1.2.4')) },
  ],
  [
    'any policy above',
    null,
    { extensions: [demanded(0), policies(any)] },
    { extensions: extensionsOf(policies('1.2.4')) },
  ],
  [
    'any policy below, which is barred',
    'has not the policies that a CA above it demands (policy constraints), which Chrome refuses',
    {
      extensions: [
        demanded(0),
        policies('1.2.3'),
        extension(extensionIds.inhibitAnyPolicy, integer(0), [0xff]),
      ],
    },
    { extensions: extensionsOf(policies(any)) },
  ],
  [
    'a mapped policy',
    null,
    {
      extensions: [
        demanded(0),
        policies('1.2.3'),
        extension(
          extensionIds.policyMappings,
          sequence(sequence(objectIdentifier('1.2.3'), objectIdentifier('1.2.4'))),
        ),
      ],
    },
    { extensions: extensionsOf(policies('1.2.4')) },
  ],
  ['policies that are demanded two certificates further down', null, { extensions: [demanded(2)] }],
  [
    'a malformed demand',
    'has a malformed policyConstraints, which Chrome refuses',
    { extensions: [extension(extensionIds.policyConstraints, sequence())] },
  ],
  ['a TLS feature that the leaf has', null, { extensions: [staple] }, { extensions: extensionsOf(staple) }],
  [
    'a TLS feature that the leaf lacks',
    'demands a TLS feature (tlsfeature) that the certificate below it lacks, which Firefox refuses',
    { extensions: [staple] },
  ],
  [
    'an excluded directory name elsewhere',
    'may not issue for these names (name constraints)',
    { extensions: [limits(der(0xa1, directory('b')))] },
  ],
  ['a permitted directory name', null, { extensions: [limits(der(0xa0, directory('a.test')))] }],
  [
    'a permitted directory name in other case',
    'may not issue for these names (name constraints)',
    { extensions: [limits(der(0xa0, directory('A.test')))] },
  ],
  [
    'a host that Firefox cannot read under constraints',
    'may not issue for these names (name constraints)',
    { extensions: [limits(der(0xa0, sequence(text(0x82, 'test'))))] },
    { extensions: san(host, text(0x82, '-a.test')) },
  ],
  [
    'a wildcard below a top level under constraints',
    'may not issue for these names (name constraints)',
    { extensions: [limits(der(0xa0, sequence(text(0x82, 'test'))))] },
    { extensions: san(host, text(0x82, '*.test')) },
  ],
  [
    'an underscore under constraints',
    null,
    { extensions: [limits(der(0xa0, sequence(text(0x82, 'test'))))] },
    { extensions: san(text(0x82, 'a_b.test')) },
  ],
];

test.for(chains)('a chain with %s: %s', ([, why, odd, leaf]) => {
  expect(faultsOf(overMiddle(odd, leaf)).map((fault) => describeFault(fault))).toEqual(
    why === null ? [] : [why],
  );
});

test('how a root is written does not count', () => {
  const odd = writeOdd({
    subject: nameOf(ec.name),
    key: spki(ec.key),
    validity: long,
    version: [der(0xa0, integer(3))],
    outer: ecdsa,
    extensions: extensionsOf(isCa, extension(extensionIds.subjectAltName, sequence())),
  });
  const found = findPath({ leaf: readOrFail(leafOf({})), sent: [], anchors: [readOrFail(odd)], at });
  expect(found.kind).toBe('trusted');
});

test('no root of Mozilla’s has anything that would be refused in a CA', () => {
  const refused = rootCertificates
    .map((pem) => readOrFail(pem.replaceAll(/-----[^-]+-----|\s/g, '')))
    .flatMap((root) => refusalsOf(root, 'issuer').map(({ what }) => `${root.subject} ${what}`));
  expect(refused).toEqual([]);
});

test('changed bytes are judged without throwing', () => {
  const sound = readOrFail(leafOf(names(host)));
  const changes = fc.array(fc.tuple(fc.nat(sound.der.length), fc.nat(255)), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(changes, fc.nat(sound.der.length), (edits, end) => {
      const bytes = Uint8Array.from(sound.der.subarray(0, end < 20 ? undefined : Math.max(end, 200)));
      for (const [index, value] of edits) if (index < bytes.length) bytes[index] = value;
      const odd = { x509: Object.create(sound.x509) as Certificate['x509'], der: bytes };
      expect(Array.isArray(refusalsOf(odd, 'leaf'))).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test.for([
  ['any purpose alone', with1(extensionIds.extendedKeyUsage, sequence(objectIdentifier('2.5.29.37.0'))), 0],
  ['a malformed name that Chrome alone reads', names(host, ip(1)), 0],
  ['no purpose of servers', with1(extensionIds.extendedKeyUsage, sequence(purpose(2))), 1],
  ['an end that is over', dates(time('2026-10-01T00:00:00'), time('2026-11-01T00:00:00')), 1],
] as const)('to mail servers %s counts as it should', ([, odd, count]) => {
  expect(faultsToMail(faultsOf([leafOf(odd)]))).toHaveLength(count);
  expect(faultsOf([leafOf(odd)])).toHaveLength(1);
});
