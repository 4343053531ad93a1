import type { Response } from 'express';
import { type Later, lookAtJob, retryAfterS } from '#shared/ask/ask';
import { findSpec } from '#shared/catalogue/registry';
import type { Caller } from '#shared/limits/caller';
import type { Job } from '#shared/model/job';
import { type JobState, notStarted, type Progress } from '#shared/ports/job-queue';
import { sendJson } from '../answer/json.ts';
import type { Services } from '../services.ts';

/** How far a job is that goes on after its GET was answered. */
type HowFar = {
  readonly progress: Progress;
  /** Place in line, 1 is next; only while it waits for its turn. */
  readonly position?: number;
};

/** What goes on, for whom; `applied` is the preference of the request that is kept to, "" for none. */
type Accepted = { readonly caller: Caller; readonly later: Later; readonly applied: string };

/** Sends 202: the work goes on, and where to ask for it. */
export async function sendLater(
  response: Response,
  { jobs, readSoFar, site }: Pick<Services, 'jobs' | 'readSoFar' | 'site'>,
  { caller, later, applied }: Accepted,
): Promise<void> {
  const { jobId, job } = later;
  const state = 'state' in later ? later.state : await lookAtJob(jobs.jobQueue, jobId);
  const { progress, position } = howFar(later, state);
  const self = `${site.publicPath}/api/jobs/${jobId}`;
  response.statusCode = 202;
  response.setHeader('Location', self);
  response.setHeader('Retry-After', retryAfterS(position));
  response.setHeader('Cache-Control', 'no-store');
  if (applied !== '') response.setHeader('Preference-Applied', applied);
  sendJson(response, {
    id: jobId,
    state: position === undefined ? 'running' : 'waiting',
    ...(position === undefined ? {} : { position }),
    progress: await readSoFar(caller, job, progress),
    links: { self, original: toolUrl(job, site.publicPath) },
  });
}

// The position is an extra: without it, because the queue is away at this moment, the 202 is sent all the same.
function howFar(later: Later, state: JobState | undefined): HowFar {
  if (state?.state === 'waiting') return { progress: notStarted, position: state.position };
  if (state?.state === 'running') return { progress: state.progress };
  const isParked = state === undefined && 'submitted' in later && later.submitted.state === 'parked';
  return { progress: notStarted, ...(isParked ? { position: later.submitted.position ?? 1 } : {}) };
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
