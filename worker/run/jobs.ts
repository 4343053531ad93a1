import { setTimeout as delay } from 'node:timers/promises';
import type { SourceQuestion } from '#shared/catalogue/domain-health/sources';
import type { CheckSpec } from '#shared/catalogue/spec';
import type { JobKeyOf } from '#shared/job-keys';
import type { JobQueue, Progress } from '#shared/job-queue/port';
import { makeJob } from '#shared/make-job';
import type { Job, Wanted } from '#shared/model/job';
import { Problem } from '#shared/model/problem';
import type { Report } from '#shared/model/report';
import type { Places } from '#shared/places';
import type { Question, ReportStore, StoredReport } from '#shared/report-store/port';
import { readReport } from '#shared/report-store/read-report';
import { siteOf } from '#shared/target/parse-target';
import type { WaitOutcome } from '#shared/waiting/pending';
import type { Waiting } from '#shared/waiting/waiting';
import type { JobAnswer, Jobs } from '../checks/jobs.ts';
import { domainVisit } from '../visit/spec.ts';

export type JobsSettings = {
  readonly jobQueue: JobQueue;
  readonly reportStore: ReportStore;
  readonly waiting: Waiting;
  readonly jobKeyOf: JobKeyOf;
  readonly queueSeconds: number;
  /** Places for visits that this worker asks for: together they leave half of the network workers to all other checks. */
  readonly visits: Places;
  readonly publicPath: string;
};

/** Of a composite job's own limit, what its parts may take; the rest is for judging and storing. */
const shareOfParts = 0.92;
const progressEveryMs = 500;
const tryAgainMs = 1000;

/** The jobs that a composite job may ask for. */
export function openJobs(settings: JobsSettings, parent: Job, signal: AbortSignal): Jobs {
  const startedAt = Date.now();
  // By the clock that nobody sets.
  const deadline = performance.now() + parent.runLimitMs * shareOfParts;
  const leftMs = () => Math.max(0, Math.round(deadline - performance.now()));
  const { reportStore, jobKeyOf, publicPath, visits } = settings;
  const wantedOf = ({ refreshFloorS }: CheckSpec): Wanted =>
    parent.wanted.orFresh
      ? { since: startedAt, orFresh: true }
      : { since: Math.min(parent.wanted.since, startedAt - refreshFloorS * 1000), orFresh: false };
  const toStored = ({ spec, target, options }: SourceQuestion) => ({
    jobKey: jobKeyOf(spec, target, options, parent.account),
    wanted: wantedOf(spec),
  });
  const find = async (questions: readonly SourceQuestion[]) => {
    const asked = questions.map(toStored);
    const found = await reportStore.findFresh(asked);
    return asked.map(({ jobKey }) => readFound(found, jobKey));
  };
  const run = (job: Job, progress: (progress: Progress) => void) =>
    runPart(settings, job, { waitMs: leftMs(), signal, progress });

  return {
    publicPath,
    find,
    async ask(question, progress) {
      const [known] = await find([question]);
      if (known) return { report: known };
      return run(makePart(parent, settings, { ...question, ...toStored(question) }), progress);
    },
    async visit(domain, progress) {
      const jobKey = jobKeyOf(domainVisit, domain, {}, parent.account);
      // A visit that was broken off is not tried again while its report is fresh: it may have cost a worker each time.
      const last = await findOne(reportStore, { jobKey, wanted: { since: startedAt, orFresh: true } });
      if (last?.state === 'failed') return { unavailable: brokenOff };
      const wanted = { since: startedAt, orFresh: false };
      const part = { spec: domainVisit, target: domain, options: { ...parent.wanted }, jobKey, wanted };
      const leave = await visits.enter(AbortSignal.any([signal, AbortSignal.timeout(leftMs())]));
      if (!leave) return { unavailable: lateTurn };
      const answer = await run(makePart(parent, settings, part), progress).finally(leave);
      if ('unavailable' in answer) return answer;
      const { state, webHost } = answer.report;
      return state === 'failed' ? { unavailable: brokenOff } : { webHost: String(webHost) };
    },
    previous: () => findOne(reportStore, { jobKey: parent.jobKey, wanted: { since: 0, orFresh: false } }),
  };
}

