import type { IncomingMessage } from 'node:http';
import type { Response } from 'express';
import type { ReadyReport } from './report-cache.ts';
import { sendRepresentation } from './representation.ts';

export type ReportAnswer = {
  readonly ready: ReadyReport;
  /** How it came about, for Cache-Status (RFC 9211). */
  readonly via: 'hit' | 'stored' | 'collapsed';
  /** The caller asked for its own freshness: then no cache may answer for us. */
  readonly isOwnFreshness: boolean;
  readonly isPublic: boolean;
};

/** The fields of a report's answer beside those of its representation, as a flat list of names and values. */
export function reportFields({ ready, via, isOwnFreshness, isPublic }: ReportAnswer): string[] {
  const freshForS = Math.max(0, Math.round((ready.freshUntil - Date.now()) / 1000));
  const cacheControl = isOwnFreshness
    ? 'private, no-cache'
    : `${isPublic ? 'public' : 'private'}, max-age=${freshForS}`;
  return [
    'Cache-Control',
    cacheControl,
    'Cache-Status',
    cacheStatus(via, isOwnFreshness, freshForS),
    'Last-Modified',
    ready.lastModified,
    'Link',
    ready.links,
  ];
}

/** Sends a report: 200, or 304 when the caller has it already. */
export async function sendReport(
  request: IncomingMessage,
  response: Response,
  answer: ReportAnswer,
): Promise<void> {
  const fields = reportFields(answer);
  // What was announced before stays; writeHead would replace it.
  const announced = response.getHeader('Link');
  if (announced !== undefined) fields.push('Link', String(announced));
  await sendRepresentation(request, response, answer.ready, fields);
}

// RFC 9211 §2.2: `request` where a stored answer was there and the caller did not want it.
function cacheStatus(via: ReportAnswer['via'], isOwnFreshness: boolean, ttlS: number): string {
  if (via === 'hit') return `diag; hit; ttl=${ttlS}`;
  const forwarded = `diag; fwd=${isOwnFreshness ? 'request' : 'uri-miss'}`;
  return `${forwarded}; ${via}`;
}
