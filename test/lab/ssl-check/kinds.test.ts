import { afterAll, expect, test } from 'vitest';
import { extensionIds } from '../../../worker/certificates/grammar/certificate-extensions.ts';
import { suites } from '../../../worker/checks/ssl-check/grammar/suites.ts';
import { type Issued, issueCertificate, makeKey, sealWith } from '../../unit/ssl-check/issue-certificate.ts';
import {
  der,
  objectIdentifier,
  sequence,
  text,
  time,
  writeOcspResponse,
} from '../../unit/ssl-check/write-der.ts';
import { inDays, leafIssuer, openSslLab } from './lab.ts';
import { openPaperServer } from './paper-server.ts';
import { identity, openTlsServer, soundCiphers, type TlsServerOptions } from './servers.ts';

// Kinds of servers that people have, each judged as an expert would, by what browsers and the rating guide do.
const lab = await openSslLab({
  zone: {
    'lab.test': { A: ['127.0.0.1'], CAA: [{ flags: 0, tag: 'issue', value: 'ca.test' }] },
    'www.lab.test': { A: ['127.0.0.1'], CAA: [{ flags: 0, tag: 'issue', value: 'ca.test' }] },
    'a.www.lab.test': { A: ['127.0.0.1'], CAA: [{ flags: 0, tag: 'issue', value: 'ca.test' }] },
  },
});
afterAll(() => lab.close());

const { root, intermediate, leaf } = lab;
const issue = leafIssuer(intermediate);
const years = { notBefore: inDays(-400), notAfter: inDays(4000), isAuthority: true };
const node = (options: TlsServerOptions) => () => openTlsServer(options);
const shown = (own: Issued, ...more: Issued[]) =>
  node(identity(own, ...(more.length > 0 ? more : [intermediate])));
const weakly = (options: TlsServerOptions) => node({ ...options, ciphers: `${soundCiphers}:@SECLEVEL=0` });

const constraints = (kind: 0xa0 | 0xa1, name: string) => ({
  id: '2.5.29.30',
  isCritical: true,
  value: sequence(der(kind, sequence(text(0x82, name)))),
});
const authority = (
  subject: string,
  issuer: Issued,
  more: Partial<Parameters<typeof issueCertificate>[0]> = {},
) => issueCertificate({ subject, issuer, ...years, ...more });
const forOthers = authority('CA of others', root, { extensions: [constraints(0xa0, 'other.test')] });
const forUs = authority('CA of ours', root, { extensions: [constraints(0xa0, 'lab.test')] });
const notForUs = authority('CA without us', root, { extensions: [constraints(0xa1, 'lab.test')] });
const expiredCross = authority('Lab Intermediate', root, { key: intermediate.key, notAfter: inDays(-3) });
const oldRoot = issueCertificate({ subject: 'Old Root', issuer: null, ...years, notAfter: inDays(-10) });
const crossOfOld = authority('Lab Root', oldRoot, { key: root.key, notAfter: inDays(-10) });
const noAuthority = issue({ names: ['ca.lab.test'] });
const steps = (count: number): readonly Issued[] =>
  Array.from({ length: count }).reduce<readonly Issued[]>(
    (above, _, index) => [authority(`Step ${index}`, above[0] ?? root), ...above],
    [],
  );
const sixSteps = steps(6);
const sevenSteps = steps(7);
const clientOnly = {
  id: '2.5.29.37',
  value: sequence(objectIdentifier('1.3.6.1.5.5.7.3.2')),
};
const addressOnly = {
  id: extensionIds.subjectAltName,
  value: sequence(der(0x87, Uint8Array.of(127, 0, 0, 1))),
};
const serial = [0x71, 0x72];
const staple = Buffer.from(
  writeOcspResponse(
    [{ serial, status: der(0xa1, time(inDays(-3))), thisUpdate: inDays(-2), nextUpdate: inDays(5) }],
    sealWith(intermediate.key),
  ),
);
const rsa = (bits: 'rsa1024' | 'rsa2048', more = {}) => issue({ key: makeKey(bits), ...more });
const idsOf = (pattern: RegExp) =>
  [...suites.values()].flatMap(({ id, name }) => (pattern.test(name) ? [id] : []));
const onPaper = (versions: { readonly [wire: number]: readonly number[] }) => () =>
  openPaperServer({ versions, certificates: [rsa2048.der, intermediate.der] });
const rsa2048 = rsa('rsa2048');

type Row = readonly [
  kind: string,
  open: () => ReturnType<typeof openTlsServer>,
  expected: {
    readonly letter: string | null;
    readonly grade: string | null;
    readonly trusted: boolean | null;
    /** Broken for certain; what else is broken is another test's. */
    readonly broken: readonly string[];
    readonly sound?: readonly string[];
  },
  host?: string,
];
const fine = { letter: 'A+', grade: 'A+', trusted: true, broken: [] } as const;
const bad = (code: string, letter = 'T') => ({ letter, grade: 'F', trusted: false, broken: [code] });

