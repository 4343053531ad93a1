import { afterAll, describe, expect, test } from 'vitest';
import { freePort } from '../../kit/programs.ts';
import {
  type Issued,
  issueCertificate,
  issuerAt,
  makeKey,
  type Wishes,
} from '../../unit/ssl-check/issue-certificate.ts';
import { inDays, openSslLab } from './lab.ts';
import { openNginx } from './nginx.ts';
import { identity, type LabServer, openTlsServer } from './servers.ts';
import { hasTool, makeFolder, startServer } from './tools.ts';

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
    extensions: [issuerAt, ...(wishes.extensions ?? [])],
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
const rsaIssuer = issue({
  subject: 'Lab RSA Intermediate',
  issuer: lab.root,
  key,
  isAuthority: true,
  notBefore: inDays(-400),
  notAfter: inDays(4000),
});
/** Each is signed by a CA with a key of the other kind. */
const crossed: Pair = { ...good, ecdsa: [issue({ issuer: rsaIssuer }), rsaIssuer] };
const crossedExpired: Pair = { ...crossed, ecdsa: [issue({ issuer: rsaIssuer, ...expired }), rsaIssuer] };

type Settings = {
  readonly version?: 'TLSv1.2' | 'TLSv1.3';
  /** What the server would rather show; without it the client's choice, ECDSA. */
  readonly first?: 'RSA';
};
type Open = (pair: Pair, settings: Settings) => Promise<LabServer>;

const rsaFirst = 'rsa_pss_rsae_sha256:ecdsa_secp256r1_sha256';

const node: Open = ({ ecdsa, rsa: second }, { version, first }) => {
  const both = [ecdsa, second].map(([own = rsa, ...more]) => identity(own, ...more));
  return openTlsServer({
    key: both.map((one) => one.key),
    cert: both.map((one) => one.cert),
    ...(version ? { minVersion: version, maxVersion: version } : {}),
    ...(first ? { sigalgs: rsaFirst, honorCipherOrder: true } : {}),
  });
};

const pemOf = (chain: readonly Issued[]) => chain.map(({ certPem }) => certPem).join('');
const nginx: Open = ({ ecdsa, rsa: second }, { version, first }) =>
  openNginx(
    ecdsa,
    [
      'ssl_certificate rsa.pem;',
      'ssl_certificate_key rsa-key.pem;',
      'ssl_ciphers ECDHE+AESGCM;',
      `ssl_protocols ${version ?? 'TLSv1.2 TLSv1.3'};`,
      ...(first
        ? ['ssl_prefer_server_ciphers on;', `ssl_conf_command SignatureAlgorithms ${rsaFirst};`]
        : []),
    ],
    'ssl http2',
    { 'rsa.pem': pemOf(second), 'rsa-key.pem': second[0]?.keyPem ?? '' },
  );

const openssl: Open = async ({ ecdsa, rsa: second }, { version, first }) => {
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
      ...(first ? ['-serverpref', '-sigalgs', rsaFirst] : []),
    ],
    port,
    folder,
  );
};

const look = async (open: Open, pair: Pair, settings: Settings = {}) => {
  const server = await open(pair, settings);
  const seen = await lab.check(server.port);
  await server.close();
  return seen;
};
type Seen = Awaited<ReturnType<typeof look>>;
const findingOf = ({ report }: Seen, code: string) => report.findings.find((one) => one.code === code);
const certificateCodes = ({ report }: Seen) =>
  report.findings.filter(({ part }) => part === 'certificate').map(({ code }) => code);
const otherOf = ({ report }: Seen) =>
  (report['otherCertificates'] as { key: object; versions: string[]; chain: object[] }[])[0];

const servers: readonly (readonly [name: string, open: Open, isThere: boolean])[] = [
  ['Node', node, true],
  ['nginx', nginx, hasTool('nginx', '-v')],
  ['openssl s_server', openssl, hasTool('openssl', 'version')],
];

