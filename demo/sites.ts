import type { RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { Sites } from '../test/lab/kit/web-servers.ts';

const page =
  (text: string, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) =>
    response
      .writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers })
      .end(
        `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${text}</title><main><h1>${text}</h1></main></html>`,
      );
const redirect =
  (location: string, status = 301): RequestListener =>
  (_request, response) =>
    response.writeHead(status, { location }).end();
const upgrade: RequestListener = (request, response) =>
  response.writeHead(301, { location: `https://${request.headers.host}${request.url}` }).end();

const goodHeaders = {
  'strict-transport-security': 'max-age=63072000; includeSubDomains; preload',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

const policy = 'version: STSv1\r\nmode: enforce\r\nmx: *.good.test\r\nmax_age: 604800\r\n';
const mailPolicy: RequestListener = (_request, response) =>
  response.writeHead(200, { 'content-type': 'text/plain' }).end(policy);

/** The sites of the demo: good ones, bad ones, hostile ones. */
export const sites: Sites = {
  'http://good.test': upgrade,
  'https://good.test': page('Everything as it should be', goodHeaders),
  'http://www.good.test': upgrade,
  'https://www.good.test': (request, response) =>
    response.writeHead(301, { ...goodHeaders, location: `https://good.test${request.url}` }).end(),
  'https://mta-sts.good.test': mailPolicy,
  'http://plain.test': page('No HTTPS here'),
  'http://downgrade.test': upgrade,
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
