import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { joinBytes } from '../../../worker/certificates/grammar/byte-cursor.ts';
import { extensionIds } from '../../../worker/certificates/grammar/certificate-extensions.ts';
import { issueCertificate } from '../../unit/ssl-check/issue-certificate.ts';
import { sequence } from '../../unit/ssl-check/write-der.ts';
import { pointName, writeEntry, writeRevocationList } from '../../unit/ssl-check/write-revocation-list.ts';
import { inDays, openSslLab, runLimitMs } from './lab.ts';
import { identity, openTlsServer } from './servers.ts';

/** What the CA's server has, by path. */
const shelf = new Map<string, Buffer>();
const answer: RequestListener = ({ url = '' }, response) => {
  asked.push(url);
  const found = shelf.get(url);
  if (url === '/never') return;
  if (url === '/moved') response.writeHead(302, { location: '/revoked' }).end();
  else response.writeHead(found ? 200 : 404, { 'content-type': 'application/pkix-crl' }).end(found);
};
const asked: string[] = [];
const authority = createServer(answer).listen(0, '127.0.0.1');
await new Promise((resolve) => authority.once('listening', resolve));
const { port } = authority.address() as AddressInfo;
const addressOf = (path: string) => `http://crl.test:${port}${path}`;

const lab = await openSslLab({
  zone: { 'crl.test': { A: ['127.0.0.1'] } },
});
afterAll(async () => {
  authority.closeAllConnections();
  authority.close();
  await lab.close();
});

const serial = [0x0b, 0xad];
const leafWith = (path: string) =>
  issueCertificate({
    subject: 'lab.test',
    issuer: lab.intermediate,
    names: ['lab.test'],
    notBefore: inDays(-30),
    notAfter: inDays(60),
    serial,
    extensions: [{ id: extensionIds.revocationLists, value: sequence(sequence(pointName(addressOf(path)))) }],
  });
const listWith = (...entries: readonly Uint8Array[]) =>
  Buffer.from(
    writeRevocationList({
      issuer: lab.intermediate,
      entries,
      thisUpdate: inDays(-1),
      nextUpdate: inDays(5),
    }),
  );
const revoked = writeEntry(serial, inDays(-3), 1);
shelf.set('/revoked', listWith(revoked));
shelf.set('/good', listWith(writeEntry([1])));
/** So many thousand entries, joined. */
const thousands = (count: number) =>
  Array.from({ length: count }, (_, high) =>
    joinBytes(...Array.from({ length: 1000 }, (_entry, low) => writeEntry([1, high, low >> 8, low & 255]))),
  );
shelf.set('/many', listWith(...thousands(25), revoked));
shelf.set('/too-many', listWith(...thousands(50)));
shelf.set('/page', Buffer.from('<!doctype html><title>moved</title>'));

const check = async (path: string) => {
  const leaf = leafWith(path);
  const server = await openTlsServer(identity(leaf, lab.intermediate));
  // Only what never comes is waited for in vain, and for that less will do.
  const seen = await lab.check(server.port, 'lab.test', path === '/never' ? { answersByMs: 3000 } : {});
  await server.close();
  return seen;
};

test.for([
  ['/revoked', 'revoked', 'revoked', null],
  ['/many', 'revoked', 'revoked', null],
  ['/good', 'good', 'good', null],
  ['/too-many', 'not-checked', 'not-used', 'the CRL is larger than 1 MB'],
  ['/page', 'not-checked', 'not-used', expect.stringContaining('it is no CRL in DER')],
  ['/moved', 'not-checked', 'not-used', 'the server of the CRL answered 302'],
  ['/nothing', 'not-checked', 'not-used', 'the server of the CRL answered 404'],
  ['/never', 'not-checked', 'not-used', 'the CRL did not come in time'],
])('the CRL at %s makes the certificate %s', async ([path, revocation, status, why]) => {
  asked.length = 0;
  const { report, broken, tookMs } = await check(path);
  expect(report).toMatchObject({ revocation, revocationList: { url: addressOf(path), status, why } });
  expect(broken.includes('certificate-revoked')).toBe(revocation === 'revoked');
  expect(asked).toEqual([path]);
  expect(tookMs).toBeLessThan(runLimitMs);
});

test('an address that is not public is not asked', async () => {
  const value = sequence(sequence(pointName(`http://10.0.0.1:${port}/revoked`)));
  const leaf = issueCertificate({
    subject: 'lab.test',
    issuer: lab.intermediate,
    names: ['lab.test'],
    extensions: [{ id: extensionIds.revocationLists, value }],
  });
  const server = await openTlsServer(identity(leaf, lab.intermediate));
  const { report } = await lab.check(server.port);
  await server.close();
  expect(report).toMatchObject({ revocation: 'not-checked', revocationList: { status: 'not-used' } });
  expect(JSON.stringify(report['revocationList'])).toContain('could not be fetched');
});
