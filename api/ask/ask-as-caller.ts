import type { Response } from 'express';
import { type Answer, ask, type AskParts } from '#shared/ask/ask';
import type { Question } from '#shared/ask/question';
import type { CheckSpec } from '#shared/catalogue/spec';
import type { Caller } from '#shared/limits/caller';
import { payAsCaller, type RunLimits } from '#shared/limits/pay-as-caller';
import { inBackground } from '#shared/limits/payer';
import type { Freshness } from '#shared/model/freshness';
import type { ToldJob } from '#shared/model/job';
import { Problem } from '#shared/model/problem';
import type { JobQueue } from '#shared/ports/job-queue';
import type { ReadyReport } from '../answer/ready-report.ts';
import type { Waits } from '../limits/waits.ts';
import { abortedByClose } from '../request/connections.ts';
import { noteSubject, originOf } from '../request/request-log.ts';

/** What starting and awaiting a run takes: the queue, the one place that waits, and every limit on the way. */
export type Jobs = {
  /** How a report is asked for. */
  readonly asking: AskParts<ReadyReport>;
  readonly jobQueue: JobQueue;
  readonly runLimits: RunLimits;
  readonly waits: Waits;
  /** How long a GET waits; undefined: as long as the check's spec says. */
  readonly waitSeconds: number | undefined;
};

/** A question of a request. */
export type RequestedReport = {
  readonly question: Question;
  readonly freshness: Freshness;
  /** Seconds; 0: not at all. */
  readonly waitS: number;
  readonly mayStart?: boolean;
  readonly isUnknown?: boolean;
  /** Nobody waits for it, now or later. */
  readonly isBackground?: boolean;
  /** Who may read the report again; the caller's account where left out, nobody where undefined. */
  readonly account?: string | undefined;
};

const never = new AbortController().signal;

/** Asks on behalf of the caller of a request, who pays and waits; not at all where many of its requests wait already. The request's log line tells of it. */
export async function askAsCaller(
  { jobs }: { readonly jobs: Jobs },
  { caller, response }: { readonly caller: Caller; readonly response: Response },
  { isBackground = false, ...asked }: RequestedReport,
): Promise<Answer<ReadyReport>> {
  const leave = asked.waitS > 0 ? jobs.waits.enter(caller) : undefined;
  const waitMs = leave ? 1000 * asked.waitS : 0;
  const payer = payAsCaller(jobs.runLimits, caller, response);
  const answer = await ask(jobs.asking, {
    account: caller.account,
    ...asked,
    payer: isBackground ? inBackground(payer) : payer,
    origin: originOf(response),
    waitMs,
    // A poll is over before its caller could go.
    signal: waitMs > 0 ? abortedByClose(response) : never,
  }).finally(() => leave?.());
  if (answer.kind !== 'none' && answer.jobId !== undefined) noteSubject(response, { jobId: answer.jobId });
  // Its caller may ask for it by its id.
  if (answer.kind === 'later' && !isBackground) await tellJob(jobs.jobQueue, answer);
  if (answer.kind === 'report') noteSubject(response, { reportId: answer.report.reportId });
  return answer;
}

/** Seconds that a GET waits. */
export function waitSecondsOf({ waitSeconds }: Jobs, spec: CheckSpec, asked: number | undefined): number {
  return asked ?? waitSeconds ?? spec.waitS;
}

/** What a job's id is told for is a courtesy: where the queue is away at this moment, the answer goes out all the same. */
async function tellJob(jobQueue: JobQueue, { jobId, job }: { jobId: string; job: ToldJob }): Promise<void> {
  try {
    await jobQueue.tell({ ...job, jobId });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
  }
}