const spoken: readonly (readonly [name: string, settings: Settings])[] = [
  ['TLS 1.2 and 1.3', {}],
  ['TLS 1.3 alone', { version: 'TLSv1.3' }],
];

describe.each(servers.filter(([, , isThere]) => isThere))('%s', (_name, open) => {
  describe.each(spoken)('that speaks %s', (_version, settings) => {
    test('two good ones are told, and neither is a fault', async () => {
      const seen = await look(open, good, settings);
      expect(certificateCodes(seen)).toEqual([]);
      expect(seen.report).toMatchObject({
        trust: { trusted: true },
        otherKeyKind: { presence: 'shown' },
        otherCertificates: [{ role: 'leaf', judged: true, trust: { trusted: true, error: null } }],
      });
      expect(otherOf(seen)?.chain).toHaveLength(2);
      expect(seen.report.passed).toEqual(expect.arrayContaining(['certificate-expired', 'chain-incomplete']));
      expect(seen.evidence.connections).toBeLessThanOrEqual(45);
    });

    test.for([
      ['ECDSA', ecdsaExpired, 'EC 256'],
      ['RSA', rsaExpired, 'RSA 2048'],
    ] as const)('an expired %s one beside a good one is named', async ([, pair, name]) => {
      const seen = await look(open, pair, settings);
      expect(certificateCodes(seen)).toEqual(['certificate-expired']);
      const { evidence = [], detail = '' } = findingOf(seen, 'certificate-expired') ?? {};
      expect(evidence).toMatchObject([{ key: name }]);
      expect(detail).toContain(`lab.test (${name})`);
      expect(seen.report).toMatchObject({ sslLabsEquivalent: 'T' });
    });

    test('an RSA one without its intermediate is named', async () => {
      const seen = await look(open, rsaIncomplete, settings);
      expect(certificateCodes(seen)).toEqual(['chain-incomplete']);
      expect(findingOf(seen, 'chain-incomplete')?.evidence).toMatchObject([{ key: 'RSA 2048' }]);
    });
  });

  const alone: Settings = { version: 'TLSv1.3' };

  test('of TLS 1.3 alone that shows RSA first an expired ECDSA one is named', async () => {
    const seen = await look(open, ecdsaExpired, { ...alone, first: 'RSA' });
    expect(seen.report).toMatchObject({
      certificates: [{ key: { type: 'RSA' } }, {}],
      trust: { trusted: true },
      otherKeyKind: { kind: 'ECDSA', presence: 'shown' },
    });
    expect(otherOf(seen)).toMatchObject({ key: { type: 'EC' }, versions: ['TLSv1.3'] });
    expect(certificateCodes(seen)).toEqual(['certificate-expired']);
    expect(findingOf(seen, 'certificate-expired')?.evidence).toMatchObject([{ key: 'EC 256' }]);
  });

  test.for([
    ['RSA', 'ECDSA', crossed, {}, []],
    ['ECDSA', 'RSA', crossed, { first: 'RSA' }, []],
    ['ECDSA', 'RSA', crossedExpired, { first: 'RSA' }, ['certificate-expired']],
  ] as const)(
    'in TLS 1.3 a second one of %s is shown though its CA has a key of %s',
    async ([kind, , pair, settings, broken]) => {
      const seen = await look(open, pair, { ...alone, ...settings });
      expect(seen.report).toMatchObject({ otherKeyKind: { kind, presence: 'shown' } });
      expect(otherOf(seen)?.chain).toHaveLength(2);
      expect(certificateCodes(seen)).toEqual(broken);
    },
  );

  test('of TLS 1.2 alone both are seen', async () => {
    const seen = await look(open, rsaExpired, { version: 'TLSv1.2' });
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
  const { report, evidence } = await lab.check(server.port);
  await server.close();
  expect(report).toMatchObject({ otherKeyKind: { presence: 'none' }, otherCertificates: [] });
  expect(report.passed).toContain('certificate-expired');
  expect(evidence.connections).toBeLessThanOrEqual(45);
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
