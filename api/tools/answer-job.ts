import type { IncomingMessage } from 'node:http';
import type { Response } from 'express';
import { retryAfterS } from '#shared/ask/ask';
import { isRandomId } from '#shared/model/job';
import { Problem } from '#shared/model/problem';
import type { JobQueue, JobState } from '#shared/ports/job-queue';
import { sendJson } from '../answer/json.ts';
import type { Jobs } from '../ask/ask-as-caller.ts';
import type { ProgressSoFar } from '../ask/so-far.ts';
import { admit } from '../request/admit.ts';
import { readOwnQuery } from '../request/read-query.ts';
import { readWait } from '../request/read-wait.ts';
import { noteSubject } from '../request/request-log.ts';
import type { Services } from '../services.ts';
import { toolUrl } from './later.ts';

const lookEveryMs = 200;

/** The path of a job, as Express and log lines have it. */
export const jobPattern = '/api/jobs/:id';

/** Answers /api/jobs/{id}: where a job stands; once it is done, 303 to its tool's own URL. `?wait=` holds the answer until it ends, or a part of it. */
export async function answerJob(
  services: Pick<Services, 'limits' | 'jobs' | 'readSoFar' | 'site'>,
  jobId: string,
  request: IncomingMessage,
  response: Response,
): Promise<void> {
  const { jobs, site } = services;
  const caller = await admit(services.limits, request, response, 'tools');
  const waitS = readWait(readOwnQuery(request, ['wait']).wait);
  if (!isRandomId(jobId)) throw unknownJob();
  noteSubject(response, { jobId });
  const leave = waitS > 0 ? jobs.waits.enter(caller) : undefined;
  const job = { jobId, owner: site.ownerOf(caller.account) };
  const state = await followJob(jobs, job, leave ? waitS : 0, response).finally(() => leave?.());
  if (state.state === 'unknown') throw unknownJob();
  response.setHeader('Cache-Control', 'no-store');
  if (state.state === 'done' || state.state === 'failed') {
    response.statusCode = 303;
    response.setHeader('Location', toolUrl(state.job, site.publicPath));
    return sendJson(response, describe(jobId, state, ended(state.state), site.publicPath));
  }
  if (state.state !== 'expired')
    response.setHeader('Retry-After', retryAfterS(state.state === 'waiting' ? state.position : 1));
  const progress =
    state.state === 'running'
      ? await services.readSoFar(caller, state.job, state.progress)
      : ended(state.state);
  sendJson(response, describe(jobId, state, progress, site.publicPath));
}

type Followed = { readonly jobId: string; readonly owner: string | undefined };

async function followJob(
  jobs: Jobs,
  { jobId, owner }: Followed,
  waitS: number,
  response: Response,
): Promise<JobState> {
  if (waitS <= 0) return findJob(jobs.jobQueue, jobId, owner);
  const until = performance.now() + waitS * 1000;
  const wake = { call: () => undefined as void };
  let partsEnded: number | undefined;
  const unsubscribe = jobs.jobQueue.onDone(
    (done) => (done === 'missed' || done.jobId === jobId) && wake.call(),
  );
  try {
    for (;;) {
      const state = await findJob(jobs.jobQueue, jobId, owner);
      const leftMs = until - performance.now();
      const isUnderWay = state.state === 'waiting' || state.state === 'running';
      partsEnded ??= endedParts(state);
      if (!isUnderWay || endedParts(state) > partsEnded || leftMs <= 0 || response.closed) return state;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.min(leftMs, lookEveryMs));
        wake.call = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  } finally {
    unsubscribe();
  }
}

function endedParts(state: JobState): number {
  const parts = state.state === 'running' ? (state.progress.parts ?? []) : [];
  return parts.filter((part) => part.state === 'done' || part.state === 'failed').length;
}

function describe(
  id: string,
  state: Exclude<JobState, { state: 'unknown' }>,
  progress: ProgressSoFar,
  publicPath: string,
) {
  const original = toolUrl(state.job, publicPath);
  return {
    id,
    state: state.state,
    ...(state.state === 'waiting' ? { position: state.position } : {}),
    progress,
    ...(state.state === 'expired'
      ? { detail: 'Its turn did not come in time. Repeat the original GET.' }
      : {}),
    links: { self: `${publicPath}/api/jobs/${id}`, original },
  };
}

/** The progress of a job that does not run. */
function ended(state: JobState['state']): ProgressSoFar {
  return { done: state === 'done' ? 1 : 0, total: 1, current: '' };
}

function unknownJob(): Problem {
  return new Problem(
    'job_not_found',
    'This job is not known, or was forgotten after its end. Repeat the original GET.',
  );
}

/**
 * Where a job stands; `unknown` also for a text that is no job's id.
 * @param owner the job of any other account is unknown too; undefined: jobs are everybody's
 */
export async function findJob(
  jobQueue: Pick<JobQueue, 'look'>,
  jobId: string,
  owner: string | undefined,
): Promise<JobState> {
  if (!isRandomId(jobId)) return { state: 'unknown' };
  const found = await jobQueue.look(jobId);
  const isForeign = owner !== undefined && found.state !== 'unknown' && found.job.account !== owner;
  return isForeign ? { state: 'unknown' } : found;
}
