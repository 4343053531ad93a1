import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Config } from '#shared/config';
import { Problem } from '#shared/model/problem';
import { classifyAddress, isAddress } from '#shared/target/classify-address';
import type { Outgoing } from '../answer/outgoing.ts';
import { traceField } from '../request/trace-request.ts';
import type { Deprecation } from './deprecations.ts';

/** What is judged of a request before anything is read. */
export type Door = {
  readonly isKnownHost: IsKnownHost;
  readonly corsOrigins: readonly string[];
  readonly deprecations: readonly Deprecation[];
};

/** Tells whether a Host field names this service. */
export type IsKnownHost = (host: string | undefined) => boolean;

/**
 * On a loopback listener only names of this machine are known: else a web page could point its own name
 * at 127.0.0.1 and read, through a visitor's browser, what is meant for the machine's user alone.
 */
export function openHostCheck({ HOST, PUBLIC_URL }: Config): IsKnownHost {
  if (!isLoopback(HOST)) return () => true;
  const own = PUBLIC_URL === undefined ? [] : [new URL(PUBLIC_URL).hostname];
  let lastKnown: string | undefined;
  return (host = '') => {
    if (host === lastKnown) return true;
    const name = host
      .replace(/:\d+$/, '')
      .replace(/^\[|\]$/g, '')
      .toLowerCase();
    const isKnown = isLoopback(name) || own.includes(name);
    if (isKnown) lastKnown = host;
    return isKnown;
  };
}

/** False where a request has several Host fields: Node takes the first, a proxy before us perhaps the last (RFC 9112 §3.2). */
export function hasOneHost(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.length === 4 && rawHeaders[index]?.toLowerCase() === 'host') hosts += 1;
  return hosts <= 1;
}

/** True where a body comes behind the header section; nothing here reads one. */
export function hasBody({
  'transfer-encoding': coding,
  'content-length': length,
}: IncomingHttpHeaders): boolean {
  return coding !== undefined || Number(length ?? 0) > 0;
}

/** Closes the connection behind the answer to a request with a body: Node would read it to its end, and one GET brought 1.1 GB in 15 s. */
export function closeBehindBody({ headers }: IncomingMessage, response: Outgoing): void {
  if (hasBody(headers)) response.setHeader('Connection', 'close');
}

/** Refuses a foreign Host, and more than one. Throws the Problem. */
export function guardHost(isKnownHost: IsKnownHost, { headers, rawHeaders }: IncomingMessage): void {
  if (!hasOneHost(rawHeaders)) throw badHost('Send this field once.');
  if (!isKnownHost(headers.host))
    throw badHost(
      'This service listens on loopback and answers only to localhost. Set PUBLIC_URL, or HOST=0.0.0.0, to serve other names.',
    );
}

function badHost(detail: string): Problem {
  return new Problem('invalid_request', `Host: ${detail}`, {
    errors: [{ in: 'header', name: 'Host', detail }],
  });
}

/** Fields that a page of another origin may read. */
const exposed = `ETag, Cache-Status, Retry-After, RateLimit, RateLimit-Policy, Location, Link, Preference-Applied, X-Request-Id, ${traceField}, Deprecation, Sunset`;

/**
 * The fields that give a page of another origin access, as a flat list of names and values; none without CORS_ORIGINS. Never with credentials.
 * @param origin the Origin field of the request
 */
export function corsFields(origins: readonly string[], origin: string | undefined): readonly string[] {
  if (origins.length === 0) return [];
  const isAny = origins.includes('*');
  // The answer depends on the origin, also for a request without one.
  const vary = isAny ? [] : ['Vary', 'Origin'];
  if (origin === undefined || !(isAny || origins.includes(origin))) return vary;
  return [
    ...vary,
    'Access-Control-Allow-Origin',
    isAny ? '*' : origin,
    'Access-Control-Expose-Headers',
    exposed,
  ];
}

/** Gives the origins of CORS_ORIGINS access. */
export function sendCors(
  origins: readonly string[],
  { headers, method }: IncomingMessage,
  response: Outgoing,
): void {
  const fields = corsFields(origins, headers.origin);
  for (let index = 0; index < fields.length; index += 2)
    response.appendHeader(fields[index] ?? '', fields[index + 1] ?? '');
  if (method !== 'OPTIONS' || !response.hasHeader('Access-Control-Allow-Origin')) return;
  response.setHeader('Access-Control-Allow-Methods', 'GET, HEAD, OPTIONS');
  response.setHeader(
    'Access-Control-Allow-Headers',
    'Authorization, Accept, Prefer, If-None-Match, Cache-Control, X-Request-Id',
  );
  response.setHeader('Access-Control-Max-Age', '86400');
}

function isLoopback(host: string): boolean {
  if (host === 'localhost') return true;
  if (!isAddress(host)) return false;
  const verdict = classifyAddress(host, { allow: [], deny: [] });
  return host === '::1' || (verdict.kind === 'refused' && verdict.rule === 'loopback');
}
