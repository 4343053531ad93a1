import type { Socket } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { issueCertificate, issuerAt, makeKey } from '../../unit/ssl-check/issue-certificate.ts';
import { inDays, openSslLab, runLimitMs } from './lab.ts';
import {
  identity,
  type LabServer,
  openTcpServer,
  openTlsServer,
  type Place,
  soundCiphers,
} from './servers.ts';

// One port on several addresses of one name: each of them is a machine of its own.
const ipv4 = ['127.0.0.1', '127.0.0.2'];
const lab = await openSslLab({
  zone: {
    'lab.test': { A: ipv4, AAAA: ['::1'] },
    'both.lab.test': { A: ipv4.slice(0, 1), AAAA: ['::1'] },
    'one.lab.test': { A: ipv4.slice(0, 1) },
  },
  limits: { firstTimeoutMs: 2500 },
});
afterAll(() => lab.close());

const issue = (notAfter: string) =>
  issueCertificate({
    subject: 'lab.test',
    issuer: lab.intermediate,
    names: ['lab.test', '*.lab.test'],
    notBefore: inDays(-30),
    notAfter,
    extensions: [issuerAt],
  });
const good = identity(issue(inDays(60)), lab.intermediate);
const expired = identity(issue(inDays(-1)), lab.intermediate);

type Node = (place: Place) => Promise<LabServer>;
const alike: Node = (place) => openTlsServer(good, place);
const old: Node = (place) =>
  openTlsServer(
    { ...good, minVersion: 'TLSv1', ciphers: `${soundCiphers}:ECDHE-ECDSA-AES128-SHA:@SECLEVEL=0` },
    place,
  );
const outdated: Node = (place) => openTlsServer(expired, place);
const noHttp2: Node = (place) => openTlsServer({ ...good, ALPNProtocols: ['http/1.1'] }, place);
const withoutChain: Node = (place) => openTlsServer(identity(issue(inDays(60))), place);
const ownCa: Node = (place) =>
  openTlsServer(
    identity(
      issueCertificate({
        subject: 'lab.test',
        issuer: null,
        names: ['lab.test'],
        notBefore: inDays(-30),
        notAfter: inDays(60),
      }),
    ),
    place,
  );
const otherName: Node = (place) =>
  openTlsServer(
    identity(
      issueCertificate({
        subject: 'other.test',
        issuer: lab.intermediate,
        names: ['other.test'],
        notBefore: inDays(-30),
        notAfter: inDays(60),
      }),
      lab.intermediate,
    ),
    place,
  );
const renegotiating: Node = (place) => openTlsServer({ ...good, secureOptions: 0 }, place);
const noTls13: Node = (place) => openTlsServer({ ...good, maxVersion: 'TLSv1.2' }, place);
const nullSuites: Node = (place) =>
  openTlsServer({ ...good, ciphers: `${soundCiphers}:ECDHE-ECDSA-NULL-SHA:@SECLEVEL=0` }, place);
const plain: Node = (place) =>
  openTcpServer(
    (socket: Socket) => void socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
    place,
  );
const broken: Node = (place) => openTcpServer((socket: Socket) => void socket.resetAndDestroy(), place);
const mute: Node = (place) => openTcpServer(() => undefined, place);
/** Nobody listens. */
const dead: Node = async ({ port }) => ({ port, close: async () => undefined });

/** Opens the nodes on one port, at the addresses of the name in order; the first node that listens chooses it. */
async function openNodes(nodes: readonly Node[]): Promise<LabServer> {
  const addresses = nodes.length === 3 ? [...ipv4, '::1'] : ['127.0.0.1', '::1'];
  const servers: LabServer[] = [];
  let port = await openAnyPort(addresses);
  for (const [index, node] of nodes.entries()) {
    const server = await node({ address: addresses[index] ?? '', port });
    port = server.port;
    servers.push(server);
  }
  return { port, close: async () => void (await Promise.all(servers.map((server) => server.close()))) };
}

/** A port that is free at every address just now. */
async function openAnyPort([first = '', ...more]: readonly string[]): Promise<number> {
  const server = await mute({ address: first, port: 0 });
  const others = await Promise.allSettled(more.map((address) => mute({ address, port: server.port })));
  const opened = others.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  await Promise.all([server, ...opened].map((one) => one.close()));
  return opened.length === more.length ? server.port : openAnyPort([first, ...more]);
}

