import { asksWeb, partsOf } from '#shared/catalogue/domain-health/parts';
import { domainRegistration } from '#shared/catalogue/domain-health/registration';
import { type SourceQuestion, visitQuestions, webHostOf } from '#shared/catalogue/domain-health/sources';
import { visitReport } from '#shared/catalogue/domain-health/visit';
import { redirectCheck } from '#shared/catalogue/redirect-check/spec';
import { securityHeaderCheck } from '#shared/catalogue/security-header-check/spec';
import { sslCheck } from '#shared/catalogue/ssl-check/spec';
import { type Freshness } from '#shared/model/freshness';
import { type Job, randomId } from '#shared/model/job';
import type { Report, ReportState } from '#shared/model/report';
import type { RunJob, RunStart } from '#shared/ports/job-queue';
import type { ReportKeys } from '#shared/ports/report-store';
import type { JobKeyOf } from '#shared/queue/job-keys';
import type { Logger } from '#shared/telemetry/logger';
import { traceFields } from '#shared/telemetry/tracing/traceparent';
import { addUp } from '../checks/add-up.ts';
import type { Check } from '../checks/check.ts';
import { noJobs } from '../checks/jobs.ts';
import { ownerOf } from '../probes/budget.ts';
import type { DnsProbe } from '../probes/dns/port.ts';
import type { HttpProbe } from '../probes/http/port.ts';
import { rememberAnswers } from '../probes/http/remember.ts';
import type { ProbeFactory } from '../probes/open.ts';
import { type Examination, examine, failedReport, type ReportSettings } from '../run/examine.ts';
import type { RunStore } from '../run/run-store.ts';
import { openRegistrationWatch } from './registration-watch.ts';

export type VisitSettings = ReportSettings & {
  readonly reportStore: RunStore;
  readonly log: Logger;
  readonly probes: ProbeFactory;
  readonly findCheck: (name: string) => Promise<Check | undefined>;
  readonly jobKeyOf: JobKeyOf;
  readonly onDone: (check: string, state: ReportState, seconds: number) => void;
};

type Visiting = {
  readonly stop: AbortSignal;
  readonly progress: Parameters<RunJob>[3];
  readonly start: Pick<RunStart, 'slot'>;
};

/**
 * Visits a domain once: its checks run side by side over the same probes, so that nothing is asked twice, and each report is stored under its own
 * endpoint's key as soon as it is there. What is fresh in the store is not asked at all.
 */
export async function runVisit(
  job: Job,
  settings: VisitSettings,
  { start: { slot }, stop, progress }: Visiting,
): Promise<{ readonly report: Report; readonly webHost: string }> {
  const limit = AbortSignal.timeout(job.runLimitMs);
  const opened = settings.probes.open(AbortSignal.any([stop, limit]), ownerOf(job), slot);
  // Its ssl-check takes longer than its pages.
  const http: HttpProbe = { ask: (request) => opened.http.ask({ ...request, isPatient: true }) };
  const probes = { ...opened, http: rememberAnswers(http) };
  const parts = partsOf(job.options);
  const questionsAt = (webHost: string) => visitQuestions(job.target, webHost, parts);
  const tasks = addUp(progress, questionsAt(job.target).map(taskOf), nameOfTask);
  const examination = { probes, jobs: noJobs, limit, limitMs: job.runLimitMs, stop };
  const start = performance.now();
  const registration = parts.includes('dns')
    ? openRegistrationWatch(job, settings, {
        ...opened,
        wanted: wantedOf(job, domainRegistration.refreshFloorS),
        limit: AbortSignal.any([stop, limit]),
      })
    : undefined;
  const answerAll = (questions: readonly SourceQuestion[]) =>
    Promise.all(
      questions.map((question) => {
        const task = taskOf(question);
        const told = { ...examination, progress: tasks.tell(task) };
        return answerQuestion(question, job, settings, told).then(({ state, reportId }) =>
          tasks.end(task, state, reportId),
        );
      }),
    );
  try {
    const finding = asksWeb(parts) ? findWebHost(job.target, opened.dns) : Promise.resolve(job.target);
    const [webHost] = await Promise.all([
      finding,
      answerAll(questionsAt(job.target).filter((question) => !isOfWebHost(question))),
      finding.then((host) => answerAll(questionsAt(host).filter(isOfWebHost))),
    ]);
    await registration?.end();
    const report = visitReport(job, webHost, {
      nowMs: settings.now(),
      durationMs: performance.now() - start,
    });
    return { report, webHost };
  } finally {
    opened.close();
  }
}

