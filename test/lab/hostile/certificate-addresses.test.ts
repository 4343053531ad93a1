import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { extensionIds } from '../../../worker/certificates/grammar/certificate-extensions.ts';
import { issueCertificate } from '../../unit/ssl-check/issue-certificate.ts';
import { objectIdentifier, sequence, text } from '../../unit/ssl-check/write-der.ts';
import { pointName } from '../../unit/ssl-check/write-revocation-list.ts';
import { inDays, openSslLab } from '../ssl-check/lab.ts';
import { identity, openTlsServer } from '../ssl-check/servers.ts';

// A certificate names addresses for lists, answers and issuers, and whoever has a domain writes them as they like. The target itself may be asked;
// behind every other address of loopback stands a listener that counts.

const lab = await openSslLab({
  allow: '127.0.0.1/32',
  zone: {
    'inside.test': { A: ['127.0.0.66'] },
    'both.test': { A: ['127.0.0.1', '127.0.0.66'] },
    'alias.test': { CNAME: ['inside.test'] },
    'mapped.test': { AAAA: ['::ffff:127.0.0.66'] },
  },
});

let connections = 0;
const open = async (address: string, port: number) => {
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await once(server.listen(port, address), 'listening');
  return server;
};
const first = await open('127.0.0.66', 0);
const { port } = first.address() as { readonly port: number };
// The same port where the guard would let us in: only what is never asked may stand there.
const listeners = [first, await open('127.0.0.1', port), await open('::1', port)];
afterAll(async () => {
  for (const server of listeners) server.close();
  await lab.close();
});
beforeEach(() => {
  connections = 0;
});

const issue = (extension: { readonly id: string; readonly value: Uint8Array }) =>
  issueCertificate({
    subject: 'lab.test',
    issuer: lab.intermediate,
    names: ['lab.test'],
    notBefore: inDays(-30),
    notAfter: inDays(60),
    extensions: [extension],
  });
const check = async (leaf: ReturnType<typeof issue>) => {
  const server = await openTlsServer(identity(leaf, lab.intermediate));
  const { report } = await lab.check(server.port);
  await server.close();
  return report;
};

const inside = [
  `http://127.0.0.66:${port}/list`,
  `http://2130706498:${port}/list`,
  `http://0x7f000042:${port}/list`,
  `http://0177.0.0.0102:${port}/list`,
  `http://127.66:${port}/list`,
  `http://[::1]:${port}/list`,
  `http://[::ffff:127.0.0.66]:${port}/list`,
  `http://[64:ff9b::127.0.0.66]:${port}/list`,
  `http://inside.test:${port}/list`,
  `http://both.test:${port}/list`,
  `http://alias.test:${port}/list`,
  `http://mapped.test:${port}/list`,
  `http://localhost:${port}/list`,
  `http://lab.test@127.0.0.66:${port}/list`,
  'http://169.254.169.254/latest/meta-data/',
  'http://10.0.0.1/list',
];
test.for(inside)('a CRL at %s is not asked for: 0 connections', async (url) => {
  const report = await check(
    issue({ id: extensionIds.revocationLists, value: sequence(sequence(pointName(url))) }),
  );
  expect(connections).toBe(0);
  expect(report).toMatchObject({ revocation: 'not-checked', revocationList: { status: 'not-used' } });
});

test('of a hundred addresses of lists one is asked at most, and no other kind of address is', async () => {
  const points = [
    'ldap://127.0.0.1/list',
    'ftp://127.0.0.1/list',
    'file:///etc/passwd',
    ...Array.from({ length: 100 }, (_, at) => `http://127.0.0.1:${port}/list${at}`),
  ].map((url) => sequence(pointName(url)));
  await check(issue({ id: extensionIds.revocationLists, value: sequence(...points) }));
  expect(connections).toBeLessThanOrEqual(1);
});

test('addresses of OCSP and of the issuer are never asked, wherever they lead: 0 connections', async () => {
  const accesses = [
    `http://127.0.0.1:${port}/`,
    `http://127.0.0.66:${port}/`,
    `http://inside.test:${port}/`,
  ].flatMap((url) =>
    ['1.3.6.1.5.5.7.48.1', '1.3.6.1.5.5.7.48.2'].map((method) =>
      sequence(objectIdentifier(method), text(0x86, url)),
    ),
  );
  await check(issue({ id: extensionIds.authorityAccess, value: sequence(...accesses) }));
  expect(connections).toBe(0);
});
