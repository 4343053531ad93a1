import { afterAll, describe, expect, test } from 'vitest';
import {
  type Issued,
  issueCertificate,
  makeKey,
  type Wishes,
} from '../../unit/ssl-check/issue-certificate.ts';
import { inDays, openSslLab } from './lab.ts';
import { openNginx } from './nginx.ts';
import { identity, type LabServer, openTlsServer } from './servers.ts';
import { freePort, hasTool, makeFolder, startServer } from './tools.ts';

const lab = await openSslLab({
  zone: { 'lab.test': { A: ['127.0.0.1'], CAA: [{ flags: 0, tag: 'issue', value: 'ca.test' }] } },
});
afterAll(() => lab.close());

const issue = (wishes: Partial<Wishes> = {}) =>
  issueCertificate({
    subject: 'lab.test',
    issuer: lab.intermediate,
    names: ['lab.test'],
    notBefore: inDays(-30),
    notAfter: inDays(60),
    ...wishes,
  });
const key = makeKey('rsa2048');
const rsa = issue({ key });
const expired = { notAfter: inDays(-1) };

/** A chain with a key of either kind, own certificate first. */
type Pair = { readonly ecdsa: readonly Issued[]; readonly rsa: readonly Issued[] };
const bySelf = (own: Issued) => [own, lab.intermediate];
const good: Pair = { ecdsa: bySelf(lab.leaf), rsa: bySelf(rsa) };
const ecdsaExpired: Pair = { ...good, ecdsa: bySelf(issue(expired)) };
const rsaExpired: Pair = { ...good, rsa: bySelf(issue({ key, ...expired })) };
const rsaIncomplete: Pair = { ...good, rsa: [rsa] };

type Open = (pair: Pair, version?: 'TLSv1.2' | 'TLSv1.3') => Promise<LabServer>;

const node: Open = ({ ecdsa, rsa: second }, version) => {
  const both = [ecdsa, second].map(([own = rsa, ...more]) => identity(own, ...more));
  return openTlsServer({
    key: both.map((one) => one.key),
    cert: both.map((one) => one.cert),
    ...(version ? { minVersion: version, maxVersion: version } : {}),
  });
};

const pemOf = (chain: readonly Issued[]) => chain.map(({ certPem }) => certPem).join('');
const nginx: Open = ({ ecdsa, rsa: second }, version) =>
  openNginx(
    ecdsa,
    [
      'ssl_certificate rsa.pem;',
      'ssl_certificate_key rsa-key.pem;',
      'ssl_ciphers ECDHE+AESGCM;',
      `ssl_protocols ${version ?? 'TLSv1.2 TLSv1.3'};`,
    ],
    'ssl http2',
    { 'rsa.pem': pemOf(second), 'rsa-key.pem': second[0]?.keyPem ?? '' },
  );

const openssl: Open = async ({ ecdsa, rsa: second }, version) => {
  const port = await freePort();
  const folder = makeFolder({
    'ecdsa.pem': pemOf(ecdsa.slice(0, 1)),
    'ecdsa-key.pem': ecdsa[0]?.keyPem ?? '',
    'ecdsa-chain.pem': pemOf(ecdsa.slice(1)),
    'rsa.pem': pemOf(second.slice(0, 1)),
    'rsa-key.pem': second[0]?.keyPem ?? '',
    'rsa-chain.pem': pemOf(second.slice(1)),
  });
  const identityOf = (mark: string, kind: string, chain: readonly Issued[]) => [
    `-${mark}cert`,
    `${kind}.pem`,
    `-${mark}key`,
    `${kind}-key.pem`,
    ...(chain.length > 1 ? [`-${mark}cert_chain`, `${kind}-chain.pem`] : []),
  ];
  return startServer(
    [
      ...(['openssl', 's_server', '-accept', `127.0.0.1:${port}`, '-www', '-quiet'] as const),
      '-cipher',
      'ECDHE+AESGCM',
      '-alpn',
      'h2,http/1.1',
      ...identityOf('', 'ecdsa', ecdsa),
      ...identityOf('d', 'rsa', second),
      ...(version === undefined ? [] : [version === 'TLSv1.3' ? '-tls1_3' : '-tls1_2']),
    ],
    port,
    folder,
  );
};

const look = async (open: Open, pair: Pair, version?: 'TLSv1.2' | 'TLSv1.3') => {
  const server = await open(pair, version);
  const seen = await lab.check(server.port);
  await server.close();
  return seen;
};
type Seen = Awaited<ReturnType<typeof look>>;
const findingOf = ({ report }: Seen, code: string) => report.findings.find((one) => one.code === code);
const certificateCodes = ({ report }: Seen) =>
  report.findings.filter(({ part }) => part === 'certificate').map(({ code }) => code);