/** A task of a visit: the check, and of redirects each address, as the host of the others is not known at first. */
function taskOf({ spec, target }: SourceQuestion): string {
  return spec === redirectCheck ? `${spec.name} ${target}` : spec.name;
}

/** Whether it is asked of the host that visitors meet, which the DNS must tell first. */
function isOfWebHost({ spec }: SourceQuestion): boolean {
  return spec === sslCheck || spec === securityHeaderCheck;
}

function nameOfTask(task: string): string {
  return task.split(' ', 1)[0] ?? task;
}

// The same question that every check asks first: its answer is remembered.
async function findWebHost(domain: string, dns: DnsProbe): Promise<string> {
  const answers = await Promise.all([
    dns.ask({ name: domain, type: 'A' }, { dnssecOk: true }),
    dns.ask({ name: domain, type: 'AAAA' }, { dnssecOk: true }),
  ]);
  const isEmpty = answers.every(
    (answer) => answer.kind === 'answer' && answer.rcode === 'NOERROR' && answer.answers.length === 0,
  );
  return webHostOf(domain, !isEmpty);
}

async function answerQuestion(
  question: SourceQuestion,
  job: Job,
  settings: VisitSettings,
  examination: Examination,
): Promise<{ readonly state: 'done' | 'failed'; readonly reportId?: string }> {
  const { reportStore, log } = settings;
  const { spec, target } = question;
  const jobKey = settings.jobKeyOf(spec, target, question.options, job.account);
  const wanted = wantedOf(job, spec.refreshFloorS);
  const start = performance.now();
  const known = (await reportStore.findFresh([{ jobKey, wanted }])).get(jobKey);
  if (known) return { state: 'done', reportId: known.reportId };
  const keys: ReportKeys = { ...job, reportId: randomId(), jobKey, options: question.options };
  const { report } = await examineOne(question, keys.reportId, settings, examination);
  const tookMs = Math.round(performance.now() - start);
  const about = {
    jobId: job.jobId,
    check: spec.name,
    state: report.state,
    tookMs,
    ...traceFields(job.trace),
  };
  // A check that shared the visit's time may have failed only for that, so its own endpoint must not be answered with this report.
  if (report.state === 'failed' && examination.limit.aborted) {
    log.warn(about, 'a check exceeded its share of the visit');
    return { state: 'failed' };
  }
  await reportStore.insert(report, keys);
  settings.onDone(spec.name, report.state, tookMs / 1000);
  log.info(about, 'check of a visit done');
  return { state: report.state === 'failed' ? 'failed' : 'done', reportId: keys.reportId };
}

// A defect in one check fails that check alone; the reports of the others are kept.
async function examineOne(
  { spec, target, options }: SourceQuestion,
  reportId: string,
  settings: VisitSettings,
  examination: Examination,
): Promise<{ readonly report: Report }> {
  const check = await settings.findCheck(spec.name);
  if (!check) throw new Error(`this worker knows no ${spec.name}`);
  const subject = { target, options, reportId };
  try {
    return await examine(check, subject, examination, settings);
  } catch (error) {
    if (examination.stop.aborted) throw error;
    settings.log.error({ check: spec.name, err: error }, 'check of a visit failed');
    return { report: failedReport(check, subject, 'The run was broken off before it could end.', settings) };
  }
}

// The job's own `wanted` is of the visit; how old a report may be is in its options.
function wantedOf({ options, wanted }: Job, refreshFloorS: number): Freshness {
  if (options['orFresh'] !== false) return { since: wanted.since, orFresh: true };
  return {
    since: Math.min(Number(options['since']), Date.now() - refreshFloorS * 1000),
    orFresh: false,
  };
}