type Case = readonly [
  name: string,
  nodes: readonly [Node, ...Node[]],
  /** Letters of 127.0.0.1, 127.0.0.2 and ::1, and that of the name. */
  grades: readonly (string | null)[],
  broken: readonly string[],
];
const cases: readonly Case[] = [
  ['all are alike', [alike, alike, alike], ['A+', null, 'A+', 'A+'], []],
  [
    'the second IPv4 node has an expired certificate',
    [alike, outdated, alike],
    ['A+', 'T', 'A+', 'T'],
    ['certificate-expired', 'endpoints-differ'],
  ],
  [
    'the IPv6 node has an expired certificate',
    [alike, alike, outdated],
    ['A+', null, 'T', 'T'],
    ['certificate-expired', 'endpoints-differ'],
  ],
  [
    'the second IPv4 node still speaks TLS 1.0',
    [alike, old, alike],
    ['A+', 'B', 'A+', 'B'],
    ['tls10-offered', 'tls11-offered'],
  ],
  [
    'the IPv6 node still speaks TLS 1.0',
    [alike, alike, old],
    ['A+', null, 'B', 'B'],
    ['tls10-offered', 'tls11-offered', 'suite-cbc-offered', 'endpoints-differ'],
  ],
  [
    'the IPv6 node has no HTTP/2',
    [alike, alike, noHttp2],
    ['A+', null, 'A+', 'A+'],
    ['alpn-h2-missing', 'endpoints-differ'],
  ],
  [
    'the second IPv4 node sends no intermediate',
    [alike, withoutChain, alike],
    ['A+', 'B', 'A+', 'B'],
    ['chain-incomplete', 'endpoints-differ'],
  ],
  [
    'the second IPv4 node has a self-signed certificate',
    [alike, ownCa, alike],
    ['A+', 'T', 'A+', 'T'],
    ['certificate-self-signed', 'endpoints-differ'],
  ],
  [
    'the IPv6 node has a certificate for another name',
    [alike, alike, otherName],
    ['A+', null, 'M', 'M'],
    ['certificate-name-mismatch', 'endpoints-differ'],
  ],
  [
    'the IPv6 node lets clients renegotiate',
    [alike, alike, renegotiating],
    ['A+', null, 'A+', 'A+'],
    ['renegotiation-by-client'],
  ],
  [
    'the IPv6 node has no TLS 1.3',
    [alike, alike, noTls13],
    ['A+', null, 'A-', 'A-'],
    ['tls13-missing', 'endpoints-differ'],
  ],
  [
    'the second IPv4 node has no TLS 1.3',
    [alike, noTls13, alike],
    ['A+', 'A-', 'A+', 'A-'],
    ['tls13-missing', 'endpoints-differ'],
  ],
  [
    'the IPv6 node has NULL suites',
    [alike, alike, nullSuites],
    ['A+', null, 'F', 'F'],
    ['suite-null-offered'],
  ],
  [
    'the IPv6 node speaks plain HTTP',
    [alike, alike, plain],
    ['A+', null, null, 'A+'],
    ['endpoint-unreachable'],
  ],
  [
    'the second IPv4 node speaks plain HTTP',
    [alike, plain, alike],
    ['A+', null, 'A+', 'A+'],
    ['endpoint-unreachable'],
  ],
  ['the second IPv4 node is dead', [alike, dead, alike], ['A+', null, 'A+', 'A+'], ['endpoint-unreachable']],
  ['the first IPv4 node is dead', [dead, alike, alike], [null, null, 'A+', 'A+'], ['endpoint-unreachable']],
  ['the IPv6 node is dead', [alike, alike, dead], ['A+', null, null, 'A+'], ['endpoint-unreachable']],
  ['the IPv6 node resets', [alike, alike, broken], ['A+', null, null, 'A+'], ['endpoint-unreachable']],
  ['the IPv6 node is silent', [alike, alike, mute], ['A+', null, null, 'A+'], ['endpoint-unreachable']],
  // The page is asked for at the first address of a family, so HSTS is not known, and A+ is not given.
  ['only the second IPv4 node works', [dead, alike, dead], [null, 'A', null, 'A'], ['endpoint-unreachable']],
];

test.for(cases)('%s', async ([, nodes, grades, broken]) => {
  const server = await openNodes(nodes);
  const seen = await lab.check(server.port);
  await server.close();
  const { endpoints, sslLabsEquivalent } = seen.report as unknown as {
    endpoints: { address: string; grade: string | null }[];
    sslLabsEquivalent: string;
  };
  const gradeOf = (address: string) => endpoints.find((one) => one.address === address)?.grade;
  expect([...['127.0.0.1', '127.0.0.2', '::1'].map(gradeOf), sslLabsEquivalent]).toEqual(grades);
  expect(seen.broken.filter((code) => code !== 'caa-missing').sort()).toEqual([...broken].sort());
  expect(seen.tookMs).toBeLessThan(runLimitMs);
});

const rsa = identity(
  issueCertificate({
    subject: 'lab.test',
    issuer: lab.intermediate,
    names: ['*.lab.test'],
    notBefore: inDays(-30),
    notAfter: inDays(60),
    key: makeKey('rsa2048'),
  }),
  lab.intermediate,
);

test.for([
  ['a careful site', good, 'A+'],
  // More suites than 30 connections can ask for.
  ['a site with every suite for its RSA key', { ...rsa, ciphers: 'DEFAULT' }, 'A+'],
] as const)(
  '%s of two families costs at most one and a half times the connections of one address',
  async ([, options, letter]) => {
    let opened = 0;
    const counting: Node = (place) => openTlsServer(options, place, () => void (opened += 1));
    const server = await openNodes([counting, counting]);
    const countAt = async (host: string) => {
      opened = 0;
      const { report } = await lab.check(server.port, host);
      // The request for HSTS is one more than the run itself counts as TLS.
      expect(report).toMatchObject({ sslLabsEquivalent: letter, connections: opened });
      return opened;
    };
    const [one, both] = [await countAt('one.lab.test'), await countAt('both.lab.test')];
    await server.close();
    expect(both).toBeLessThanOrEqual(1.5 * one);
  },
);