const otherOf = ({ report }: Seen) =>
  (report['otherCertificates'] as { sha256: string; chain: object[] }[])[0];

const servers: readonly (readonly [name: string, open: Open, isThere: boolean])[] = [
  ['Node', node, true],
  ['nginx', nginx, hasTool('nginx', '-v')],
  ['openssl s_server', openssl, hasTool('openssl', 'version')],
];

describe.each(servers.filter(([, , isThere]) => isThere))('%s', (_name, open) => {
  test('two good ones are told, and neither is a fault', async () => {
    const seen = await look(open, good);
    expect(certificateCodes(seen)).toEqual([]);
    expect(seen.report).toMatchObject({
      trust: { trusted: true },
      otherKeyKind: { presence: 'shown' },
      otherCertificates: [{ role: 'leaf', judged: true, trust: { trusted: true, error: null } }],
    });
    expect(otherOf(seen)?.chain).toHaveLength(2);
    expect(seen.report.passed).toEqual(expect.arrayContaining(['certificate-expired', 'chain-incomplete']));
    expect(seen.evidence.connections).toBeLessThanOrEqual(30);
  });

  test.for([
    ['ECDSA', ecdsaExpired, 'EC 256'],
    ['RSA', rsaExpired, 'RSA 2048'],
  ] as const)('an expired %s one beside a good one is named', async ([, pair, name]) => {
    const seen = await look(open, pair);
    expect(certificateCodes(seen)).toEqual(['certificate-expired']);
    const { evidence = [], detail = '' } = findingOf(seen, 'certificate-expired') ?? {};
    expect(evidence).toMatchObject([{ key: name }]);
    expect(detail).toContain(`lab.test (${name})`);
    expect(seen.report).toMatchObject({ sslLabsEquivalent: 'T' });
  });

  test('an RSA one without its intermediate is named', async () => {
    const seen = await look(open, rsaIncomplete);
    expect(certificateCodes(seen)).toEqual(['chain-incomplete']);
    expect(findingOf(seen, 'chain-incomplete')?.evidence).toMatchObject([{ key: 'RSA 2048' }]);
  });

  test('of TLS 1.3 alone it is told that there is another one, and nothing is said of it', async () => {
    const seen = await look(open, good, 'TLSv1.3');
    expect(certificateCodes(seen)).toEqual([]);
    expect(seen.report).toMatchObject({ otherKeyKind: { presence: 'hidden' }, otherCertificates: [] });
    expect(seen.report.passed).not.toContain('certificate-expired');
    expect(seen.report.notTested.map(({ code }) => code)).toContain('certificate-expired');
  });

  test('of TLS 1.2 alone both are seen', async () => {
    const seen = await look(open, rsaExpired, 'TLSv1.2');
    expect(findingOf(seen, 'certificate-expired')?.evidence).toMatchObject([{ key: 'RSA 2048' }]);
  });
});

test.for([
  ['ECDSA', lab.leaf, 'TLSv1.3'],
  ['RSA', rsa, 'TLSv1.3'],
  ['ECDSA', lab.leaf, 'TLSv1.2'],
  ['RSA', rsa, 'TLSv1.2'],
] as const)('one %s certificate in %s is the only one', async ([, own, version]) => {
  const server = await openTlsServer({
    ...identity(own, lab.intermediate),
    minVersion: version,
    maxVersion: version,
  });
  const { report } = await lab.check(server.port);
  await server.close();
  expect(report).toMatchObject({ otherKeyKind: { presence: 'none' }, otherCertificates: [] });
  expect(report.passed).toContain('certificate-expired');
});

test('of TLS 1.0 alone a second one is found too', async () => {
  const [first, second] = [identity(lab.leaf, lab.intermediate), identity(issue({ key, ...expired }))];
  const server = await openTlsServer({
    key: [first.key, second.key],
    cert: [first.cert, second.cert],
    minVersion: 'TLSv1',
    maxVersion: 'TLSv1',
    ciphers: 'ALL:!aNULL:@SECLEVEL=0',
  });
  const seen = await lab.check(server.port);
  await server.close();
  expect(findingOf(seen, 'certificate-expired')?.evidence).toMatchObject([{ key: 'RSA 2048' }]);
  expect(seen.report).toMatchObject({ otherKeyKind: { presence: 'shown' } });
});
