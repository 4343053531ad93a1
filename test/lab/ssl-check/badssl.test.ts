import { createDiffieHellmanGroup } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import type { SslCode } from '#shared/catalogue/ssl-check/rules';
import { extensionIds } from '../../../worker/certificates/grammar/certificate-extensions.ts';
import { type Issued, issueCertificate, makeKey, sealWith } from '../../unit/ssl-check/issue-certificate.ts';
import {
  der,
  integer,
  objectIdentifier,
  sequence,
  text,
  time,
  writeOcspResponse,
} from '../../unit/ssl-check/write-der.ts';
import { logs, timestamps } from '../../unit/ssl-check/write-timestamps.ts';
import { inDays, leafIssuer, openSslLab } from './lab.ts';
import { openPaperServer, type Paper } from './paper-server.ts';
import {
  identity,
  type LabServer,
  openTcpServer,
  openTlsServer,
  soundCiphers,
  type TlsServerOptions,
} from './servers.ts';

// The conditions that badssl.com has a host for, made anew, and what we say of each. "Known bad" keys are stood in for by a root that no store has.
// Left out: RSA with 8192 bits (a minute to make a key), and the hosts that differ in their pages only (mixed content, forms, icons).
const idn = 'xn--n1aae7f7o.lab.test';
const longName = 'long-extended-subdomain-name-containing-many-letters-and-dashes.lab.test';
const records = { A: ['127.0.0.1'], CAA: [{ flags: 0, tag: 'issue', value: 'ca.test' }] };
const lab = await openSslLab({ zone: { 'lab.test': records, [idn]: records, [longName]: records } });
afterAll(() => lab.close());

const { root, intermediate, leaf } = lab;
const issue = leafIssuer(intermediate);
const years = { notBefore: inDays(-400), notAfter: inDays(4000), isAuthority: true };
/** A root whose key is public, as of software that intercepts connections; it is in no store. */
const knownBad = issueCertificate({ subject: 'Known Bad Root', issuer: null, ...years });
const fromKnownBad = issueCertificate({
  subject: 'lab.test',
  issuer: knownBad,
  names: ['lab.test'],
  notBefore: inDays(-30),
  notAfter: inDays(60),
});
const sha1Intermediate = issueCertificate({
  subject: 'Lab Intermediate',
  issuer: root,
  key: intermediate.key,
  hash: 'sha1',
  ...years,
});
const policy = (id: string) => ({
  id: extensionIds.policies,
  value: sequence(sequence(objectIdentifier(id))),
});
const domainValidated = policy('2.23.140.1.2.1');
const extendedValidation = policy('2.23.140.1.1');
const accepted = timestamps(logs.first, logs.other);
const names = (count: number) => [
  'lab.test',
  ...Array.from({ length: count - 1 }, (_, n) => `a${n}.lab.test`),
];
const serial = [0x51, 0x52];
const revokedAt = der(0xa1, time(inDays(-3)));
const staple = Buffer.from(
  writeOcspResponse(
    [{ serial, status: revokedAt, thisUpdate: inDays(-2), nextUpdate: inDays(5) }],
    sealWith(intermediate.key),
  ),
);

const node = (options: TlsServerOptions) => () => openTlsServer(options);
const shown = (own: Issued, ...more: Issued[]) =>
  node(identity(own, ...(more.length > 0 ? more : [intermediate])));
const good = identity(leaf, intermediate);
const careful = shown(leaf);
const rsa = identity(issue({ key: makeKey('rsa2048') }), intermediate);
const weak = (ciphers: string) => ({ ciphers: `${ciphers}:@SECLEVEL=0` });
const paper = (change: Partial<Paper>) => () =>
  openPaperServer({ versions: { 0x0303: [0xc02b] }, certificates: [leaf.der, intermediate.der], ...change });
