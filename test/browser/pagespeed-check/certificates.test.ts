import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, expect, test } from 'vitest';
import { readLoadEnd } from '../../../worker/checks/pagespeed-check/facts/end.ts';
import { makeAuthority } from '../../lab/kit/certificates.ts';
import { expectRun, openProbe, siteAddress } from './kit.ts';

const authority = await makeAuthority();
// As NODE_EXTRA_CA_CERTS would: Node trusts it.
setDefaultCACertificates([...getCACertificates('bundled'), authority.cert]);
const { key, cert } = await authority.issue(['a.test']);
const server = createServer({ key, cert: cert + authority.cert }, (_request, response) =>
  response
    .writeHead(200, { 'content-type': 'text/html' })
    .end('<!doctype html><title>x</title><h1>hello</h1>'),
);
await new Promise<void>((resolve) => server.listen(0, siteAddress, resolve));
const tlsPort = (server.address() as AddressInfo).port;
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const url = 'https://a.test/';
const load = async () =>
  expectRun(await openProbe(0, { tlsPort }).run({ url, strategy: 'mobile', timeoutMs: 40_000 }));

test('a certificate of an authority that nobody knows is said at once', { timeout: 60_000 }, async () => {
  const run = await load();
  expect(readLoadEnd(run, url)).toMatchObject({
    code: 'certificate-not-trusted',
    evidence: { reason: 'the browser says “net::ERR_CERT_AUTHORITY_INVALID”' },
  });
  // Far from the limit of a load.
  expect(run.tookMs).toBeLessThan(30_000);
});