const lateTurn = 'its turn did not come in time';
const brokenOff = 'the visit was broken off before it could end';

async function findOne(reportStore: ReportStore, question: Question): Promise<Report | undefined> {
  return readFound(await reportStore.findFresh([question]), question.jobKey);
}

type PartJob = Pick<Job, 'target' | 'options' | 'jobKey' | 'wanted'> & { readonly spec: CheckSpec };

function makePart(
  parent: Job,
  { queueSeconds, jobKeyOf }: JobsSettings,
  { spec, target, options, jobKey, wanted }: PartJob,
): Job {
  const wish = {
    jobKey,
    keyVersion: jobKeyOf.versionOf(spec, parent.account),
    target,
    options,
    wanted,
    host: siteOf(spec.targetKind === 'url' ? new URL(target).hostname : target),
    caller: parent.caller,
    ...(parent.account === undefined ? {} : { account: parent.account }),
    ...(parent.levels === undefined ? {} : { levels: parent.levels }),
    ...(parent.requestId === undefined ? {} : { requestId: parent.requestId }),
    ...(parent.trace === undefined ? {} : { trace: parent.trace }),
    ...(parent.isAnonymous === undefined ? {} : { isAnonymous: parent.isAnonymous }),
  };
  return makeJob(spec, wish, Date.now() + queueSeconds * 1000);
}

type Waited = {
  readonly waitMs: number;
  readonly signal: AbortSignal;
  readonly progress: (progress: Progress) => void;
};

async function runPart(
  { waiting, jobQueue }: JobsSettings,
  job: Job,
  { waitMs, signal, progress }: Waited,
): Promise<JobAnswer> {
  const timer = setInterval(() => {
    // How far it is, is a courtesy; a queue that is away is told by the wait itself.
    // Of joined work the earlier job's id is told by the waiting.
    jobQueue.look(job.queue, waiting.jobIdOf(job.jobKey) ?? job.jobId).then(
      (state) => state.state === 'running' && progress(state.progress),
      () => undefined,
    );
  }, progressEveryMs);
  try {
    return answerOf(await waitInTurn(waiting, job, { waitMs, signal }));
  } catch (error) {
    const unavailable = error instanceof Problem ? unavailableFor[error.code] : undefined;
    if (unavailable === undefined) throw error;
    return { unavailable };
  } finally {
    clearInterval(timer);
  }
}

const unavailableFor: { readonly [code: string]: string } = {
  queue_unavailable: 'no worker takes such jobs now',
  browser_unavailable: 'there is no browser to load pages with',
  rate_limited: 'other page loads of the same caller came first',
};

function answerOf(outcome: WaitOutcome): JobAnswer {
  if (outcome.kind === 'report') return { report: readReport(outcome.stored) };
  if (outcome.kind === 'expired') return { unavailable: lateTurn };
  return {
    unavailable:
      outcome.submitted.state === 'full'
        ? 'too many checks of this host are waiting'
        : 'it did not end in time',
  };
}

/** A caller with as many page loads as it may have gets its next one when one of them is done. */
async function waitInTurn(
  waiting: Waiting,
  job: Job,
  { waitMs, signal }: Omit<Waited, 'progress'>,
): Promise<WaitOutcome> {
  const until = performance.now() + Math.max(0, waitMs);
  for (;;) {
    try {
      return await waiting.wait(job, Math.max(0, until - performance.now()), signal);
    } catch (error) {
      const isCrowded = error instanceof Problem && error.code === 'rate_limited';
      if (!isCrowded || performance.now() + tryAgainMs > until) throw error;
    }
    await delay(tryAgainMs, undefined, { signal });
  }
}

function readFound(found: ReadonlyMap<string, StoredReport>, jobKey: string): Report | undefined {
  const stored = found.get(jobKey);
  return stored && readReport(stored);
}
