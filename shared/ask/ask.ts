import { makeJob } from '../catalogue/make-job.ts';
import type { CheckSpec } from '../catalogue/spec.ts';
import type { Payer, Payment } from '../limits/payer.ts';
import type { Freshness } from '../model/freshness.ts';
import type { Job } from '../model/job.ts';
import { Problem } from '../model/problem.ts';
import type { JobQueue, JobState, Submitted } from '../ports/job-queue.ts';
import type { WaitOutcome } from '../queue/waiting/pending.ts';
import type { RunWaits } from '../queue/waiting/waiting.ts';
import { findReport, type ReportPlaces } from './find-report.ts';
import { type GrantParts, grantReport } from './grant-report.ts';
import type { Question } from './question.ts';
import type { KnownReport } from './reports.ts';

/** What asking takes, opened once for a process. */
export type AskParts<R extends KnownReport> = ReportPlaces<R> &
  GrantParts & {
    readonly jobQueue: Pick<JobQueue, 'look'>;
    readonly waiting: RunWaits;
    /** How long a job may wait for its turn. */
    readonly queueSeconds: number;
    /** Points of the `scans` quota for a run. */
    readonly costOf: (spec: CheckSpec, options: Job['options']) => number;
  };

/** Give this account a report that answers the question, not older than it wants. */
export type Asking = {
  readonly question: Question;
  readonly freshness: Freshness;
  readonly payer: Payer;
  /** Who may read the report again by its id; undefined: no account gets it. */
  readonly account: string | undefined;
  /** What is asked on behalf of; log lines and spans of the job have it. */
  readonly origin: { readonly requestId?: string | undefined; readonly trace?: string | undefined };
  /** How long the report is waited for; 0 or less: not at all. */
  readonly waitMs: number;
  /** Ends the wait; the run goes on. */
  readonly signal: AbortSignal;
  /** Nobody wants the report any more: the job ends too, unless it runs or somebody else wants it. */
  readonly withdrawn?: AbortSignal;
  /** False: only what is known already answers. */
  readonly mayStart?: boolean;
  /** True where the asker has looked: nothing that is stored answers. */
  readonly isUnknown?: boolean;
  /** Waits its turn to pay for a run that nobody of this process waits for yet. Rejects where the asking ends. */
  readonly turn?: (cost: number) => Promise<void>;
};

/** `later`: the job goes on after the answer · `none`: nothing answers, and nothing was to be started. */
export type Answer<R> =
  | {
      readonly kind: 'report';
      readonly report: R;
      readonly jobId: string | undefined;
      readonly via: AnswerVia;
    }
  | ({ readonly kind: 'later' } & Later)
  | { readonly kind: 'none' };

/** How a report came about, in the words of Cache-Status (RFC 9211). */
export type AnswerVia = 'hit' | 'stored' | 'collapsed';

/** A job that goes on: what is known of it is its state, or how it was submitted. */
export type Later = { readonly jobId: string; readonly job: Job } & (
  | { readonly state: JobState }
  | { readonly submitted: Submitted }
);

/**
 * The one way to a report. Rejects with the Problem of what refuses it, or with the reason of the signal.
 * Under way, and nobody waits? Known? May it start? Then join, or pay and submit; wait; grant.
 */
export async function ask<R extends KnownReport>(parts: AskParts<R>, asking: Asking): Promise<Answer<R>> {
  const { question, freshness, payer, mayStart = true } = asking;
  const underWay = mayStart ? await findUnderWay(parts, asking) : undefined;
  if (underWay) return { kind: 'later', ...underWay };
  const isAnonymous = payer.turns.isAnonymous === true;
  const known =
    asking.isUnknown === true ? undefined : await findReport(parts, question, freshness, isAnonymous);
  if (known) return granted(parts, asking, { report: known, jobId: undefined, via: 'hit' });
  if (!mayStart) return { kind: 'none' };
  await payForRun(parts, asking);
  const job = drawJob(parts, asking);
  const outcome = await joinOrRun(parts, asking, job);
  if (outcome.kind === 'report') {
    const { stored } = outcome;
    const via = stored.reportId === job.reportId ? 'stored' : 'collapsed';
    return granted(parts, asking, { report: parts.remembered.keep(stored), jobId: stored.jobId, via });
  }
  const { submitted } = outcome;
  if (submitted.state === 'full') throw tooMuchWaits(job);
  if (outcome.kind === 'expired') throw tooLate();
  return { kind: 'later', jobId: submitted.jobId, job, submitted };
}

