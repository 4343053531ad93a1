import { createDiffieHellmanGroup } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { afterAll, expect, test } from 'vitest';
import type { SslCode } from '#shared/catalogue/ssl-check/rules';
import { extensionIds } from '../../../worker/certificates/grammar/certificate-extensions.ts';
import { type Issued, issueCertificate, makeKey, sealWith } from '../../unit/ssl-check/issue-certificate.ts';
import { der, integer, sequence, time, writeOcspResponse } from '../../unit/ssl-check/write-der.ts';
import { inDays, leafIssuer, openSslLab } from './lab.ts';
import { openPaperServer, type Paper } from './paper-server.ts';
import { identity, openTlsServer, soundCiphers, type TlsServerOptions } from './servers.ts';

const lab = await openSslLab({
  zone: {
    'lab.test': { A: ['127.0.0.1'], CAA: [{ flags: 0, tag: 'issue', value: 'ca.test' }] },
  },
});
afterAll(() => lab.close());

const { root, intermediate, leaf } = lab;
const issue = leafIssuer(intermediate);
const years = { notBefore: inDays(-400), notAfter: inDays(4000), isAuthority: true };
const otherIntermediate = issueCertificate({ subject: 'Other Intermediate', issuer: root, ...years });
const privateRoot = issueCertificate({ subject: 'Private Root', issuer: null, ...years });
const expiredIntermediate = issueCertificate({
  subject: 'Lab Intermediate',
  issuer: root,
  key: intermediate.key,
  isAuthority: true,
  notBefore: inDays(-400),
  notAfter: inDays(-2),
});
const mustStaple = [{ id: extensionIds.tlsFeature, value: sequence(integer(5)) }];
const serial = [0x51, 0x52];
const stapleOf = (status: Uint8Array, about = serial, nextUpdate = inDays(5)) =>
  Buffer.from(
    writeOcspResponse(
      [{ serial: about, status, thisUpdate: inDays(-2), nextUpdate }],
      sealWith(intermediate.key),
    ),
  );

const node = (options: TlsServerOptions) => () => openTlsServer(options);
const shown = (own: Issued, ...more: Issued[]) =>
  node(identity(own, ...(more.length > 0 ? more : [intermediate])));
const good = identity(leaf, intermediate);
const weak = (ciphers: string) => ({ ciphers: `${ciphers}:@SECLEVEL=0` });
const rsa = issue({ key: makeKey('rsa2048') });
const rsaGood = identity(rsa, intermediate);
const dhParameters = (group: 'modp2' | 'modp14') => {
  const prime = createDiffieHellmanGroup(group).getPrime();
  const base64 = Buffer.from(sequence(integer(0, ...prime), integer(2))).toString('base64');
  return `-----BEGIN DH PARAMETERS-----\n${base64}\n-----END DH PARAMETERS-----\n`;
};
const tls13Missing = ['tls13-missing'] as const;
const paper = (change: Partial<Paper>) => () =>
  openPaperServer({ versions: { 0x0303: [0xc02b] }, certificates: [leaf.der, intermediate.der], ...change });
/** On paper nothing can be agreed on, so that neither TLS 1.3 nor HSTS is there, and the group is P-256. */
const onPaper = ['tls13-missing', 'handshake-not-completed'] as const;

