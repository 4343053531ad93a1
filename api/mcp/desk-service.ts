import type { Response } from 'express';
import type { CheckSpec } from '#shared/catalogue/spec';
import type { AgentService, CheckCall, CheckOutcome, RunProgress } from '#shared/mcp/service';
import { Refusal } from '#shared/mcp/service';
import { Problem } from '#shared/model/problem';
import type { JobState } from '#shared/ports/job-queue';
import { readSentReport } from '#shared/render/probe';
import { readReport } from '#shared/stores/reports/read-report';
import type { ReadyReport } from '../answer/ready-report.ts';
import type { Desk } from '../desk.ts';
import { findReadable } from '../reports/readable.ts';
import type { Ask } from '../request/ask.ts';
import type { Caller } from '../request/caller.ts';
import { noteSubject, originOf } from '../request/request-log.ts';
import { wantedOf, wantedOfRun } from '../tools/answer-tool.ts';
import { drawJob, tooMuchWaits } from '../tools/draw-job.ts';
import { give } from '../tools/give.ts';
import { retryAfterS, toolUrl } from '../tools/later.ts';
import { runOrJoin } from '../tools/runs.ts';
import { findKnown } from '../tools/shelf.ts';

/** How long a call waits for its report. */
const longestWaitS = 45;
const lookEveryMs = 1000;
const listed = 50;

export type McpDesk = Pick<Desk, 'witness' | 'admission' | 'readAsk' | 'shelf' | 'runs' | 'site'>;

/** A request of a caller, before and after its answer has begun. */
export type McpRequest = {
  readonly desk: McpDesk;
  readonly caller: Caller;
  readonly response: Response;
  /** The address of this service as the caller wrote it. */
  readonly base: string;
};

/** What an agent may ask of this process: checks as by GET, at the same cost, and the stored reports of its account. */
export function openDeskService(request: McpRequest): AgentService {
  const { desk, caller } = request;
  const mayRead = desk.site.reportIds && caller.scopes.includes('reports:read');
  return {
    check: (call) => refusing(() => check(request, call)),
    stored: mayRead
      ? {
          list: () => refusing(() => listReports(desk, caller)),
          read: (reportId) => refusing(() => readStored(request, reportId)),
        }
      : undefined,
  };
}

async function refusing<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { code, detail, retryAfterS: after } = error;
    throw new Refusal(code, detail, { retryAfterS: after });
  }
}

/** As a GET of the tool: what is fresh, joined work, or a run that is waited for. */
async function check(request: McpRequest, call: CheckCall): Promise<CheckOutcome> {
  const { desk, caller, response } = request;
  const { readAsk, shelf, runs, site, witness } = desk;
  const { spec } = call;
  const ask = readAsk(spec, { url: addressOf(call), headers: {} }, site.ownerOf(caller.account));
  const now = Date.now();
  const wanted = wantedOf(ask, spec, now);
  const known = await findKnown(shelf, ask.jobKey, wanted, now);
  witness.metrics?.cacheLookup(known ? 'hit' : 'stored');
  if (known) return tell(request, known, ask, spec);

  const drawing = { ask, caller, ...originOf(response), wanted: wantedOfRun(wanted, ask, now), now };
  const job = drawJob(spec, drawing, runs.queueSeconds);
  const follow = call.onProgress && followRun(desk, ask.jobKey, call.onProgress);
  const waitS = Math.min(longestWaitS, runs.waitSeconds ?? longestWaitS);
  try {
    const outcome = await runOrJoin(runs, spec, { job, caller, ask: { waitS }, response });
    if (outcome.kind === 'report') return await tell(request, shelf.reports.keep(outcome.stored), ask, spec);
    noteSubject(response, { jobId: outcome.submitted.jobId });
    if (outcome.submitted.state === 'full') throw tooMuchWaits(job);
    if (outcome.kind === 'expired')
      throw new Problem('overloaded', 'Its turn did not come in time. Call the tool again.', {
        retryAfterS: 10,
      });
    const running = await lookAtRun(desk, ask.jobKey);
    return { running, retryAfterS: retryAfterS(running.position) };
  } finally {
    follow?.end();
  }
}

async function tell(
  { desk, caller, response, base }: McpRequest,
  ready: ReadyReport,
  { target, options }: Ask,
  { name }: CheckSpec,
): Promise<CheckOutcome> {
  noteSubject(response, { reportId: ready.reportId });
  await give(desk, caller, ready);
  const report = readSentReport(ready.identity());
  const link = desk.site.reportIds
    ? linkOf(desk, caller, base, ready.reportId)
    : toolUrl({ check: name, target, options }, base);
  return { report, link };
}

/** The page of a report where this caller may open it in a browser, else its address for programs. */
function linkOf({ site }: McpDesk, { kind }: Caller, base: string, reportId: string): string {
  const hasPage = kind === 'anonymous' || !site.isOpen;
  return `${base}${hasPage ? '/r' : '/api/reports'}/${reportId}`;
}

/** The address by which the tool is asked the same. */
function addressOf({ spec, target, options, maxAgeS }: CheckCall): string {
  const query = new URLSearchParams();
  if (spec.targetKind === 'url') query.set('url', target);
  for (const [name, value] of Object.entries(options))
    for (const item of [value].flat()) query.append(name, item);
  if (maxAgeS !== undefined) query.set('maxAge', String(maxAgeS));
  const path = spec.targetKind === 'url' ? '' : `/${encodeURIComponent(target)}`;
  return `/api/tools/${spec.name}${path}?${query.toString()}`;
}

/** Looks every second how far a run is, while somebody listens. */
function followRun(desk: McpDesk, jobKey: string, onProgress: (progress: RunProgress) => void) {
  let isLooking = false;
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    void lookAtRun(desk, jobKey)
      .then(onProgress)
      .finally(() => {
        isLooking = false;
      });
  }, lookEveryMs).unref();
  return { end: () => clearInterval(timer) };
}

const unknownProgress: RunProgress = { done: 0, total: 1 };

async function lookAtRun({ runs }: McpDesk, jobKey: string): Promise<RunProgress> {
  const open = runs.waiting.openJob(jobKey);
  if (!open) return unknownProgress;
  // Where the queue is away at this moment, nothing is known of the run, and it goes on.
  const state = await runs.jobQueue.look(open.queue, open.jobId).catch((error: unknown) => {
    if (error instanceof Problem) return undefined;
    throw error;
  });
  return progressOf(state);
}

// Without `current`, which may be a name that the target chose.
function progressOf(state: JobState | undefined): RunProgress {
  if (state?.state === 'waiting') return { ...unknownProgress, position: state.position };
  if (state?.state !== 'running') return unknownProgress;
  const { done, total, parts } = state.progress;
  return { done, total, ...(parts ? { parts } : {}) };
}

async function listReports({ shelf }: McpDesk, { account }: Caller) {
  const grants = await shelf.reportStore.grants.list({ account, limit: listed });
  return grants.map(({ reportId, check: name, target, checkedAt, score }) => ({
    reportId,
    check: name,
    target,
    checkedAt: new Date(checkedAt).toISOString(),
    score,
  }));
}

async function readStored({ desk, caller, base }: McpRequest, reportId: string) {
  const stored = await findReadable(desk.shelf, caller, reportId);
  return { report: readReport(stored), link: linkOf(desk, caller, base, stored.reportId) };
}