const dhParameters = (group: 'modp2' | 'modp14') => {
  const prime = createDiffieHellmanGroup(group).getPrime();
  const base64 = Buffer.from(sequence(integer(0, ...prime), integer(2))).toString('base64');
  return `-----BEGIN DH PARAMETERS-----\n${base64}\n-----END DH PARAMETERS-----\n`;
};
const dhe = (group: 'modp2' | 'modp14') =>
  node({
    ...rsa,
    maxVersion: 'TLSv1.2',
    dhparam: dhParameters(group),
    ...weak('DHE-RSA-AES128-GCM-SHA256'),
  });
const plainHttp = () =>
  openTcpServer((socket) => void socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')));

type Row = readonly [
  condition: string,
  open: () => Promise<LabServer>,
  letter: string | null,
  broken: readonly SslCode[],
  host?: string,
];
const rows: readonly Row[] = [
  // Certificates.
  ['1000-sans', shown(issue({ names: names(1000) })), 'A+', []],
  ['10000-sans', shown(issue({ names: names(10_000) })), 'F', ['chain-too-large']],
  [
    'blocked-interception',
    shown(fromKnownBad, knownBad),
    'T',
    ['certificate-root-unknown', 'chain-root-sent'],
  ],
  ['captive-portal', shown(issue({ names: ['portal.test'] })), 'M', ['certificate-name-mismatch']],
  ['ecc256', careful, 'A+', []],
  ['ecc384', shown(issue({ key: makeKey('p384') })), 'A+', []],
  ['expired', shown(issue({ notAfter: inDays(-1) })), 'T', ['certificate-expired']],
  ['extended-validation', shown(issue({ extensions: [extendedValidation, accepted] })), 'A+', []],
  ['incomplete-chain', () => openTlsServer(identity(leaf)), 'B', ['chain-incomplete']],
  [
    'invalid-expected-sct',
    shown(issue({ extensions: [domainValidated, timestamps(logs.other)] })),
    'A+',
    ['certificate-timestamps-few'],
  ],
  ['known-interception', shown(fromKnownBad, knownBad), 'T', ['certificate-root-unknown', 'chain-root-sent']],
  ['no-common-name', shown(issue({ subject: '' })), 'A+', []],
  ['no-sct', shown(issue({ extensions: [domainValidated] })), 'A+', ['certificate-timestamps-few']],
  [
    'no-subject',
    shown(
      issue({
        subject: '',
        names: [],
        extensions: [{ id: extensionIds.subjectAltName, value: sequence(text(0x82, 'lab.test')) }],
      }),
    ),
    'T',
    ['certificate-not-trusted'],
  ],
  ['pinning-test', careful, 'A+', []],
  ['preloaded-expect-ct', shown(issue({ extensions: [domainValidated, accepted] })), 'A+', []],
  ['reversed-chain', shown(leaf, root, intermediate), 'A+', ['chain-misordered', 'chain-root-sent']],
  ['revoked', node({ ...identity(issue({ serial }), intermediate), staple }), 'T', ['certificate-revoked']],
  ['rsa2048', node(rsa), 'A+', []],
  ['rsa4096', shown(issue({ key: makeKey('rsa4096') })), 'A+', []],
  ['self-signed', () => openTlsServer(identity(issue({ issuer: null }))), 'T', ['certificate-self-signed']],
  [
    'sha1-2016',
    node({ ...identity(issue({ hash: 'sha1' }), intermediate), ...weak(soundCiphers) }),
    'T',
    ['certificate-signature-weak'],
  ],
  [
    'sha1-2017',
    node({ ...identity(issue({ hash: 'sha1', notAfter: inDays(30) }), intermediate), ...weak(soundCiphers) }),
    'T',
    ['certificate-signature-weak'],
  ],
  [
    'sha1',
    node({
      ...identity(issue({ hash: 'sha1', key: makeKey('rsa2048') }), intermediate),
      ...weak(soundCiphers),
    }),
    'T',
    ['certificate-signature-weak'],
  ],
  [
    'sha1-intermediate',
    node({ ...identity(leaf, sha1Intermediate), ...weak(soundCiphers) }),
    'T',
    ['certificate-signature-weak'],
  ],
  ['sha256', careful, 'A+', []],
  ['sha384', shown(issue({ hash: 'sha384' })), 'A+', []],
  ['sha512', shown(issue({ hash: 'sha512' })), 'A+', []],
  ['untrusted-root', shown(fromKnownBad, knownBad), 'T', ['certificate-root-unknown', 'chain-root-sent']],
  ['wrong.host', shown(issue({ names: ['*.badssl.test'] })), 'M', ['certificate-name-mismatch']],
  ['an internationalised name', shown(issue({ names: [idn] })), 'A+', [], idn],
  ['spoof', shown(issue({ names: ['*.lab.test'] })), 'A+', [], idn],
  ['a long name', shown(issue({ names: ['*.lab.test'] })), 'A+', [], longName],
  // Known bad: roots and keys that are public.
  ['dsdtestprovider', () => openTlsServer(identity(fromKnownBad)), 'T', ['certificate-not-trusted']],
  ['edellroot', () => openTlsServer(identity(fromKnownBad)), 'T', ['certificate-not-trusted']],
  ['superfish', () => openTlsServer(identity(fromKnownBad)), 'T', ['certificate-not-trusted']],
  ['mitm-software', shown(fromKnownBad, knownBad), 'T', ['certificate-root-unknown', 'chain-root-sent']],
  [
    'preact-cli',
    () => openTlsServer(identity(issue({ issuer: null, names: ['localhost'] }))),
    'T',
    ['certificate-self-signed', 'certificate-name-mismatch'],
  ],
  [
    'webpack-dev-server',
    () => openTlsServer(identity(issue({ issuer: null, names: [] }))),
    'T',
    ['certificate-self-signed', 'certificate-subject-alt-name-missing'],
  ],
  // Suites.
  [
    '3des',
    paper({ versions: { 0x0303: [0xc008] } }),
    'C',
    [
      'aead-missing',
      'chrome-cannot-connect',
      'firefox-cannot-connect',
      'suite-3des-offered',
      'suite-3des-since-tls11',
      'suite-cbc-offered',
      'tls13-missing',
    ],
  ],
  [
    'cbc',
    node({ ...good, maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA' }),
    'B',
    ['aead-missing', 'suite-cbc-offered', 'chrome-cannot-connect', 'tls13-missing'],
  ],
  ['mozilla-modern', node({ ...good, minVersion: 'TLSv1.3' }), 'A+', []],
  ['mozilla-intermediate', careful, 'A+', []],
  [
    'mozilla-old',
    node({ ...good, minVersion: 'TLSv1', ...weak(`${soundCiphers}:ECDHE-ECDSA-AES128-SHA`) }),
    'B',
    ['tls10-offered', 'tls11-offered', 'suite-cbc-offered'],
  ],
  [
    'null',
    paper({ versions: { 0x0303: [0xc006] } }),
    'F',
    [
      'aead-missing',
      'browsers-cannot-connect',
      'handshake-not-completed',
      'suite-null-offered',
      'tls13-missing',
    ],
  ],
  [
    'rc4-md5',
    paper({ versions: { 0x0303: [0x0004] } }),
    'C',
    [
      'aead-missing',
      'browsers-cannot-connect',
      'forward-secrecy-missing',
      'suite-rc4-offered',
      'suite-rc4-since-tls11',
      'suite-without-forward-secrecy-offered',
      'tls13-missing',
    ],
  ],
  [
    'rc4',
    paper({ versions: { 0x0303: [0xc007] } }),
    'C',
    [
      'aead-missing',
      'browsers-cannot-connect',
      'suite-rc4-offered',
      'suite-rc4-since-tls11',
      'tls13-missing',
    ],
  ],
  // Client certificates.
  [
    'client',
    node({ ...good, requestCert: true, rejectUnauthorized: false }),
    'A+',
    ['client-certificate-requested'],
  ],
  [
    'client-cert-missing',
    node({ ...good, requestCert: true, rejectUnauthorized: true }),
    'A',
    ['client-certificate-requested'],
  ],
  // Key exchange.
  [
    'dh480',
    paper({ versions: { 0x0303: [0x009e] }, primeBytes: 60 }),
    'F',
    [
      'browsers-cannot-connect',
      'dh-parameters-small',
      'key-exchange-breakable',
      'suite-finite-field-offered',
      'tls13-missing',
    ],
  ],
  [
    'dh512',
    paper({ versions: { 0x0303: [0x009e] }, primeBytes: 64 }),
    'F',
    [
      'browsers-cannot-connect',
      'dh-parameters-small',
      'key-exchange-breakable',
      'suite-finite-field-offered',
      'tls13-missing',
    ],
  ],
  [
    'dh1024',
    dhe('modp2'),
    'B',
    [
      'browsers-cannot-connect',
      'dh-parameters-small',
      'dh-prime-shared',
      'suite-finite-field-offered',
      'tls13-missing',
    ],
  ],
  ['dh2048', dhe('modp14'), 'A-', ['browsers-cannot-connect', 'suite-finite-field-offered', 'tls13-missing']],
  [
    'dh-composite',
    paper({ versions: { 0x0303: [0x009e] }, primeBytes: 256 }),
    'A-',
    ['browsers-cannot-connect', 'suite-finite-field-offered', 'tls13-missing'],
  ],
  [
    'dh-small-subgroup',
    paper({ versions: { 0x0303: [0x009e] }, primeBytes: 128 }),
    'B',
    ['browsers-cannot-connect', 'dh-parameters-small', 'suite-finite-field-offered', 'tls13-missing'],
  ],
  [
    'static-rsa',
    node({ ...rsa, maxVersion: 'TLSv1.2', ciphers: 'AES128-GCM-SHA256' }),
    'B',
    ['forward-secrecy-missing', 'suite-without-forward-secrecy-offered', 'tls13-missing'],
  ],
  // Versions.
  [
    'ssl-v2',
    paper({ versions: {}, speaksSsl2: true }),
    'F',
    ['sslv2-offered', 'tls-missing', 'tls12-missing', 'tls13-missing'],
  ],
  [
    'ssl-v3',
    paper({ versions: { 0x0300: [0xc00a] } }),
    'F',
    ['aead-missing', 'sslv3-cbc-offered', 'sslv3-offered', 'tls-missing', 'tls12-missing', 'tls13-missing'],
  ],
  [
    'tls-v1-0',
    node({ ...good, minVersion: 'TLSv1', maxVersion: 'TLSv1', ...weak('ALL:!aNULL') }),
    'C',
    ['tls10-offered', 'tls12-missing', 'tls13-missing', 'aead-missing'],
  ],
  [
    'tls-v1-1',
    node({ ...good, minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ...weak('ALL:!aNULL') }),
    'C',
    ['tls11-offered', 'tls12-missing', 'tls13-missing', 'aead-missing'],
  ],
  ['tls-v1-2', node({ ...good, maxVersion: 'TLSv1.2' }), 'A-', ['tls13-missing']],
  // Pages: the TLS server is the usual one, with HSTS or without.
  ['hsts', careful, 'A+', []],
  [
    'upgrade',
    node({ ...good, response: 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n' }),
    'A-',
    ['hsts-missing'],
  ],
  ['http', plainHttp, 'F', ['port-speaks-http']],
];

test.for(rows)('%s', async ([, open, letter, broken, host = 'lab.test']) => {
  const server = await open();
  const seen = await lab.check(server.port, host);
  await server.close();
  expect({ broken: [...seen.broken].sort(), letter: seen.report['sslLabsEquivalent'] }).toEqual({
    broken: [...broken].sort(),
    letter,
  });
  expect(seen.evidence.connections).toBeLessThanOrEqual(45);
});

test('there are 64 conditions', () => {
  expect(new Set(rows.map(([condition]) => condition)).size).toBe(64);
});

test.for([
  ['mozilla-modern', 'modern'],
  ['mozilla-intermediate', 'intermediate'],
  ['mozilla-old', 'old'],
  ['rc4', 'none'],
])('%s fits the profile %s', async ([condition, mozillaProfile]) => {
  const server = await rows.find(([name]) => name === condition)?.[1]();
  if (server === undefined) throw new Error('no such condition');
  const { report } = await lab.check(server.port);
  await server.close();
  expect(report).toMatchObject({ mozillaProfile });
});
