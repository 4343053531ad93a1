import { createServer as createPlainServer } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, expect, test } from 'vitest';
import { readLoadEnd } from '../../../worker/checks/pagespeed-check/facts/end.ts';
import { makeAuthority } from '../../lab/kit/certificates.ts';
import { expectRun, openProbe, siteAddress } from './kit.ts';

// As NODE_EXTRA_CA_CERTS would: Node trusts it. The servers leave the root out of their chain, as the standards advise.
const authority = await makeAuthority();
setDefaultCACertificates([...getCACertificates('bundled'), authority.cert]);
const page =
  '<!doctype html><title>x</title><h1>hello</h1><script src="https://cdn.test/x.js?key=CANARY"></script>';
const asked: string[] = [];
// Without roots of its own, OpenSSL does not add them to the chain that it sends.
const issue = async (name: string) => ({ ...(await authority.issue([name])), ca: [] });
const server = createServer(await issue('a.test'), (request, response) => {
  // Lighthouse asks for /robots.txt and the like by itself.
  asked.push(`${request.headers.host}${request.url}`);
  if (request.url === '/moved') response.writeHead(302, { location: 'https://b.test/' }).end();
  else response.writeHead(200, { 'content-type': 'text/html' }).end(page);
});
for (const host of ['b.test', 'cdn.test', 'other-name.test'])
  server.addContext(host, await issue(host === 'other-name.test' ? 'else.test' : host));
const plain = createPlainServer((_request, response) =>
  response.writeHead(301, { location: 'https://a.test/' }).end(),
);
for (const each of [server, plain])
  await new Promise<void>((resolve) => each.listen(0, siteAddress, resolve));
const [tlsPort, plainPort] = [server, plain].map((each) => (each.address() as AddressInfo).port);
afterAll(() => {
  for (const each of [server, plain]) {
    each.closeAllConnections();
    each.close();
  }
});

const load = async (url: string) =>
  expectRun(
    await openProbe(plainPort ?? 0, { tlsPort: tlsPort ?? 0, trustedAuthorities: [authority.cert] }).run({
      url,
      strategy: 'mobile',
      categories: ['seo'],
      timeoutMs: 50_000,
    }),
  );

test('a site of the operator’s own authority is measured, though it does not send the root', async () => {
  // It redirects to another such site, whose script is from a third: each has a key of its own, and one load shows them all.
  const { end } = await load('https://a.test/moved');
  expect(end).toMatchObject({ kind: 'loaded', page: { finalUrl: 'https://b.test/' } });
  const { categories, requests } = end.kind === 'loaded' ? end.page : {};
  // The same load was judged for another category, and its requests are reported without the values of foreign queries.
  expect(categories?.scores.seo).toBeGreaterThan(0);
  expect(categories?.audits.map(({ id }) => id)).toContain('meta-description');
  expect(JSON.stringify(requests)).not.toContain('CANARY');
  const rowOf = (url: string) => requests?.entries.find((one) => one.url === url);
  const rows = ['https://a.test/moved', 'https://b.test/', 'https://cdn.test/x.js?key='].map(rowOf);
  expect(rows).toMatchObject([
    { url: 'https://a.test/moved', status: 302, fromCache: false },
    { url: 'https://b.test/', status: 200, priority: 'VeryHigh', isThirdParty: false },
    {
      url: 'https://cdn.test/x.js?key=',
      type: 'Script',
      isThirdParty: true,
      owner: null,
      initiator: { type: 'parser', url: 'https://b.test/' },
    },
  ]);
  expect(asked.filter((one) => one === 'a.test/moved')).toHaveLength(1);
  expect(asked).toContain('cdn.test/x.js?key=CANARY');
});

test('so is one that its own http address redirects to', async () => {
  expect((await load('http://a.test/')).end).toMatchObject({
    kind: 'loaded',
    page: { finalUrl: 'https://a.test/' },
  });
});

test('a certificate of that authority for another name is refused', async () => {
  const url = 'https://other-name.test/';
  const run = await load(url);
  expect(readLoadEnd(run, url)).toMatchObject({ code: 'certificate-not-trusted' });
});
