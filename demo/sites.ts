import type { RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { Zone } from '../test/lab/kit/dns-server.ts';
import type { Sites } from '../test/lab/kit/web-servers.ts';

const page =
  (text: string, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) =>
    response
      .writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers })
      .end(`<!doctype html><title>${text}</title><p>${text}`);
const redirect =
  (location: string, status = 301): RequestListener =>
  (_request, response) =>
    response.writeHead(status, { location }).end();
const upgrade: RequestListener = (request, response) =>
  response.writeHead(301, { location: `https://${request.headers.host}${request.url}` }).end();

const goodHeaders = {
  'strict-transport-security': 'max-age=63072000; includeSubDomains; preload',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/** The sites of the demo: good ones, bad ones, hostile ones. */
export const sites: Sites = {
  'http://good.test': upgrade,
  'https://good.test': page('Everything as it should be', goodHeaders),
  'http://plain.test': page('No HTTPS here'),
  'https://downgrade.test': redirect('http://plain.test/'),
  'http://loop.test': redirect('http://loop.test/again', 302),
  'http://long.test': (request, response) => {
    const step = Number(/\d+/.exec(request.url ?? '')?.[0] ?? 0);
    if (step === 5) return page('At last')(request, response);
    response.writeHead(302, { location: `/${step + 1}` }).end();
  },
  'http://expired.test': upgrade,
  'https://expired.test': page('The certificate has expired'),
  'http://slow.test': () => undefined,
  'http://bomb.test': (_request, response) =>
    response
      .writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' })
      .end(gzipSync(Buffer.alloc(50_000_000))),
  'http://inside.test': redirect('http://private.test/'),
};

/** Certificates that are not as they should be. */
export const certificates = {
  'expired.test': {
    notBefore: new Date(Date.now() - 90 * 86_400_000),
    notAfter: new Date(Date.now() - 86_400_000),
  },
};

/** Names beside those of the sites. */
export const zone: Zone = {
  'good.test': {
    A: ['127.0.0.1'],
    MX: [{ preference: 10, exchange: 'mx.good.test' }],
    TXT: ['v=spf1 mx -all'],
    CAA: [{ flags: 0, tag: 'issue', value: 'ca.test' }],
  },
  'mx.good.test': { A: ['127.0.0.1'] },
  '_dmarc.good.test': { TXT: ['v=DMARC1; p=reject; rua=mailto:dmarc@good.test'] },
  'spoofed.test': { MX: [{ preference: 10, exchange: 'mx.good.test' }], TXT: ['v=spf1 +all'] },
  'private.test': { A: ['10.0.0.1'] },
};
