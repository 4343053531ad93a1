import { setTimeout as delay } from 'node:timers/promises';
import { findSpec } from '#shared/catalogue/registry';
import type { CheckSpec } from '#shared/catalogue/spec';
import type { Job, AcceptedAge } from '#shared/model/job';
import { type Fault, Problem, type ProblemCode, problems } from '#shared/model/problem';
import type { Batch, BatchEnd, BatchOutcome } from '#shared/ports/batch-store';
import type { ReadyReport } from '../../answer/ready-report.ts';
import type { Desk } from '../../desk.ts';
import type { Ask } from '../../request/ask.ts';
import type { Caller } from '../../request/caller.ts';
import { describeFaults } from '../../request/read-query.ts';
import { drawJob } from '../../tools/draw-job.ts';
import { give } from '../../tools/give.ts';
import { toolUrl } from '../../tools/later.ts';
import { runAside } from '../../tools/runs.ts';
import { findKnown } from '../../tools/shelf.ts';
import type { ScanPace } from './scan-pace.ts';

/** What asking a target takes: the same parts as a GET of the tool. */
export type AskDesk = Pick<Desk, 'readAsk' | 'runs' | 'shelf' | 'site'>;

/** A target of a batch. */
export type BatchTarget = {
  readonly batch: Batch;
  readonly index: number;
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

/** Problems that pass: the target is asked again later. Where Retry-After is longer than this, nobody would wait for it. */
const passing: ReadonlySet<string> = new Set([
  'rate_limited',
  'overloaded',
  'queue_unavailable',
  'store_unavailable',
  'browser_unavailable',
  'shutting_down',
]);
const longestRetryS = 300;
/** A run that nobody waits for any more is asked for again after this at the latest. */
const graceMs = 30_000;
/** A job that could not be withdrawn because it was not submitted yet, or held by a process that is gone, is tried again. */
const withdrawAgainMs = 1000;
/** Why a target of a cancelled batch is not asked. A Problem, so that what was paid for it is given back. */
const withdrawn = new Problem('shutting_down', 'Its batch was cancelled.', { retryAfterS: 1 });

/** Asks one target as a GET of the tool would: what is stored answers, equal work is joined, and a run is paid for. Rejects with the signal's reason. */
export async function askTarget(desk: AskDesk, asked: BatchTarget): Promise<AskOutcome> {
  const { signal } = asked;
  try {
    const report = await findReport(desk, asked);
    await give(desk, asked.caller, report);
    return { outcome: 'done', reportId: report.reportId, problem: null };
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
  desk: Pick<AskDesk, 'readAsk' | 'site'>,
  batch: Batch,
  { index, problem }: Pick<BatchEnd, 'index' | 'problem'>,
  target: string,
): Problem {
  const code = problem !== null && Object.hasOwn(problems, problem) ? (problem as ProblemCode) : 'not_found';
  // Nothing but the list of names that are never checked can have changed since.
  const refusal = isRefusal(code) ? refusalOf(desk, batch, target) : undefined;
  if (refusal) return ofBody(refusal, index);
  return new Problem(code, `${problems[code].title}. Ask the tool for this target again.`);
}

function refusalOf(
  desk: Pick<AskDesk, 'readAsk' | 'site'>,
  batch: Batch,
  target: string,
): Problem | undefined {
  try {
    readAsk(desk, specOf(batch.check), batch, target);
    return undefined;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return isRefusal(error.code) ? error : undefined;
  }
}

async function findReport(desk: AskDesk, asked: BatchTarget): Promise<ReadyReport> {
  const { runs, shelf } = desk;
  const { batch, caller, pace, cancelled, signal } = asked;
  const spec = specOf(batch.check);
  const ask = readAsk(desk, spec, batch, asked.target);
  const now = Date.now();
  const wanted = wantedOf(batch, spec, now);
  const known = await findKnown(shelf, ask.jobKey, wanted, now);
  if (known) return known;
  if (!runs.waiting.isPending(ask.jobKey))
    await pace.turn(caller, runs.costOf(spec, ask.options), AbortSignal.any([signal, cancelled]));
  const drawing = { ask, caller, requestId: requestIdOf(batch), trace: undefined, wanted, now: Date.now() };
  const job = drawJob(spec, drawing, runs.queueSeconds);
  const waitMs = runs.queueSeconds * 1000 + job.runLimitMs + graceMs;
  const outcome = await unlessWithdrawn(desk, asked, job, (either) =>
    runAside(runs, spec, { job, caller }, { waitMs, signal: either }),
  );
  if (outcome.kind === 'report') return shelf.reports.keep(outcome.stored);
  throw new Problem('overloaded', 'Its turn did not come in time.', { retryAfterS: 10 });
}

/** Waits for the run, or until the batch is cancelled and the job is out of the queue. One that runs already may end. */
async function unlessWithdrawn<T>(
  { runs }: AskDesk,
  { cancelled, signal }: BatchTarget,
  job: Job,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const [gone, ended] = [new AbortController(), new AbortController()];
  const withdraw = async () => {
    while (!ended.signal.aborted) {
      // A queue that is away is asked again.
      if (await runs.waiting.withdraw(job).catch(() => false)) return gone.abort(withdrawn);
      await delay(withdrawAgainMs, undefined, { signal: ended.signal }).catch(() => undefined);
    }
  };
  const start = () => void withdraw();
  if (cancelled.aborted) throw withdrawn;
  cancelled.addEventListener('abort', start, { once: true });
  try {
    return await run(AbortSignal.any([signal, gone.signal]));
  } finally {
    cancelled.removeEventListener('abort', start);
    ended.abort();
  }
}

/** Reads the target as the tool's own address has it: a batch never asks for something else than a GET does. */
function readAsk(
  { readAsk: read, site }: Pick<AskDesk, 'readAsk' | 'site'>,
  spec: CheckSpec,
  { options, account }: Batch,
  target: string,
): Ask {
  const named = encodeURIComponent(target.toWellFormed());
  const url = toolUrl({ check: spec.name, target: namedIn(spec, target), options }, '');
  const address = spec.targetKind === 'domain' ? url.replace('/{}', () => `/${named}`) : url;
  const ask = read.orProblem(spec, { url: address, headers: {} }, site.ownerOf(account));
  if (ask instanceof Problem) throw ask;
  return ask;
}

/** The target as `toolUrl` takes it: a domain is put in afterwards, as what is none may have characters of a path. */
function namedIn({ targetKind }: CheckSpec, target: string): string {
  return targetKind === 'domain' ? '{}' : target.toWellFormed();
}

/** A target that is asked again, after a failure or by another process, takes the report of its first run. */
function wantedOf({ createdAt, maxAgeS }: Batch, { refreshFloorS }: CheckSpec, now: number): AcceptedAge {
  if (maxAgeS === null) return { since: now, orFresh: true };
  return { since: createdAt - Math.max(maxAgeS, refreshFloorS) * 1000, orFresh: false };
}

function ofBody(problem: Problem, index: number): Problem {
  const errors = (problem.errors ?? []).map((fault): Fault => {
    const isTarget = fault.name === 'url' || fault.name === 'domain';
    return isTarget ? { ...fault, in: 'body', name: `/targets/${index}` } : fault;
  });
  return new Problem(problem.code, describeFaults(errors), { errors });
}

function requestIdOf({ batchId }: Batch): string {
  return `batch-${batchId}`;
}

function specOf(check: string): CheckSpec {
  const spec = findSpec(check);
  if (spec) return spec;
  throw new Problem('not_found', `There is no check "${check}" here any more.`);
}
