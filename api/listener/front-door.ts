import type { NextFunction, Request, Response } from 'express';
import type { Config } from '#shared/config';
import { Problem } from '#shared/model/problem';
import { classifyAddress, isAddress } from '#shared/target/classify-address';
import { traceField } from '../request/trace-request.ts';
import type { Deprecation } from './deprecations.ts';

type Middleware = (request: Request, response: Response, next: NextFunction) => void;

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

/** Refuses a foreign Host, and more than one. */
export function guardHost(isKnownHost: IsKnownHost): Middleware {
  return (request, _response, next) => {
    if (!hasOneHost(request.rawHeaders)) {
      const detail = 'Send this field once.';
      throw new Problem('invalid_request', `Host: ${detail}`, {
        errors: [{ in: 'header', name: 'Host', detail }],
      });
    }
    if (isKnownHost(request.headers.host)) return next();
    const detail =
      'This service listens on loopback and answers only to localhost. Set PUBLIC_URL, or HOST=0.0.0.0, to serve other names.';
    throw new Problem('invalid_request', `Host: ${detail}`, {
      errors: [{ in: 'header', name: 'Host', detail }],
    });
  };
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

/** Cross-origin access for the origins of CORS_ORIGINS. */
export function sendCors(origins: readonly string[]): Middleware {
  return (request, response, next) => {
    const fields = corsFields(origins, request.headers.origin);
    for (let index = 0; index < fields.length; index += 2)
      response.appendHeader(fields[index] ?? '', fields[index + 1] ?? '');
    if (request.method === 'OPTIONS' && response.hasHeader('Access-Control-Allow-Origin')) {
      response.setHeader('Access-Control-Allow-Methods', 'GET, HEAD, OPTIONS');
      response.setHeader(
        'Access-Control-Allow-Headers',
        'Authorization, Accept, Prefer, If-None-Match, Cache-Control, X-Request-Id',
      );
      response.setHeader('Access-Control-Max-Age', '86400');
    }
    next();
  };
}

function isLoopback(host: string): boolean {
  if (host === 'localhost') return true;
  if (!isAddress(host)) return false;
  const verdict = classifyAddress(host, { allow: [], deny: [] });
  return host === '::1' || (verdict.kind === 'refused' && verdict.rule === 'loopback');
}
