import type { Request, Response } from 'express';
import type { Progress, Submitted } from '../shared/job-queue/port.ts';
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
    cacheStatus(via, freshForS),
    'Last-Modified',
    ready.lastModified,
    'Link',
    ready.links,
  ];
}

/** Sends a report: 200, or 304 when the caller has it already. */
export async function sendReport(request: Request, response: Response, answer: ReportAnswer): Promise<void> {
  const fields = reportFields(answer);
  // What was announced before stays; writeHead would replace it.
  const announced = response.getHeader('Link');
  if (announced !== undefined) fields.push('Link', String(announced));
  await sendRepresentation(request, response, answer.ready, fields);
}

type Later = { readonly applied: string; readonly baseUrl: string; readonly progress: Progress };

/** Sends 202: the work goes on, and where to ask for it. */
export function sendLater(
  response: Response,
  submitted: Submitted,
  { applied, baseUrl, progress }: Later,
): void {
  const location = `${baseUrl}/api/jobs/${submitted.jobId}`;
  response.statusCode = 202;
  response.setHeader('Location', location);
  response.setHeader('Retry-After', retryAfterS(submitted.position));
  response.setHeader('Cache-Control', 'no-store');
  if (applied !== '') response.setHeader('Preference-Applied', applied);
  const { position } = submitted;
  const state = submitted.state === 'parked' ? 'waiting' : 'running';
  sendJson(response, {
    id: submitted.jobId,
    state,
    ...(position === undefined ? {} : { position }),
    progress,
    links: { self: location },
  });
}

/** Writes a JSON body with its length. */
export function sendJson(response: Response, body: unknown, type = 'application/json; charset=utf-8'): void {
  const bytes = Buffer.from(JSON.stringify(body));
  response.setHeader('Content-Type', type);
  response.setHeader('Content-Length', bytes.length);
  response.end(response.req.method === 'HEAD' ? undefined : bytes);
}

/** Seconds after which asking again is worth it: the more are ahead, the later. */
export function retryAfterS(position: number | undefined): number {
  return Math.min(30, Math.max(1, Math.ceil((position ?? 1) / 2)));
}

function cacheStatus(via: ReportAnswer['via'], ttlS: number): string {
  if (via === 'hit') return `diag; hit; ttl=${ttlS}`;
  return via === 'collapsed' ? 'diag; fwd=uri-miss; collapsed' : 'diag; fwd=uri-miss; stored';
}
