import { type PartQuestion, visitQuestions, webHostOf } from '../../shared/catalogue/domain-health/parts.ts';
import { freshForOtherS } from '../../shared/catalogue/spec.ts';
import type { JobKeyOf } from '../../shared/job-keys.ts';
import type { Progress, Run } from '../../shared/job-queue/port.ts';
import type { Logger } from '../../shared/logger.ts';
import { type Job, randomId, type Wanted } from '../../shared/model/job.ts';
import {
  makeFailedReport,
  makeReport,
  type Report,
  type ReportFacts,
  type ReportState,
} from '../../shared/model/report.ts';
import type { ReportStore } from '../../shared/report-store/port.ts';
import type { Check } from '../checks/check.ts';
import { noJobs } from '../checks/jobs.ts';
import { type Examination, examine, failedReport, type ReportSettings } from '../examine.ts';
import type { DnsProbe } from '../probes/dns/port.ts';
import { rememberAnswers } from '../probes/http/remember.ts';
import type { ProbeFactory } from '../probes/open.ts';
import { domainVisit, visitKeptForS } from './spec.ts';

export type VisitSettings = ReportSettings & {
  readonly reportStore: ReportStore;
  readonly probes: ProbeFactory;
  readonly findCheck: (name: string) => Check | undefined;
  readonly jobKeyOf: JobKeyOf;
  readonly log: Logger;
  readonly onDone: (check: string, state: ReportState, seconds: number) => void;
};

/**
 * Visits a domain once: its checks run side by side over the same probes, so that nothing is asked twice, and each report is stored under its own
 * endpoint's key as soon as it is there. What is fresh in the store is not asked at all.
 */
export async function runVisit(
  job: Job,
  settings: VisitSettings,
  { stop, progress }: { readonly stop: AbortSignal; readonly progress: Parameters<Run>[3] },
): Promise<{ readonly state: ReportState; readonly webHost: string }> {
  const limit = AbortSignal.timeout(job.runLimitMs);
  const opened = settings.probes.open(AbortSignal.any([stop, limit]));
  const probes = { ...opened, http: rememberAnswers(opened.http) };
  const report = addUp(progress);
  const examination = { probes, jobs: noJobs, limit, limitMs: job.runLimitMs, stop };
  const start = performance.now();
  try {
    const webHost = await findWebHost(job.target, opened.dns);
    await Promise.all(
      visitQuestions(job.target, webHost).map((question, index) =>
        answerQuestion(question, job, settings, { ...examination, progress: report(index) }),
      ),
    );
    await settings.reportStore.insert(visitReport(job, webHost, performance.now() - start), job);
    return { state: 'complete', webHost };
  } finally {
    opened.close();
  }
}

// The same question that every check asks first: its answer is remembered.
async function findWebHost(domain: string, dns: DnsProbe): Promise<string> {
  const answers = await Promise.all([
    dns.ask({ name: domain, type: 'A' }),
    dns.ask({ name: domain, type: 'AAAA' }),
  ]);
  const isEmpty = answers.every(
    (answer) => answer.kind === 'answer' && answer.rcode === 'NOERROR' && answer.answers.length === 0,
  );
  return webHostOf(domain, !isEmpty);
}

async function answerQuestion(
  question: PartQuestion,
  job: Job,
  settings: VisitSettings,
  examination: Examination,
): Promise<void> {
  const { reportStore, log } = settings;
  const { spec, target } = question;
  const jobKey = settings.jobKeyOf(spec, target, question.options);
  const wanted = wantedOf(job, spec.refreshFloorS);
  const start = performance.now();
  const known = await reportStore.findFresh([{ jobKey, wanted }]);
  if (!known.has(jobKey)) {
    const keys = { reportId: randomId(), jobId: job.jobId, jobKey };
    const report = await examineOne(question, keys.reportId, settings, examination);
    await reportStore.insert(report, keys);
    const tookMs = Math.round(performance.now() - start);
    settings.onDone(spec.name, report.state, tookMs / 1000);
    log.info({ jobId: job.jobId, check: spec.name, state: report.state, tookMs }, 'part of a visit done');
  }
  examination.progress({ done: 1, total: 1, current: spec.name });
}

// A defect in one part is that part's failure; the others are still worth having.
async function examineOne(
  { spec, target, options }: PartQuestion,
  reportId: string,
  settings: VisitSettings,
  examination: Examination,
) {
  const check = settings.findCheck(spec.name);
  if (!check) throw new Error(`this worker knows no ${spec.name}`);
  const subject = { target, options, reportId };
  try {
    return (await examine(check, subject, examination, settings)).report;
  } catch (error) {
    if (examination.stop.aborted) throw error;
    settings.log.error({ check: spec.name, err: error }, 'part of a visit failed');
    return failedReport(check, subject, 'The run was broken off before it could end.', settings);
  }
}

// The job's own `wanted` is of the visit; how old a part may be stands in its options.
function wantedOf({ options, wanted }: Job, refreshFloorS: number): Wanted {
  if (options['orFresh'] !== false) return { since: wanted.since, orFresh: true };
  return { since: Math.min(Number(options['since']), Date.now() - refreshFloorS * 1000), orFresh: false };
}

// Each part counts its own questions; the visit shows their sum.
function addUp(progress: (progress: Progress) => void): (index: number) => Examination['progress'] {
  const parts = new Map<number, Progress>();
  return (index) => (part) => {
    parts.set(index, part);
    const all = [...parts.values()];
    const sum = (key: 'done' | 'total') => all.reduce((total, one) => total + one[key], 0);
    progress({ done: sum('done'), total: sum('total'), current: part.current });
  };
}

function visitReport(job: Job, webHost: string, durationMs: number): Report {
  const facts = { ...factsOf(job, domainVisit.freshForS), durationMs };
  return makeReport(facts, { state: 'complete', verdicts: {}, score: null, fields: { webHost } });
}

/** The report of a visit that could not end: whoever wants the domain's health is told so, and starts no other for a while. */
export function failedVisit(job: Job): Report {
  return makeFailedReport(
    factsOf(job, freshForOtherS.failed),
    'The visit was broken off before it could end.',
  );
}

function factsOf({ target }: Job, freshForS: number): ReportFacts {
  return {
    check: domainVisit.name,
    target: { domain: target },
    rules: {},
    rulesVersion: domainVisit.rulesVersion,
    reportId: undefined,
    checkedAtMs: Date.now(),
    durationMs: 0,
    freshForS,
    keepForS: visitKeptForS,
  };
}
