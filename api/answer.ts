import type { Request, Response } from 'express';
import { findSpec } from '../shared/catalogue/registry.ts';
import type { Progress } from '../shared/job-queue/port.ts';
import type { Job } from '../shared/model/job.ts';
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
export async function sendReport(request: Request, response: Response, answer: ReportAnswer): Promise<void> {
  const fields = reportFields(answer);
  // What was announced before stays; writeHead would replace it.
  const announced = response.getHeader('Link');
  if (announced !== undefined) fields.push('Link', String(announced));
  await sendRepresentation(request, response, answer.ready, fields);
}

/** A job that goes on after its GET was answered. */
export type LaterJob = {
  readonly jobId: string;
  readonly job: Job;
  readonly progress: Progress;
  /** Place in line, 1 is next; only while it waits for its turn. */
  readonly position?: number;
};

/** Sends 202: the work goes on, and where to ask for it. */
export function sendLater(
  response: Response,
  { jobId, job, progress, position }: LaterJob,
  applied: string,
  publicPath: string,
): void {
  const self = `${publicPath}/api/jobs/${jobId}`;
  response.statusCode = 202;
  response.setHeader('Location', self);
  response.setHeader('Retry-After', retryAfterS(position));
  response.setHeader('Cache-Control', 'no-store');
  if (applied !== '') response.setHeader('Preference-Applied', applied);
  sendJson(response, {
    id: jobId,
    state: position === undefined ? 'running' : 'waiting',
    ...(position === undefined ? {} : { position }),
    progress,
    links: { self, original: toolUrl(job, publicPath) },
  });
}

/** The GET that a job came from, without fresh, maxAge and wait. */
export function toolUrl({ check, target, options }: Job, publicPath: string): string {
  const spec = findSpec(check);
  const query = new URLSearchParams();
  if (spec?.targetKind === 'url') query.set('url', target);
  for (const [name, value] of Object.entries(options))
    for (const item of [value].flat())
      query.append(name, typeof item === 'string' ? item : JSON.stringify(item));
  const path = spec?.targetKind === 'domain' ? `/${target}` : '';
  return `${publicPath}/api/tools/${check}${path}${query.size > 0 ? `?${query.toString()}` : ''}`;
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

// RFC 9211 §2.2: `request` where a stored answer was there and the caller did not want it.
function cacheStatus(via: ReportAnswer['via'], isOwnFreshness: boolean, ttlS: number): string {
  if (via === 'hit') return `diag; hit; ttl=${ttlS}`;
  const forwarded = `diag; fwd=${isOwnFreshness ? 'request' : 'uri-miss'}`;
  return `${forwarded}; ${via}`;
}
