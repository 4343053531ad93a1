import { afterAll, describe, expect, test } from 'vitest';
import type { SslCode } from '#shared/catalogue/ssl-check/rules';
import { freePort } from '../../kit/programs.ts';
import { type Issued, issueCertificate, makeKey, sealWith } from '../../unit/ssl-check/issue-certificate.ts';
import { der, time, writeOcspResponse } from '../../unit/ssl-check/write-der.ts';
import { inDays, openSslLab } from './lab.ts';
import { openNginx } from './nginx.ts';
import type { LabServer } from './servers.ts';
import { hasTool, makeFolder, startServer } from './tools.ts';

const lab = await openSslLab({
  zone: { 'lab.test': { A: ['127.0.0.1'], CAA: [{ flags: 0, tag: 'issue', value: 'ca.test' }] } },
});
afterAll(() => lab.close());

const { leaf, intermediate, root } = lab;
const dates = { notBefore: inDays(-30), notAfter: inDays(60) };
const own = { subject: 'lab.test', issuer: intermediate, names: ['lab.test'], ...dates };
const rsa = issueCertificate({ ...own, key: makeKey('rsa2048') });
const revoked = issueCertificate({ ...own, serial: [0x61] });
const staple = writeOcspResponse(
  [{ serial: [0x61], status: der(0xa1, time(inDays(-3))), thisUpdate: inDays(-1), nextUpdate: inDays(5) }],
  sealWith(intermediate.key),
);
const sound = 'ssl_ciphers ECDHE+AESGCM;';
const noPq = 'group-post-quantum-missing' as const; // OpenSSL 3.0 has no ML-KEM

type SetUp = readonly [
  name: string,
  open: () => Promise<LabServer>,
  letter: string | null,
  broken: readonly SslCode[],
];
/** What is seen of a set-up, in the form in which rows say it. */
const examine = async ([, open]: SetUp) => {
  const server = await open();
  const { broken, report, evidence } = await lab.check(server.port);
  await server.close();
  return {
    letter: report['sslLabsEquivalent'],
    broken: broken.filter((code) => code !== noPq).sort(),
    isPolite: evidence.connections <= 45,
  };
};
const wanted = ([, , letter, broken]: SetUp) => ({ letter, broken: [...broken].sort(), isPolite: true });

const nginx =
  (lines: readonly string[], chain: readonly Issued[] = [leaf, intermediate], listen?: string) =>
  () =>
    openNginx(chain, lines, listen, { 'staple.der': staple });
const nginxSetUps: readonly SetUp[] = [
  ['a careful server', nginx([sound, 'ssl_protocols TLSv1.2 TLSv1.3;']), 'A+', []],
  ['RSA 2048', nginx([sound, 'ssl_protocols TLSv1.2 TLSv1.3;'], [rsa, intermediate]), 'A+', []],
  [
    'early data',
    nginx([sound, 'ssl_early_data on;', 'ssl_protocols TLSv1.2 TLSv1.3;']),
    'A+',
    ['early-data-offered'],
  ],
  [
    'a stapled revocation',
    nginx(
      [sound, 'ssl_protocols TLSv1.2 TLSv1.3;', 'ssl_stapling on;', 'ssl_stapling_file staple.der;'],
      [revoked, intermediate],
    ),
    'T',
    ['certificate-revoked'],
  ],
  [
    'TLS 1.0 to 1.2',
    nginx([
      'ssl_ciphers ECDHE+AESGCM:ECDHE-ECDSA-AES128-SHA:@SECLEVEL=0;',
      'ssl_protocols TLSv1 TLSv1.1 TLSv1.2;',
    ]),
    'B',
    ['tls10-offered', 'tls11-offered', 'tls13-missing', 'suite-cbc-offered'],
  ],
  [
    'a client certificate is asked for',
    nginx([sound, 'ssl_verify_client optional_no_ca;', 'ssl_protocols TLSv1.2 TLSv1.3;']),
    'A+',
    ['client-certificate-requested'],
  ],
  [
    'no HTTP/2',
    nginx([sound, 'ssl_protocols TLSv1.2 TLSv1.3;'], [leaf, intermediate], 'ssl'),
    'A+',
    ['alpn-h2-missing'],
  ],
  ['plain HTTP', nginx([], [leaf], ''), 'F', ['port-speaks-http']],
  ['no server for the name', nginx([sound, 'ssl_reject_handshake on;']), null, ['tls-alert']],
  [
    'the root sent along',
    nginx([sound, 'ssl_protocols TLSv1.2 TLSv1.3;'], [leaf, intermediate, root]),
    'A+',
    ['chain-root-sent'],
  ],
];
describe.skipIf(!hasTool('nginx', '-v'))('nginx', () => {
  test.for(nginxSetUps)('%s', async (setUp) => {
    expect(await examine(setUp)).toEqual(wanted(setUp));
  });
});

