import type { Response } from 'express';
import { findSpec } from '#shared/catalogue/registry';
import type { Job } from '#shared/model/job';
import type { Progress } from '#shared/ports/job-queue';
import { sendJson } from '../answer/json.ts';

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
export function toolUrl(
  { check, target, options }: Pick<Job, 'check' | 'target' | 'options'>,
  publicPath: string,
): string {
  const spec = findSpec(check);
  const query = [
    ...(spec?.targetKind === 'url' ? [`url=${encodeURIComponent(target)}`] : []),
    ...Object.entries(options).flatMap(([name, value]) => {
      const texts = [value].flat().map((item) => (typeof item === 'string' ? item : JSON.stringify(item)));
      const encoded = texts.map(encodeURIComponent);
      const values = spec?.lists?.includes(name) ? [encoded.join(',')] : encoded;
      return values.map((text) => `${name}=${text}`);
    }),
  ];
  const path = spec?.targetKind === 'domain' ? `/${target}` : '';
  return `${publicPath}/api/tools/${check}${path}${query.length > 0 ? `?${query.join('&')}` : ''}`;
}

/** Seconds after which asking again is worth it: the more are ahead, the later. */
export function retryAfterS(position: number | undefined): number {
  return Math.min(30, Math.max(1, Math.ceil((position ?? 1) / 2)));
}
