import { ask } from '#shared/ask/ask';
import { invalidRequest, isMalformed, type Question, targetNotAllowed } from '#shared/ask/question';
import { findSpec } from '#shared/catalogue/registry';
import type { Caller } from '#shared/limits/caller';
import { payAsCaller } from '#shared/limits/pay-as-caller';
import { inBackground } from '#shared/limits/payer';
import type { ScanPace } from '#shared/limits/scan-pace';
import { freshnessOf } from '#shared/model/freshness';
import { describeFaults, type InputError, Problem, type ProblemCode, problems } from '#shared/model/problem';
import type { Batch, BatchEnd, BatchOutcome } from '#shared/ports/batch-store';
import { tellFault } from '#shared/targets/parse-target';
import type { ReadyReport } from '../../answer/ready-report.ts';
import type { Services } from '../../services.ts';

/** What asking a target takes: the same parts as a GET of the tool. */
export type AskServices = Pick<Services, 'questions' | 'jobs' | 'site'>;

/** A target of a batch. */
export type BatchTarget = {
  readonly batch: Batch;
  readonly target: string;
  readonly caller: Caller;
  readonly pace: ScanPace;
  /** Aborted when the batch is cancelled: what waits is not asked any more, what runs may end. */
  readonly cancelled: AbortSignal;
  readonly signal: AbortSignal;
};

/** How asking a target ended: as it stays, or it is to be asked again. */
export type AskOutcome =
  | { readonly outcome: BatchOutcome; readonly reportId: string | null; readonly problem: string | null }
  | { readonly againInMs: number; readonly problem: Problem };

/** Temporary problems: the target is tried again later, unless Retry-After is longer than this. */
const passing: ReadonlySet<string> = new Set([
  'rate_limited',
  'overloaded',
  'queue_unavailable',
  'store_unavailable',
  'browser_unavailable',
  'shutting_down',
]);
const longestRetryS = 300;
/** A run without waiters is asked for again after at most this time. */
const graceMs = 30_000;
/** Why a target of a cancelled batch is not asked. A Problem, so that what was paid for it is given back. */
export const withdrawn = new Problem('shutting_down', 'Its batch was cancelled.', { retryAfterS: 1 });

/** Asks one target as a GET of the tool would: what is stored answers, equal work is joined, and a run is paid for. Rejects with the signal's reason. */
export async function askTarget(services: AskServices, asked: BatchTarget): Promise<AskOutcome> {
  const { signal } = asked;
  try {
    const { reportId } = await findReport(services, asked);
    return { outcome: 'done', reportId, problem: null };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    signal.throwIfAborted();
    const { code, retryAfterS } = error;
    if (passing.has(code) && retryAfterS !== undefined && retryAfterS <= longestRetryS)
      return { againInMs: retryAfterS * 1000, problem: error };
    return endOf(error);
  }
}

/** The end of a target that has no report. Of its problem the code is kept: `problemOf` makes the document of it again. */
export function endOf({ code }: Problem): AskOutcome {
  return { outcome: isRefusal(code) ? 'refused' : 'failed', reportId: null, problem: code };
}

function isRefusal(code: string): boolean {
  return code === 'invalid_request' || code === 'target_not_allowed';
}

/** The problem of a target that ended without a report, at its place in the list. */
export function problemOf(
  services: Pick<AskServices, 'questions' | 'site'>,
  batch: Batch,
  { index, problem }: Pick<BatchEnd, 'index' | 'problem'>,
  target: string,
): Problem {
  const code = problem !== null && Object.hasOwn(problems, problem) ? (problem as ProblemCode) : 'not_found';
  // Nothing but the list of names that are never checked can have changed since.
  const refusal = isRefusal(code) ? questionOf(services, batch, target) : undefined;
  if (refusal instanceof Problem && isRefusal(refusal.code)) return ofBody(refusal, index);
  return new Problem(code, `${problems[code].title}. Ask the tool for this target again.`);
}

async function findReport(services: AskServices, asked: BatchTarget): Promise<ReadyReport> {
  const { jobs } = services;
  const { batch, caller, pace, cancelled, signal } = asked;
  const question = questionOf(services, batch, asked.target);
  if (question instanceof Problem) throw question;
  const { spec, options } = question;
  const { maxAgeS, createdAt } = batch;
  const answer = await ask(jobs.asking, {
    question,
    // A target that is asked again, after a failure or by another process, takes the report of its first run.
    freshness: freshnessOf(spec, maxAgeS ?? undefined, maxAgeS === null ? Date.now() : createdAt),
    payer: inBackground(payAsCaller(jobs.runLimits, caller, undefined)),
    account: batch.account,
    origin: { requestId: `batch-${batch.batchId}` },
    waitMs: jobs.asking.queueSeconds * 1000 + spec.runLimitMs(options) + graceMs,
    signal,
    withdrawn: cancelled,
    turn: (cost) => pace.turn(caller, cost, AbortSignal.any([signal, cancelled])),
  });
  if (answer.kind === 'report') return answer.report;
  throw new Problem('overloaded', 'Its turn did not come in time.', { retryAfterS: 10 });
}

/** Understands a target as a GET of the tool would. */
function questionOf(
  { questions, site }: Pick<AskServices, 'questions' | 'site'>,
  { check, options, account }: Batch,
  text: string,
): Question | Problem {
  const spec = findSpec(check);
  if (!spec) return new Problem('not_found', `There is no check "${check}" here any more.`);
  const disabled = questions.refusalOf(spec);
  if (disabled) return disabled;
  const about = questions.readTarget(spec, text.toWellFormed());
  const owner = site.ownerOf(account);
  if (!('fault' in about)) {
    const port = questions.judgePortOption(spec, options);
    if (port === undefined) return questions.of(spec, { ...about, options }, owner);
    return targetNotAllowed([{ in: 'body', name: `/options/${spec.portOption}`, detail: port }]);
  }
  const fault = { in: 'body', name: 'target', detail: tellFault(about.fault) } as const;
  return isMalformed(about) ? invalidRequest([fault]) : targetNotAllowed([fault]);
}

function ofBody({ code, errors = [] }: Problem, index: number): Problem {
  const placed = errors.map((fault): InputError =>
    fault.name === 'target' ? { ...fault, name: `/targets/${index}` } : fault,
  );
  return new Problem(code, describeFaults(placed), { errors: placed });
}