const serve =
  (chain: readonly Issued[], ...more: readonly string[]) =>
  async () => {
    const port = await freePort();
    const folder = makeFolder({
      'leaf.pem': chain[0]?.certPem ?? '',
      'key.pem': chain[0]?.keyPem ?? '',
      'chain.pem': chain
        .slice(1)
        .map(({ certPem }) => certPem)
        .join(''),
      'staple.der': staple,
    });
    const identity = [
      '-cert',
      'leaf.pem',
      '-key',
      'key.pem',
      ...(chain.length > 1 ? ['-cert_chain', 'chain.pem'] : []),
    ];
    return startServer(
      ['openssl', 's_server', '-accept', `127.0.0.1:${port}`, '-www', '-quiet', ...identity, ...more],
      port,
      folder,
    );
  };
const gcm = ['-cipher', 'ECDHE+AESGCM'];
const both = [leaf, intermediate];
const alpn = ['-alpn', 'h2,http/1.1'];
const serverSetUps: readonly SetUp[] = [
  ['its defaults without weak suites', serve(both, ...gcm, ...alpn), 'A-', ['hsts-missing']],
  ['TLS 1.2 alone', serve(both, ...gcm, ...alpn, '-tls1_2'), 'A-', ['tls13-missing', 'hsts-missing']],
  ['TLS 1.3 alone', serve(both, ...alpn, '-tls1_3'), 'A-', ['hsts-missing']],
  [
    'TLS 1.0 alone',
    serve(both, '-tls1', '-cipher', 'ECDHE-ECDSA-AES128-SHA:@SECLEVEL=0'),
    'C',
    ['tls10-offered', 'tls12-missing', 'tls13-missing', 'aead-missing'],
  ],
  [
    'NULL beside GCM',
    serve([rsa, intermediate], '-cipher', 'ECDHE+AESGCM:NULL-SHA256:@SECLEVEL=0', ...alpn),
    'F',
    ['suite-null-offered', 'suite-without-forward-secrecy-offered', 'hsts-missing'],
  ],
  [
    'anonymous beside GCM',
    serve(both, '-cipher', 'ECDHE-ECDSA-AES128-GCM-SHA256:AECDH-AES128-SHA:@SECLEVEL=0', ...alpn),
    'F',
    ['suite-anonymous-offered', 'suite-cbc-offered', 'tls10-offered', 'tls11-offered', 'hsts-missing'],
  ],
  ['no intermediate', serve([leaf], ...gcm, ...alpn), 'B', ['chain-incomplete', 'hsts-missing']],
  [
    'SHA-1 in the signature of the key exchange',
    serve(
      [rsa, intermediate],
      ...alpn,
      '-tls1_2',
      '-cipher',
      'ECDHE-RSA-AES128-GCM-SHA256:@SECLEVEL=0',
      '-sigalgs',
      'RSA+SHA1',
    ),
    'A-',
    ['chrome-cannot-connect', 'key-exchange-signature-weak', 'tls13-missing'],
  ],
  [
    'P-224 for the key exchange',
    serve(
      both,
      ...alpn,
      '-tls1_2',
      '-cipher',
      'ECDHE-ECDSA-AES128-GCM-SHA256:@SECLEVEL=0',
      '-named_curve',
      'secp224r1',
    ),
    'A-',
    ['browsers-cannot-connect', 'group-deprecated-chosen', 'tls13-missing'],
  ],
  [
    'a client certificate is asked for',
    serve(both, ...gcm, ...alpn, '-verify', '2', '-verify_quiet'),
    'A-',
    ['client-certificate-requested', 'hsts-missing'],
  ],
];
describe.skipIf(!hasTool('openssl', 'version'))('openssl s_server', () => {
  test.for(serverSetUps)('%s', async (setUp) => {
    expect(await examine(setUp)).toEqual(wanted(setUp));
  });
});
