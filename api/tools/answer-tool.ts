import type { IncomingMessage } from 'node:http';
import type { Response } from 'express';
import type { CheckSpec } from '#shared/catalogue/spec';
import type { Job, AcceptedAge } from '#shared/model/job';
import { Problem } from '#shared/model/problem';
import { type JobState, notStarted, type Submitted } from '#shared/ports/job-queue';
import type { WaitOutcome } from '#shared/queue/waiting/pending';
import type { OpenJob } from '#shared/queue/waiting/waiting';
import { type ReadyReport, type ReportAnswer, sendReport } from '../answer/ready-report.ts';
import type { Desk } from '../desk.ts';
import { crossSiteRequest } from '../listener/other-site.ts';
import { admit } from '../request/admit.ts';
import type { Ask } from '../request/ask.ts';
import { noteSubject, originOf } from '../request/request-log.ts';
import { drawJob, tooMuchWaits } from './draw-job.ts';
import { give } from './give.ts';
import { judgeStored } from './judge-stored.ts';
import { type LaterJob, sendLater } from './later.ts';
import { type Runs, runOrJoin, waitSecondsOf } from './runs.ts';
import { findKnown } from './shelf.ts';

type Late = Exclude<WaitOutcome, { kind: 'report' }>;
type ToolDesk = Pick<Desk, 'witness' | 'door' | 'admission' | 'readAsk' | 'shelf' | 'runs' | 'site'>;

/** Answers a GET of a tool: fresh report, joined work, or a new run that is waited for. Gives the Problem of an address that is not valid. */
export async function answerTool(
  { witness, door, admission, readAsk, shelf, runs, site }: ToolDesk,
  spec: CheckSpec,
  request: IncomingMessage,
  response: Response,
): Promise<Problem | void> {
  const caller = await admit(admission, request, response, 'tools');
  const ask = readAsk.orProblem(spec, request, site.ownerOf(caller.account));
  if (ask instanceof Problem) return ask;
  const now = Date.now();
  const wanted = wantedOf(ask, spec, now);
  const send = async (ready: ReadyReport, via: ReportAnswer['via']) => {
    witness.metrics?.cacheLookup(via);
    noteSubject(response, { reportId: ready.reportId });
    await give({ site, shelf }, caller, ready);
    const isOwnFreshness = ask.freshness.maxAgeS !== undefined;
    const isPublic = site.isOpen && caller.kind === 'anonymous';
    await sendReport(request, response, { ready, via, isOwnFreshness, isPublic });
  };

  // A token is never sent for another site's page: that takes a preflight, and CORS decides.
  const isUnasked = caller.kind === 'anonymous' && door.isFromOtherSite(request.headers);
  const polled = isUnasked ? undefined : await poll(runs, spec, ask);
  if (polled) {
    noteSubject(response, { jobId: polled.jobId });
    return sendLater(response, polled, ask.applied, site.publicPath);
  }

  const known = await findKnown(shelf, ask.jobKey, wanted, now);
  if (known) return send(known, 'hit');
  const judged = await judgeStored(shelf, { spec, ask, caller, wanted });
  if (judged) return send(judged, 'hit');
  if (ask.freshness.onlyIfCached) throw notCached();
  if (isUnasked) throw crossSiteRequest();

  const drawing = { ask, caller, ...originOf(response), wanted: wantedOfRun(wanted, ask, now), now };
  const job = drawJob(spec, drawing, runs.queueSeconds);
  const outcome = await runOrJoin(runs, spec, { job, caller, ask, response });
  const { jobId } = outcome.kind === 'report' ? outcome.stored : outcome.submitted;
  noteSubject(response, { jobId });
  if (outcome.kind === 'report')
    return send(shelf.reports.keep(outcome.stored), jobId === job.jobId ? 'stored' : 'collapsed');
  sendLater(response, await laterJob(runs, job, outcome), ask.applied, site.publicPath);
}

/** What goes on after the answer. Throws the Problem of a job that does not. */
function laterJob(runs: Runs, job: Job, { kind, submitted }: Late): Promise<LaterJob> {
  if (submitted.state === 'full') throw tooMuchWaits(job);
  if (kind === 'expired')
    throw new Problem('overloaded', 'Its turn did not come in time. Repeat the GET.', { retryAfterS: 10 });
  return lookJob(runs, job, submitted);
}

/** What a caller that does not wait asks about again: it pays for nothing and starts nothing, so the queue is only looked at. */
async function poll(runs: Runs, spec: CheckSpec, ask: Ask): Promise<LaterJob | undefined> {
  const isPlain = ask.freshness.maxAgeS === undefined && !ask.freshness.onlyIfCached;
  if (!isPlain || waitSecondsOf(runs, spec, ask) > 0) return undefined;
  const open = runs.waiting.openJob(ask.jobKey);
  return open && laterOf(open.jobId, await lookAtJob(runs, open));
}

/** Undefined where the queue is away at this moment. */
function lookAtJob({ jobQueue }: Runs, { queue, jobId }: OpenJob): Promise<JobState | undefined> {
  return jobQueue.look(queue, jobId).catch((error: unknown) => {
    if (error instanceof Problem) return undefined;
    throw error;
  });
}

// The position is an extra: without it, because the queue is away at this moment, the 202 is sent all the same.
async function lookJob(runs: Runs, job: Job, submitted: Submitted): Promise<LaterJob> {
  const { jobId } = submitted;
  const state = await lookAtJob(runs, { queue: job.queue, jobId });
  const isParked = state === undefined && submitted.state === 'parked';
  return (
    laterOf(jobId, state) ?? {
      jobId,
      job,
      progress: notStarted,
      ...(isParked ? { position: submitted.position ?? 1 } : {}),
    }
  );
}

/** Undefined for a job that neither waits nor runs. */
function laterOf(jobId: string, state: JobState | undefined): LaterJob | undefined {
  if (state?.state === 'waiting')
    return { jobId, job: state.job, progress: notStarted, position: state.position };
  return state?.state === 'running' ? { jobId, job: state.job, progress: state.progress } : undefined;
}

/** Which stored report answers at once. The floor keeps a caller of `fresh` from starting run after run. */
export function wantedOf({ freshness }: Ask, spec: CheckSpec, now: number): AcceptedAge {
  const { maxAgeS } = freshness;
  if (maxAgeS === undefined) return { since: now, orFresh: true };
  return { since: now - Math.max(maxAgeS, spec.refreshFloorS) * 1000, orFresh: false };
}

/** Which report ends the wait: also one whose run ended after the GET came, fresh or not. */
export function wantedOfRun(wanted: AcceptedAge, ask: Ask, now: number): AcceptedAge {
  return ask.freshness.maxAgeS === undefined ? { since: now, orFresh: true } : wanted;
}

function notCached(): Problem {
  return new Problem(
    'not_cached',
    'Nothing fresh enough is stored. Ask again without only-if-cached to start a check.',
  );
}
