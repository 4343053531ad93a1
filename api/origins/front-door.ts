import type { IncomingMessage } from 'node:http';
import type { Response } from 'express';
import { hasBody } from '#shared/lifecycle/connections';
import type { IsKnownHost } from '#shared/lifecycle/known-host';
import { Problem } from '#shared/model/problem';
import { traceField } from '../request/trace-request.ts';
import type { Deprecation } from './deprecations.ts';
import type { IsFromOtherSite, IsOwnPage, IsProgram } from './other-site.ts';

/** What is judged of a request before anything is read. */
export type Origins = {
  readonly isKnownHost: IsKnownHost;
  readonly isFromOtherSite: IsFromOtherSite;
  readonly isOwnPage: IsOwnPage;
  readonly isProgram: IsProgram;
  readonly corsOrigins: readonly string[];
  readonly deprecations: readonly Deprecation[];
};

/** False where a request has several Host fields: Node takes the first, a proxy before us perhaps the last (RFC 9112 §3.2). */
export function hasOneHost(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.length === 4 && rawHeaders[index]?.toLowerCase() === 'host') hosts += 1;
  return hosts <= 1;
}

/** Closes the connection behind the answer to a request with a body: Node would read it to its end, and one GET brought 1.1 GB in 15 s. */
export function closeBehindBody({ headers }: IncomingMessage, response: Response): void {
  if (hasBody(headers)) response.setHeader('Connection', 'close');
}

/** Refuses a foreign Host, and more than one. Throws the Problem. */
export function guardHost(isKnownHost: IsKnownHost, { headers, rawHeaders }: IncomingMessage): void {
  if (!hasOneHost(rawHeaders)) throw badHost('Send this field once.');
  if (!isKnownHost(headers.host))
    throw badHost(
      'This name is not known to be that of this service. Ask by localhost or by an address, or set PUBLIC_URL to the address that callers use.',
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

/** What a page of another origin may send, once its browser has asked. */
const preflights = {
  api: {
    methods: 'GET, HEAD, POST, PATCH, DELETE, OPTIONS',
    fields:
      'Authorization, Accept, Content-Type, Idempotency-Key, Prefer, If-None-Match, Cache-Control, X-Request-Id',
  },
  mcp: {
    methods: 'POST, OPTIONS',
    fields:
      'Authorization, Accept, Content-Type, X-Request-Id, Mcp-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id',
  },
};

/** Gives the origins of CORS_ORIGINS access. */
export function sendCors(
  origins: readonly string[],
  { headers, method, url }: IncomingMessage,
  response: Response,
): void {
  const fields = corsFields(origins, headers.origin);
  for (let index = 0; index < fields.length; index += 2)
    response.appendHeader(fields[index] ?? '', fields[index + 1] ?? '');
  if (method !== 'OPTIONS' || !response.hasHeader('Access-Control-Allow-Origin')) return;
  const asked = url === mcpPath ? preflights.mcp : preflights.api;
  response.setHeader('Access-Control-Allow-Methods', asked.methods);
  response.setHeader('Access-Control-Allow-Headers', asked.fields);
  response.setHeader('Access-Control-Max-Age', '86400');
}

/** Where agents ask. */
export const mcpPath = '/mcp';