const rows: readonly Row[] = [
  [
    'a CA that may only issue for others',
    shown(issue({ issuer: forOthers }), forOthers),
    bad('certificate-not-trusted'),
  ],
  ['a CA that may only issue for us', shown(issue({ issuer: forUs }), forUs), fine],
  [
    'a CA that may not issue for us',
    shown(issue({ issuer: notForUs }), notForUs),
    bad('certificate-not-trusted'),
  ],
  [
    'an expired cross-certificate beside the good one',
    shown(leaf, intermediate, crossOfOld),
    { ...fine, sound: ['chain-certificate-expired'] },
  ],
  [
    'the expired one of two intermediates first',
    shown(leaf, expiredCross, intermediate),
    { ...fine, sound: ['certificate-expired'] },
  ],
  ['only the expired one of two intermediates', shown(leaf, expiredCross), bad('chain-certificate-expired')],
  [
    'an intermediate that is no CA',
    shown(issue({ issuer: noAuthority }), noAuthority, intermediate),
    bad('certificate-not-trusted'),
  ],
  ['six intermediates', shown(issue({ issuer: sixSteps[0] as Issued }), ...sixSteps), fine],
  // Firefox follows no more than six.
  [
    'seven intermediates',
    shown(issue({ issuer: sevenSteps[0] as Issued }), ...sevenSteps),
    bad('certificate-not-trusted'),
  ],
  ['a certificate for clients', shown(issue({ extensions: [clientOnly] })), bad('certificate-not-trusted')],
  [
    'an address as its only name',
    shown(issue({ names: [], subject: 'box', extensions: [addressOnly] })),
    bad('certificate-name-mismatch', 'M'),
  ],
  [
    'a wildcard one label too short',
    shown(issue({ names: ['*.lab.test'] })),
    bad('certificate-name-mismatch', 'M'),
    'a.www.lab.test',
  ],
  ['a wildcard that fits', shown(issue({ names: ['*.lab.test'] })), fine, 'www.lab.test'],
  [
    'a wildcard in the middle of a label',
    shown(issue({ names: ['w*.lab.test'] })),
    bad('certificate-name-mismatch', 'M'),
    'www.lab.test',
  ],
  [
    'a wildcard for a whole suffix',
    shown(issue({ names: ['*.test'] })),
    bad('certificate-name-mismatch', 'M'),
  ],
  ['capital letters in the name', shown(issue({ names: ['LAB.Test'] })), fine],
  [
    'an RSA key of 1024 bits',
    weakly(identity(rsa('rsa1024'), intermediate)),
    { letter: 'B', grade: 'B', trusted: true, broken: ['certificate-key-small'] },
  ],
  [
    'a missing intermediate',
    () => openTlsServer(identity(leaf)),
    { letter: 'B', grade: 'B', trusted: false, broken: ['chain-incomplete'] },
  ],
  [
    'an expired RSA certificate beside a good one with ECDSA',
    node({
      key: [leaf.keyPem, rsa2048.keyPem],
      cert: [
        identity(leaf, intermediate).cert,
        identity(rsa('rsa2048', { key: rsa2048.key, notAfter: inDays(-2) }), intermediate).cert,
      ],
    }),
    { letter: 'T', grade: 'F', trusted: true, broken: ['certificate-expired'] },
  ],
  [
    'a stapled revocation',
    node({ ...identity(issue({ serial }), intermediate), staple }),
    bad('certificate-revoked'),
  ],
  [
    'a life that ends before it begins',
    shown(issue({ notBefore: inDays(10), notAfter: inDays(5) })),
    bad('certificate-not-yet-valid'),
  ],
  [
    '3DES, RC4 and export suites beside good ones',
    onPaper({ 0x0303: [0xc02f, ...idsOf(/3DES_EDE|RC4/)] }),
    {
      letter: 'F',
      grade: 'F',
      trusted: true,
      broken: ['suite-export-offered', 'suite-rc4-offered', 'suite-3des-offered', 'suite-anonymous-offered'],
    },
  ],
  [
    'TLS 1.0 alone',
    node({
      ...identity(leaf, intermediate),
      minVersion: 'TLSv1',
      maxVersion: 'TLSv1',
      ciphers: 'ALL:!aNULL:@SECLEVEL=0',
    }),
    { letter: 'C', grade: 'F', trusted: true, broken: ['tls10-offered', 'tls12-missing'] },
  ],
];

test.for(rows)('%s', async ([, open, { letter, grade, trusted, broken, sound = [] }, host = 'lab.test']) => {
  const server = await open();
  const seen = await lab.check(server.port, host);
  await server.close();
  const { report } = seen;
  expect({
    letter: report['sslLabsEquivalent'],
    trusted: (report['trust'] as unknown as { trusted: boolean }).trusted,
    missing: broken.filter((code) => !seen.broken.includes(code)),
  }).toEqual({ letter, trusted, missing: [] });
  expect(report.grade).toBe(grade);
  expect(seen.broken.filter((code) => sound.includes(code))).toEqual([]);
});
