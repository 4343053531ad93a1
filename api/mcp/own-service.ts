import type { Response } from 'express';
import { lookAtJob, retryAfterS } from '#shared/ask/ask';
import { domainHealth } from '#shared/catalogue/domain-health/spec';
import type { Caller } from '#shared/limits/caller';
import type { AgentService, CheckCall, CheckOutcome, RunProgress } from '#shared/mcp/service';
import { plainProgress, Refusal } from '#shared/mcp/service';
import { freshnessOf } from '#shared/model/freshness';
import { Problem } from '#shared/model/problem';
import { readSentReport } from '#shared/render/probe';
import { readReport } from '#shared/stores/reports/read-report';
import { askAsCaller } from '../ask/ask-as-caller.ts';
import { recheck } from '../ask/recheck.ts';
import { findReadable } from '../reports/readable.ts';
import { placesOf } from '../request/read-ask.ts';
import type { Services } from '../services.ts';
import { toolUrl } from '../tools/later.ts';

/** How long a call waits for its report. */
const longestWaitS = 45;
const lookEveryMs = 1000;
const listed = 50;

export type McpServices = Pick<
  Services,
  'telemetry' | 'limits' | 'questions' | 'reports' | 'jobs' | 'readSoFar' | 'site'
>;

/** A request of a caller, before and after its answer has begun. */
export type McpRequest = {
  readonly services: McpServices;
  readonly caller: Caller;
  readonly response: Response;
  /** The address of this service as the caller wrote it. */
  readonly base: string;
};

/** What an agent may ask of this process: checks as by GET, at the same cost, and the stored reports of its account. */
export function openOwnService(request: McpRequest): AgentService {
  const { services, caller } = request;
  const mayRead = services.site.reportIds && caller.scopes.includes('reports:read');
  return {
    check: (call) => refusing(() => check(request, call)),
    stored: mayRead
      ? {
          list: () => refusing(() => listReports(services, caller)),
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
async function check(
  { services, caller, response, base }: McpRequest,
  call: CheckCall,
): Promise<CheckOutcome> {
  const { questions, jobs, site, telemetry } = services;
  const { spec, target, options, maxAgeS, recheck: code } = call;
  const place = placesOf(spec);
  const question = questions.read(spec, { target, options, place }, site.ownerOf(caller.account));
  if (question instanceof Problem) throw question;
  const follow = call.onProgress && followRun(services, caller, question.jobKey, call.onProgress);
  const waitS = Math.min(longestWaitS, jobs.waitSeconds ?? longestWaitS);
  const from = { caller, response };
  const freshness = freshnessOf(spec, code === undefined ? maxAgeS : 0, Date.now());
  const asking =
    code !== undefined && spec.name === domainHealth.name
      ? recheck(services, from, { question, code, waitS })
      : askAsCaller(services, from, { question, freshness, waitS });
  const answer = await asking.finally(() => follow?.end());
  if (answer.kind !== 'report') {
    const running = await lookAtRun(services, caller, question.jobKey);
    return { running, retryAfterS: retryAfterS(running.position) };
  }
  telemetry.metrics?.cacheLookup(answer.via === 'hit' ? 'hit' : 'stored');
  const { report } = answer;
  const link = site.reportIds
    ? linkOf(services, caller, base, report.reportId)
    : toolUrl({ check: spec.name, target: question.target, options: question.options }, base);
  return { report: readSentReport(report.identity()), link };
}

/** The page of a report where this caller may open it in a browser, else its address for programs. */
function linkOf({ site }: McpServices, { kind }: Caller, base: string, reportId: string): string {
  const hasPage = kind === 'anonymous' || !site.isOpen;
  return `${base}${hasPage ? '/r' : '/api/reports'}/${reportId}`;
}

/** Looks every second how far a run is, while somebody listens. */
function followRun(
  services: McpServices,
  caller: Caller,
  jobKey: string,
  onProgress: (progress: RunProgress) => void,
) {
  let isLooking = false;
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    void lookAtRun(services, caller, jobKey)
      .then(onProgress)
      .finally(() => {
        isLooking = false;
      });
  }, lookEveryMs).unref();
  return { end: () => clearInterval(timer) };
}

const unknownProgress: RunProgress = { done: 0, total: 1 };

async function lookAtRun(
  { jobs, readSoFar }: McpServices,
  caller: Caller,
  jobKey: string,
): Promise<RunProgress> {
  const jobId = jobs.asking.waiting.openJob(jobKey);
  const state = jobId === undefined ? undefined : await lookAtJob(jobs.jobQueue, jobId);
  if (state?.state === 'waiting') return { ...unknownProgress, position: state.position };
  if (state?.state !== 'running') return unknownProgress;
  return plainProgress(await readSoFar(caller, state.job, state.progress));
}

async function listReports({ reports }: McpServices, { account }: Caller) {
  const grants = await reports.reportStore.grants.list({ account, limit: listed });
  return grants.map(({ reportId, check: name, target, checkedAt, score }) => ({
    reportId,
    check: name,
    target,
    checkedAt: new Date(checkedAt).toISOString(),
    score,
  }));
}

async function readStored({ services, caller, base }: McpRequest, reportId: string) {
  const stored = await findReadable(services.reports, caller, reportId);
  return { report: readReport(stored), link: linkOf(services, caller, base, stored.reportId) };
}
