import type { Request, Response } from 'express';
import type { CheckSpec } from '../shared/catalogue/spec.ts';
import type { Submitted } from '../shared/job-queue/port.ts';
import { makeJob } from '../shared/make-job.ts';
import type { Job, Wanted } from '../shared/model/job.ts';
import { Problem } from '../shared/model/problem.ts';
import type { WaitOutcome } from '../shared/waiting/pending.ts';
import { type LaterJob, type ReportAnswer, retryAfterS, sendLater, sendReport } from './answer.ts';
import type { Desk } from './desk.ts';
import { give } from './give.ts';
import type { ReadyReport } from './report-cache.ts';
import { admit } from './request/admit.ts';
import type { Ask } from './request/ask.ts';
import type { Caller } from './request/caller.ts';

/** Answers a GET of a tool: fresh report, joined work, or a new run that is waited for. */
export async function answerTool(
  desk: Desk,
  spec: CheckSpec,
  request: Request,
  response: Response,
): Promise<void> {
  const caller = await admit(desk, request, response, 'tools');
  const ask = desk.readAsk(spec, request);
  const { jobKey } = ask;
  const now = Date.now();
  const wanted = wantedOf(ask, spec, now);
  const send = async (ready: ReadyReport, via: ReportAnswer['via']) => {
    desk.metrics?.cacheLookup(via);
    await give(desk, caller, ready);
    const isOwnFreshness = ask.freshness.maxAgeS !== undefined;
    const isPublic = desk.isOpen && caller.kind === 'anonymous';
    await sendReport(request, response, { ready, via, isOwnFreshness, isPublic });
  };

  const inMemory = desk.reports.find(jobKey, wanted, now);
  if (inMemory) return send(inMemory, 'hit');
  const found = await desk.reportStore.findFresh([{ jobKey, wanted }]);
  const stored = found.get(jobKey);
  if (stored) return send(desk.reports.keep(stored), 'hit');
  if (ask.freshness.onlyIfCached)
    throw new Problem(
      'not_cached',
      'Nothing fresh enough is stored. Ask again without only-if-cached to start a check.',
    );

  const { target, options, host } = ask;
  const isAnonymous = caller.kind === 'anonymous';
  const keyVersion = desk.keyVersionOf(spec);
  const wish = { jobKey, keyVersion, target, options, host, caller: caller.id, isAnonymous };
  const job = makeJob(
    spec,
    { ...wish, wanted: wantedOfRun(wanted, ask, now) },
    now + desk.queueSeconds * 1000,
  );
  const outcome = await runOrJoin(desk, spec, { job, caller, ask, response });
  if (outcome.kind === 'report')
    return send(
      desk.reports.keep(outcome.stored),
      outcome.stored.jobId === job.jobId ? 'stored' : 'collapsed',
    );
  if (outcome.submitted.state === 'full') throw tooMuchWaits(job);
  if (outcome.kind === 'expired')
    throw new Problem('overloaded', 'Its turn did not come in time. Repeat the GET.', { retryAfterS: 10 });
  sendLater(response, await lookJob(desk, job, outcome.submitted), ask.applied, desk.publicPath);
}

// A courtesy: a queue that is away at this moment costs nobody the answer.
async function lookJob({ jobQueue }: Desk, job: Job, submitted: Submitted): Promise<LaterJob> {
  const { jobId } = submitted;
  const state = await jobQueue.look(job.queue, jobId).catch((error: unknown) => {
    if (error instanceof Problem) return undefined;
    throw error;
  });
  const progress = state?.state === 'running' ? state.progress : { done: 0, total: 1, current: '' };
  const position = state?.state === 'waiting' ? state.position : submitted.position;
  const isWaiting = state === undefined ? submitted.state === 'parked' : state.state === 'waiting';
  return { jobId, job, progress, ...(isWaiting ? { position: position ?? 1 } : {}) };
}

type Running = { readonly job: Job; readonly caller: Caller; readonly ask: Ask; readonly response: Response };

/** Waits as long as the caller lets us, or not at all where it has many waits already. */
async function runOrJoin(desk: Desk, spec: CheckSpec, running: Running): Promise<WaitOutcome> {
  const { job, caller, ask, response } = running;
  const leave = desk.waits.enter(caller.id);
  const waitMs = leave ? 1000 * (ask.waitS ?? desk.waitSeconds ?? spec.waitS) : 0;
  const signal = abortedByClose(response);
  try {
    // Joining this process's equal work costs nothing.
    if (desk.waiting.isPending(job.jobKey)) return await desk.waiting.wait(job, waitMs, signal);
    return await runPaid(desk, spec, running, () => desk.waiting.wait(job, waitMs, signal));
  } finally {
    leave?.();
  }
}

/** Pays, submits and waits, and gives back what was not needed. */
async function runPaid(
  desk: Desk,
  spec: CheckSpec,
  { job, caller, response }: Running,
  wait: () => Promise<WaitOutcome>,
): Promise<WaitOutcome> {
  desk.shed.check();
  const leave = desk.holds.take(caller, job);
  try {
    await desk.payments.pay(caller, job, spec.cost(job.options), response);
    const outcome = await wait();
    if (!isPaidFor(outcome, job)) await desk.payments.giveBack(caller, job.jobId, response);
    // Nothing was kept of it, so nothing will tell of its end.
    if (outcome.kind === 'later' && outcome.submitted.state === 'full') leave();
    return outcome;
  } catch (error) {
    // The job of a caller that went away goes on, in its place and paid for.
    if (!(error instanceof Problem)) throw error;
    leave();
    // What was refused for the limit was not paid for, and the answer says already what is left.
    if (error.policy !== 'scans') await desk.payments.giveBack(caller, job.jobId, response);
    throw error;
  }
}

// Not somebody else's work, not a run that never came about or failed through us.
function isPaidFor(outcome: WaitOutcome, { jobId }: Job): boolean {
  if (outcome.kind === 'report') return outcome.stored.jobId === jobId && outcome.stored.state !== 'failed';
  return outcome.kind === 'later' && !['joined', 'full'].includes(outcome.submitted.state);
}

/** Which stored report answers at once. The floor keeps a caller of `fresh` from starting run after run. */
function wantedOf({ freshness }: Ask, spec: CheckSpec, now: number): Wanted {
  const { maxAgeS } = freshness;
  if (maxAgeS === undefined) return { since: now, orFresh: true };
  return { since: now - Math.max(maxAgeS, spec.refreshFloorS) * 1000, orFresh: false };
}

/** Which report ends the wait: also one whose run ended after the GET came, fresh or not. */
function wantedOfRun(wanted: Wanted, ask: Ask, now: number): Wanted {
  return ask.freshness.maxAgeS === undefined ? { since: now, orFresh: true } : wanted;
}

function tooMuchWaits({ host }: Job): Problem {
  return new Problem('overloaded', `Too many checks of ${host} are waiting already. Ask again later.`, {
    retryAfterS: retryAfterS(60),
  });
}

// A caller that went away stops waiting; its job goes on, and its report will answer the next one.
function abortedByClose(response: Response): AbortSignal {
  const controller = new AbortController();
  const leave = () => {
    if (!response.writableEnded) controller.abort(new ClientGone());
  };
  if (response.closed) leave();
  else response.once('close', leave);
  return controller.signal;
}

/** The caller closed its connection: there is nobody to answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}