/** Who polls a job pays for nothing and starts nothing: until it ends, the store has nothing fresh, and the queue is only looked at. */
async function findUnderWay<R extends KnownReport>(
  { waiting, jobQueue }: AskParts<R>,
  { question, freshness, waitMs }: Asking,
): Promise<Later | undefined> {
  const jobId = waitMs > 0 || !freshness.orFresh ? undefined : waiting.openJob(question.jobKey);
  if (jobId === undefined) return undefined;
  const state = await lookAtJob(jobQueue, jobId);
  const goesOn = state?.state === 'waiting' || state?.state === 'running';
  return goesOn ? { jobId, job: state.job, state } : undefined;
}

/** Where a job stands; undefined where the queue is away at this moment. */
export function lookAtJob(jobQueue: Pick<JobQueue, 'look'>, jobId: string): Promise<JobState | undefined> {
  return jobQueue.look(jobId).catch((error: unknown) => {
    if (error instanceof Problem) return undefined;
    throw error;
  });
}

async function granted<R extends KnownReport>(
  parts: AskParts<R>,
  { account }: Asking,
  found: Omit<Extract<Answer<R>, { kind: 'report' }>, 'kind'>,
): Promise<Answer<R>> {
  if (account !== undefined) await grantReport(parts, account, found.report);
  return { kind: 'report', ...found };
}

async function payForRun<R extends KnownReport>(
  { waiting, costOf }: AskParts<R>,
  { question: { jobKey, spec, options }, turn }: Asking,
): Promise<void> {
  if (turn && !waiting.isPending(jobKey)) await turn(costOf(spec, options));
}

function drawJob<R extends KnownReport>({ queueSeconds }: AskParts<R>, asking: Asking): Job {
  const { question, freshness, payer, origin } = asking;
  const { spec, target, host, options, jobKey, keyVersion, owner } = question;
  const wish = {
    ...payer.turns,
    target,
    host,
    options,
    jobKey,
    keyVersion,
    wanted: freshness,
    ...(owner === undefined ? {} : { account: owner }),
    ...(origin.requestId === undefined ? {} : { requestId: origin.requestId }),
    ...(origin.trace === undefined ? {} : { trace: origin.trace }),
  };
  return makeJob(spec, wish, Date.now() + queueSeconds * 1000);
}

/** Joining this process's equal work costs nothing; a run of one's own is paid for, and what was not needed is given back. */
async function joinOrRun<R extends KnownReport>(
  { waiting, costOf }: AskParts<R>,
  { question, payer, waitMs, signal, withdrawn }: Asking,
  job: Job,
): Promise<WaitOutcome> {
  const wait = () => waiting.wait(job, { waitMs, signal, withdrawn });
  if (waiting.isPending(job.jobKey)) return wait();
  const payment = await payer.pay(job, costOf(question.spec, question.options));
  // Others of this process paid at the same time, and one of them was first: the run is its.
  if (waiting.isPending(job.jobKey)) return (await Promise.all([wait(), payment.giveBack()]))[0];
  try {
    const outcome = await wait();
    await settle(payment, outcome, job);
    return outcome;
  } catch (error) {
    // The job of an asker that went away goes on, in its place and paid for; so does one that others wait for.
    if (error instanceof Problem && !waiting.isPending(job.jobKey)) await payment.undo();
    throw error;
  }
}

// Not another request's work, not a run that never came about or failed through us.
async function settle(payment: Payment, outcome: WaitOutcome, { reportId }: Job): Promise<void> {
  if (outcome.kind === 'report') {
    const { stored } = outcome;
    // A run that was lost goes on under another job's id, and keeps its report's.
    return stored.reportId === reportId && stored.state !== 'failed' ? undefined : payment.giveBack();
  }
  const { state } = outcome.submitted;
  if (state === 'full') return payment.undo();
  if (outcome.kind === 'expired' || state === 'joined') return payment.giveBack();
}

/** Seconds after which asking again is worth it: the more are ahead, the later. */
export function retryAfterS(position: number | undefined): number {
  return Math.min(30, Math.max(1, Math.ceil((position ?? 1) / 2)));
}

function tooMuchWaits({ host }: Job): Problem {
  return new Problem('overloaded', `Too many checks of ${host} are waiting already. Ask again later.`, {
    retryAfterS: retryAfterS(60),
  });
}

function tooLate(): Problem {
  return new Problem('overloaded', 'Its turn did not come in time. Ask again.', { retryAfterS: 10 });
}

/** What a caller hears who wanted only what is known. */
export function notCached(): Problem {
  return new Problem(
    'not_cached',
    'Nothing fresh enough is stored. Ask again without only-if-cached to start a check.',
  );
}
