import { setTimeout as delay } from 'node:timers/promises';
import type { SourceQuestion } from '#shared/catalogue/domain-health/sources';
import { makeJob } from '#shared/catalogue/make-job';
import type { CheckSpec } from '#shared/catalogue/spec';
import type { Job, AcceptedAge } from '#shared/model/job';
import { Problem } from '#shared/model/problem';
import type { Report } from '#shared/model/report';
import type { JobQueue, Progress } from '#shared/ports/job-queue';
import type { Question, ReportStore, StoredReport } from '#shared/ports/report-store';
import type { JobKeyOf } from '#shared/queue/job-keys';
import type { WaitOutcome } from '#shared/queue/waiting/pending';
import type { RunWaits } from '#shared/queue/waiting/waiting';
import { readReport } from '#shared/stores/reports/read-report';
import { siteOf } from '#shared/targets/parse-target';
import type { Places } from '#shared/time/places';
import type { JobAnswer, Jobs } from '../checks/jobs.ts';
import { domainVisit, questionOfVisit } from '../visit/spec.ts';
import type { RunClock } from './run-clock.ts';

export type JobsSettings = {
  readonly jobQueue: JobQueue;
  readonly reportStore: ReportStore;
  readonly waiting: RunWaits;
  readonly jobKeyOf: JobKeyOf;
  readonly queueSeconds: number;
  /** Places for visits that this worker asks for: together they leave half of the network workers to all other checks. */
  readonly visits: Places;
  readonly publicPath: string;
  readonly isOffered: Jobs['isOffered'];
};

const progressEveryMs = 500;
const tryAgainMs = 1000;
const graceMs = 10_000;

/** The time of a composite job, and what ends it when its worker stops. */
export type JobsTime = { readonly clock: RunClock; readonly signal: AbortSignal };

/** The jobs that a composite job may ask for. Waiting for their turns takes none of its own time. */
export function openJobs(settings: JobsSettings, parent: Job, { clock, signal }: JobsTime): Jobs {
  const startedAt = Date.now();
  const { reportStore, jobKeyOf, publicPath, visits, isOffered } = settings;
  const wantedOf = ({ refreshFloorS }: CheckSpec): AcceptedAge =>
    parent.wanted.orFresh
      ? { since: startedAt, orFresh: true }
      : { since: Math.min(parent.wanted.since, startedAt - refreshFloorS * 1000), orFresh: false };
  const toStored = ({ spec, target, options, isShared }: SourceQuestion) => ({
    jobKey: jobKeyOf(spec, target, options, isShared === true ? undefined : parent.account),
    wanted: wantedOf(spec),
  });
  const find = async (questions: readonly SourceQuestion[]) => {
    const asked = questions.map(toStored);
    const found = await reportStore.findFresh(asked);
    return asked.map(({ jobKey }) => readFound(found, jobKey));
  };
  const run = (job: Job, progress: (progress: Progress) => void) =>
    runPart(settings, job, { clock, signal, progress });

  return {
    publicPath,
    isOffered,
    hidesAges: parent.account !== undefined,
    find,
    async ask(question, progress) {
      const [known] = await find([question]);
      if (known) return { report: known };
      return run(makePart(parent, settings, { ...question, ...toStored(question) }), progress);
    },
    async visit(domain, progress) {
      const question = questionOfVisit(parent.options);
      const jobKey = jobKeyOf(domainVisit, domain, question, parent.account);
      // A visit that was broken off is not tried again while its report is fresh: it may have cost a worker each time.
      const last = await findOne(reportStore, { jobKey, wanted: { since: startedAt, orFresh: true } });
      if (last?.state === 'failed') return { unavailable: brokenOff };
      const wanted = { since: startedAt, orFresh: false };
      const options = { ...parent.wanted, ...question };
      const part = { spec: domainVisit, target: domain, options, jobKey, wanted };
      const goOn = clock.hold();
      const leave = await visits.enter(AbortSignal.any([signal, clock.parts])).finally(goOn);
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
const lateEnd = 'it did not end in time';
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
    ...(parent.pages === undefined ? {} : { pages: parent.pages }),
    ...(parent.requestId === undefined ? {} : { requestId: parent.requestId }),
    ...(parent.trace === undefined ? {} : { trace: parent.trace }),
    ...(parent.isAnonymous === undefined ? {} : { isAnonymous: parent.isAnonymous }),
  };
  return makeJob(spec, wish, Date.now() + queueSeconds * 1000);
}

type Waited = JobsTime & { readonly progress: (progress: Progress) => void };

async function runPart(
  settings: JobsSettings,
  job: Job,
  { clock, signal, progress }: Waited,
): Promise<JobAnswer> {
  const turn = watchTurn(settings, job, clock, progress);
  try {
    return answerOf(await waitInTurn(settings, job, AbortSignal.any([signal, clock.parts])));
  } catch (error) {
    if (clock.parts.aborted && !signal.aborted) return { unavailable: lateEnd };
    const unavailable = error instanceof Problem ? unavailableFor[error.code] : undefined;
    if (unavailable === undefined) throw error;
    return { unavailable };
  } finally {
    turn.close();
  }
}

/** Holds the clock until the job runs, and tells how far it is. Both are a courtesy; a queue that is away is told by the wait itself. */
function watchTurn(
  { waiting, jobQueue }: JobsSettings,
  job: Job,
  clock: RunClock,
  progress: (progress: Progress) => void,
): { close(): void } {
  const goOn = clock.hold();
  const timer = setInterval(() => {
    // Of joined work the earlier job's id is told by the waiting.
    const jobId = waiting.jobIdOf(job.jobKey);
    if (jobId === undefined) return;
    jobQueue.look(job.queue, jobId).then(
      (state) => {
        if (state.state !== 'waiting') goOn();
        if (state.state === 'running') progress(state.progress);
      },
      () => goOn(),
    );
  }, progressEveryMs);
  return {
    close() {
      clearInterval(timer);
      goOn();
    },
  };
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
    unavailable: outcome.submitted.state === 'full' ? 'too many checks of this host are waiting' : lateEnd,
  };
}

/** A caller with as many page loads as it may have gets its next one when one of them is done. */
async function waitInTurn(
  { waiting, queueSeconds }: JobsSettings,
  job: Job,
  signal: AbortSignal,
): Promise<WaitOutcome> {
  // Its own time or that of its turn ends before.
  const waitMs = 1000 * queueSeconds + job.runLimitMs + graceMs;
  const until = performance.now() + 1000 * queueSeconds;
  for (;;) {
    try {
      return await waiting.wait(job, waitMs, signal);
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
