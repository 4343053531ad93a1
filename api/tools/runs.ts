import type { Response } from 'express';
import type { CheckSpec } from '#shared/catalogue/spec';
import type { Job } from '#shared/model/job';
import { Problem } from '#shared/model/problem';
import type { JobQueue } from '#shared/ports/job-queue';
import type { Strikes } from '#shared/ports/strikes';
import type { WaitOutcome } from '#shared/queue/waiting/pending';
import type { RunWaits } from '#shared/queue/waiting/waiting';
import { abortedByClose } from '../answer/connections.ts';
import type { Holds, Waits } from '../limits/holds.ts';
import type { LoadShedding } from '../limits/load-shedding.ts';
import type { Payments } from '../limits/payments.ts';
import type { LimitFields } from '../limits/quotas.ts';
import type { Ask } from '../request/ask.ts';
import type { Caller } from '../request/caller.ts';

/** What starting and awaiting a run takes: the queue, the one place that waits, and every limit on the way. */
export type Runs = {
  readonly jobQueue: JobQueue;
  readonly waiting: RunWaits;
  readonly payments: Payments;
  readonly strikes: Strikes;
  readonly holds: Holds;
  readonly waits: Waits;
  readonly loadShedding: LoadShedding;
  /** How long a GET waits; undefined: as long as the check's spec says. */
  readonly waitSeconds: number | undefined;
  /** How long a job may wait for its turn. */
  readonly queueSeconds: number;
  readonly costOf: (spec: CheckSpec, options: Job['options']) => number;
};

/** Seconds that a GET waits. */
export function waitSecondsOf(runs: Runs, spec: CheckSpec, { waitS }: Pick<Ask, 'waitS'>): number {
  return waitS ?? runs.waitSeconds ?? spec.waitS;
}

type WaitedRun = {
  readonly job: Job;
  readonly caller: Caller;
  readonly ask: Pick<Ask, 'waitS'>;
  readonly response: Response;
};

const never = new AbortController().signal;

/** Joins equal work or starts a run, and waits as long as the caller allows; not at all where it has many waits already. */
export async function runOrJoin(runs: Runs, spec: CheckSpec, running: WaitedRun): Promise<WaitOutcome> {
  const { job, caller, ask, response } = running;
  const leave = runs.waits.enter(caller);
  const waitMs = leave ? 1000 * waitSecondsOf(runs, spec, ask) : 0;
  // A poll is over before its caller could go.
  const signal = waitMs > 0 ? abortedByClose(response) : never;
  try {
    // Joining this process's equal work costs nothing.
    if (runs.waiting.isPending(job.jobKey)) return await runs.waiting.wait(job, waitMs, signal);
    return await runPaid(runs, spec, running, () => runs.waiting.wait(job, waitMs, signal));
  } finally {
    leave?.();
  }
}

/** As `runOrJoin`, for a run that no request waits for: it takes none of its caller's waits. */
export async function runAside(
  runs: Runs,
  spec: CheckSpec,
  { job, caller }: Pick<WaitedRun, 'job' | 'caller'>,
  { waitMs, signal }: { readonly waitMs: number; readonly signal: AbortSignal },
): Promise<WaitOutcome> {
  const wait = () => runs.waiting.wait(job, waitMs, signal);
  if (runs.waiting.isPending(job.jobKey)) return wait();
  return runPaid(runs, spec, { job, caller, response: undefined }, wait);
}

/** Pays, submits and waits, and gives back what was not needed. */
async function runPaid(
  runs: Runs,
  spec: CheckSpec,
  { job, caller, response }: Pick<WaitedRun, 'job' | 'caller'> & { readonly response: LimitFields },
  wait: () => Promise<WaitOutcome>,
): Promise<WaitOutcome> {
  runs.loadShedding.check(runs.holds.hasFew(caller));
  await refuseStruck(runs.strikes, job);
  const leave = runs.holds.take(caller, job);
  try {
    await runs.payments.pay(caller, job, runs.costOf(spec, job.options), response);
    const outcome = await wait();
    if (!isPaidFor(outcome, job) && !(await runs.strikes.has(job.jobId)))
      await runs.payments.giveBack(caller, job.jobId, response);
    // Nothing was kept of it, so no `done` will free its place.
    if (outcome.kind === 'later' && outcome.submitted.state === 'full') leave();
    return outcome;
  } catch (error) {
    // The job of a caller that went away goes on, in its place and paid for.
    if (!(error instanceof Problem)) throw error;
    leave();
    // What was refused for the limit was not paid for, and the answer says already what is left.
    if (error.policy !== 'scans') await runs.payments.giveBack(caller, job.jobId, response);
    throw error;
  }
}

// Not another request's work, not a run that never came about or failed through us.
function isPaidFor(outcome: WaitOutcome, { jobId }: Job): boolean {
  if (outcome.kind === 'report') return outcome.stored.jobId === jobId && outcome.stored.state !== 'failed';
  return outcome.kind === 'later' && !['joined', 'full'].includes(outcome.submitted.state);
}

/** Throws 429 for a caller, or a host, whose checks have ended our processes again and again. */
async function refuseStruck(
  strikes: Pick<Strikes, 'look'>,
  job: Pick<Job, 'caller' | 'host'>,
): Promise<void> {
  const refused = await strikes.look(job);
  if (!refused) return;
  const { who, forS } = refused;
  const whose = who === 'host' ? `Checks of ${job.host}` : 'Your checks';
  throw new Problem(
    'rate_limited',
    `${whose} ended the process that read the target’s answers three times within an hour. There are no new ones for ${forS} s; cached reports stay readable meanwhile.`,
    { retryAfterS: forS, policy: who === 'host' ? 'host' : 'scans' },
  );
}