type SetUp = readonly [
  name: string,
  open: () => ReturnType<typeof openTlsServer>,
  letter: string | null,
  broken: readonly SslCode[],
];
const setUps: readonly SetUp[] = [
  ['a careful server', shown(leaf), 'A+', []],
  ['RSA 2048', node(rsaGood), 'A+', []],
  [
    'RSA and ECDSA side by side',
    node({ key: [good.key, rsaGood.key], cert: [good.cert, rsaGood.cert] }),
    'A+',
    [],
  ],
  ['expired', shown(issue({ notAfter: inDays(-1) })), 'T', ['certificate-expired']],
  ['not valid yet', shown(issue({ notBefore: inDays(1) })), 'T', ['certificate-not-yet-valid']],
  ['two days left', shown(issue({ notAfter: inDays(2) })), 'A+', ['certificate-expires-within-days']],
  ['a week left of 37 days', shown(issue({ notAfter: inDays(7) })), 'A+', ['certificate-expires-soon']],
  ['another name', shown(issue({ names: ['other.test'] })), 'M', ['certificate-name-mismatch']],
  [
    'a wildcard for its own parent',
    shown(issue({ names: ['*.lab.test'] })),
    'M',
    ['certificate-name-mismatch'],
  ],
  [
    'the name in the common name only',
    shown(issue({ names: [] })),
    'M',
    ['certificate-subject-alt-name-missing'],
  ],
  ['self-signed', () => openTlsServer(identity(issue({ issuer: null }))), 'T', ['certificate-self-signed']],
  [
    'a private root, sent along',
    shown(issue({ issuer: privateRoot }), privateRoot),
    'T',
    ['certificate-root-unknown', 'chain-root-sent'],
  ],
  ['no intermediate', () => openTlsServer(identity(leaf)), 'B', ['chain-incomplete']],
  [
    'another intermediate',
    shown(leaf, otherIntermediate),
    'B',
    ['chain-intermediate-wrong', 'chain-surplus'],
  ],
  ['an expired intermediate', shown(leaf, expiredIntermediate), 'T', ['chain-certificate-expired']],
  ['the root sent along', shown(leaf, intermediate, root), 'A+', ['chain-root-sent']],
  ['a certificate too many', shown(leaf, intermediate, otherIntermediate), 'A+', ['chain-surplus']],
  ['the wrong order', shown(leaf, root, intermediate), 'A+', ['chain-misordered', 'chain-root-sent']],
  ['201 days', shown(issue({ notAfter: inDays(171.5) })), 'A+', ['certificate-lifetime-long']],
  [
    'SHA-1',
    node({ ...identity(issue({ hash: 'sha1' }), intermediate), ...weak(soundCiphers) }),
    'T',
    ['certificate-signature-weak'],
  ],
  [
    'RSA 1024',
    node({ ...identity(issue({ key: makeKey('rsa1024') }), intermediate), ...weak(soundCiphers) }),
    'B',
    ['certificate-key-small'],
  ],
  [
    'Ed25519',
    shown(issue({ key: makeKey('ed25519') })),
    'A+',
    ['certificate-key-type-unsupported', 'browsers-cannot-connect'],
  ],
  [
    'P-224',
    shown(issue({ key: makeKey('p224') })),
    'F',
    [
      'browsers-cannot-connect',
      'certificate-key-type-unsupported',
      'handshake-not-completed',
      ...tls13Missing,
    ],
  ],
  [
    'must-staple without a staple',
    shown(issue({ extensions: mustStaple })),
    'A+',
    ['must-staple-not-stapled'],
  ],
  [
    'must-staple with a staple',
    node({
      ...identity(issue({ extensions: mustStaple, serial }), intermediate),
      staple: stapleOf(der(0x80)),
    }),
    'A+',
    [],
  ],
  [
    'a stapled revocation',
    node({ ...identity(issue({ serial }), intermediate), staple: stapleOf(der(0xa1, time(inDays(-3)))) }),
    'T',
    ['certificate-revoked'],
  ],
  [
    'a staple that has run out',
    node({ ...identity(issue({ serial }), intermediate), staple: stapleOf(der(0x80), serial, inDays(-1)) }),
    'A+',
    ['ocsp-staple-outdated'],
  ],
  [
    'a staple about another',
    node({ ...identity(issue({ serial }), intermediate), staple: stapleOf(der(0x80), [0x77]) }),
    'A+',
    ['ocsp-staple-invalid'],
  ],
  [
    'TLS 1.0 alone',
    node({ ...good, minVersion: 'TLSv1', maxVersion: 'TLSv1', ...weak('ALL:!aNULL') }),
    'C',
    ['tls10-offered', 'tls12-missing', ...tls13Missing, 'aead-missing'],
  ],
  [
    'TLS 1.1 alone',
    node({ ...good, minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ...weak('ALL:!aNULL') }),
    'C',
    ['tls11-offered', 'tls12-missing', ...tls13Missing, 'aead-missing'],
  ],
  ['TLS 1.2 alone', node({ ...good, maxVersion: 'TLSv1.2' }), 'A-', tls13Missing],
  ['TLS 1.3 alone', node({ ...good, minVersion: 'TLSv1.3' }), 'A+', []],
  [
    'TLS 1.0 to 1.3',
    node({ ...good, minVersion: 'TLSv1', ...weak(`${soundCiphers}:ECDHE-ECDSA-AES128-SHA`) }),
    'B',
    ['tls10-offered', 'tls11-offered', 'suite-cbc-offered'],
  ],
  [
    'RSA key exchange alone',
    node({ ...rsaGood, maxVersion: 'TLSv1.2', ciphers: 'AES128-GCM-SHA256' }),
    'B',
    ['forward-secrecy-missing', 'suite-without-forward-secrecy-offered', ...tls13Missing],
  ],
  [
    'CBC alone',
    node({ ...good, maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA' }),
    'B',
    ['aead-missing', 'suite-cbc-offered', 'chrome-cannot-connect', ...tls13Missing],
  ],
  [
    'a prime of 1024 bits',
    node({
      ...rsaGood,
      maxVersion: 'TLSv1.2',
      dhparam: dhParameters('modp2'),
      ...weak('DHE-RSA-AES128-GCM-SHA256'),
    }),
    // Browsers have no suite with a prime any more.
    'B',
    [
      'browsers-cannot-connect',
      'dh-parameters-small',
      'dh-prime-shared',
      'suite-finite-field-offered',
      ...tls13Missing,
    ],
  ],
  [
    'a prime of 2048 bits',
    node({
      ...rsaGood,
      dhparam: dhParameters('modp14'),
      ciphers: `${soundCiphers}:DHE-RSA-AES128-GCM-SHA256`,
    }),
    'A+',
    ['suite-finite-field-offered'],
  ],
  [
    'no encryption as well',
    node({ ...rsaGood, ...weak(`${soundCiphers}:NULL-SHA256`) }),
    'F',
    ['suite-null-offered', 'suite-without-forward-secrecy-offered'],
  ],
  [
    'no authentication as well',
    node({ ...rsaGood, ...weak(`${soundCiphers}:AECDH-AES128-SHA`) }),
    'F',
    ['suite-anonymous-offered', 'suite-cbc-offered'],
  ],
  [
    'a post-quantum group alone',
    node({ ...good, minVersion: 'TLSv1.3', ecdhCurve: 'X25519MLKEM768' }),
    'A+',
    [],
  ],
  [
    'no post-quantum group',
    node({ ...good, ecdhCurve: 'X25519:P-256' }),
    'A+',
    ['group-post-quantum-missing'],
  ],
  ['no HTTP/2', node({ ...good, ALPNProtocols: ['http/1.1'] }), 'A+', ['alpn-h2-missing']],
  ['ALPN that fits nobody', node({ ...good, ALPNProtocols: ['imap'] }), 'A', ['alpn-refused']],
  [
    'a client certificate is required',
    node({ ...good, requestCert: true, rejectUnauthorized: true }),
    'A',
    ['client-certificate-requested'],
  ],
  [
    'a client certificate is asked for',
    node({ ...good, requestCert: true, rejectUnauthorized: false }),
    'A+',
    ['client-certificate-requested'],
  ],
  [
    'a client certificate is required in TLS 1.2',
    node({ ...good, requestCert: true, rejectUnauthorized: true, maxVersion: 'TLSv1.2' }),
    'A-',
    ['client-certificate-requested', ...tls13Missing],
  ],
  [
    'SNI required',
    node({
      SNICallback: (name, done) =>
        name === 'lab.test' ? done(null, createSecureContext(good)) : done(new Error('unknown')),
    }),
    'A+',
    ['sni-required'],
  ],
  [
    'another certificate without SNI',
    node({
      ...identity(issue({ names: ['default.test'] }), intermediate),
      SNICallback: (_name, done) => done(null, createSecureContext({ ...good, ciphers: soundCiphers })),
    }),
    'A+',
    ['sni-default-differs'],
  ],
  [
    'no HSTS',
    node({ ...good, response: 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n' }),
    'A-',
    ['hsts-missing'],
  ],
  [
    'HSTS for a day',
    node({
      ...good,
      response: 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\nStrict-Transport-Security: max-age=86400\r\n\r\n',
    }),
    'A-',
    ['hsts-short'],
  ],
  ['SSL 2.0', paper({ speaksSsl2: true }), 'F', ['sslv2-offered', ...onPaper]],
  [
    'SSL 3.0 alone',
    paper({ versions: { 0x0300: [0xc00a] } }),
    'F',
    ['tls-missing', 'tls12-missing', 'tls13-missing', 'sslv3-offered', 'sslv3-cbc-offered', 'aead-missing'],
  ],
  [
    'SSL 3.0 with RC4 beside TLS 1.2',
    paper({ versions: { 0x0300: [0xc007], 0x0303: [0xc02b] } }),
    'F',
    ['sslv3-offered', 'suite-rc4-offered', ...onPaper],
  ],
  [
    'RC4 alone',
    paper({ versions: { 0x0303: [0xc007] } }),
    'C',
    [
      'browsers-cannot-connect',
      'suite-rc4-offered',
      'suite-rc4-since-tls11',
      'aead-missing',
      // Our OpenSSL has no RC4: that no handshake is completed is no fault of the server.
      ...onPaper.filter((code) => code !== 'handshake-not-completed'),
    ],
  ],
  [
    '3DES beside AES',
    paper({ versions: { 0x0303: [0xc02b, 0xc008] } }),
    'F',
    ['suite-3des-offered', 'suite-3des-since-tls11', 'suite-cbc-offered', ...onPaper],
  ],
  [
    'export suites',
    paper({ versions: { 0x0301: [0x0014], 0x0303: [0xc02b] }, primeBytes: 64 }),
    'F',
    [
      'suite-export-offered',
      'tls10-offered',
      'key-exchange-breakable',
      'dh-parameters-small',
      'suite-finite-field-offered',
      ...onPaper,
    ],
  ],
  [
    'DES',
    paper({ versions: { 0x0303: [0xc02b, 0x0015] } }),
    'F',
    ['suite-short-key-offered', 'suite-cbc-offered', 'suite-finite-field-offered', ...onPaper],
  ],
  [
    'a prime of 512 bits',
    paper({ versions: { 0x0303: [0x009e] }, primeBytes: 64 }),
    'F',
    [
      'browsers-cannot-connect',
      'key-exchange-breakable',
      'dh-parameters-small',
      'suite-finite-field-offered',
      // Primes of the server's choice are not computed with, so whether a handshake would end well is not known.
      ...onPaper.filter((code) => code !== 'handshake-not-completed'),
    ],
  ],
  ['compression', paper({ compression: true }), 'F', ['compression-offered', ...onPaper]],
  [
    'no secure renegotiation',
    paper({ secureRenegotiation: false }),
    'F',
    ['secure-renegotiation-missing', ...onPaper],
  ],
  [
    'no extended master secret',
    paper({ extendedMasterSecret: false }),
    'F',
    ['extended-master-secret-missing', ...onPaper],
  ],
];

test.for(setUps)('%s', async ([, open, letter, broken]) => {
  const server = await open();
  const seen = await lab.check(server.port);
  await server.close();
  expect([...seen.broken].sort()).toEqual([...broken].sort());
  expect(seen.report).toMatchObject({ sslLabsEquivalent: letter });
  expect(seen.evidence.connections).toBeLessThanOrEqual(45);
});

test.for([
  ['OpenSSL', node({ ...good, minVersion: 'TLSv1', ...weak(soundCiphers) }), null],
  [
    'OpenSSL with TLS 1.0',
    node({ ...good, minVersion: 'TLSv1', ...weak(`${soundCiphers}:ECDHE-ECDSA-AES128-SHA`) }),
    true,
  ],
  [
    'a server that does not know the signal',
    paper({ versions: { 0x0301: [0xc009], 0x0303: [0xc02b] } }),
    false,
  ],
] as const)('whether %s refuses a client that falls back', async ([, open, fallbackRefused]) => {
  const server = await open();
  const { report } = await lab.check(server.port);
  await server.close();
  expect(report).toMatchObject({ fallbackRefused });
});
