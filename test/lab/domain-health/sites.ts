import type { RequestListener } from 'node:http';
import type { Sites } from '../kit/web-servers.ts';

const policy =
  "default-src 'none'; script-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; upgrade-insecure-requests";

const goodHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'strict-transport-security': 'max-age=63072000; includeSubDomains',
  'content-security-policy': policy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'permissions-policy': 'camera=()',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/** A page with every header that is recommended. */
export const goodPage: RequestListener = (_request, response) =>
  void response.writeHead(200, goodHeaders).end('<!doctype html><title>good</title><h1>Good</h1>');

/** The page that a registrar shows. */
export const parkingPage: RequestListener = (_request, response) =>
  void response
    .writeHead(200, { 'content-type': 'text/html' })
    .end('<!doctype html><title>Parked</title><p>This domain is for sale.</p>');

/** Sends every request on, to the same path below another origin. */
export function sendTo(origin: string): RequestListener {
  return ({ url }, response) => void response.writeHead(301, { location: `${origin}${url}` }).end();
}

/** http leads to https, and www to the domain itself, each in one step on its own host. */
export function goodSite(domain: string, page: RequestListener = goodPage): Sites {
  return {
    [`http://${domain}`]: sendTo(`https://${domain}`),
    [`https://${domain}`]: page,
    [`http://www.${domain}`]: sendTo(`https://www.${domain}`),
    [`https://www.${domain}`]: sendTo(`https://${domain}`),
  };
}
