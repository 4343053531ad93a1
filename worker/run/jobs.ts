import { setTimeout as delay } from 'node:timers/promises';
import { type Asking, ask, type AskParts } from '#shared/ask/ask';
import type { Question, Questions } from '#shared/ask/question';
import type { UnkeptReport } from '#shared/ask/reports';
import { questionOfSource } from '#shared/ask/source-question';
import type { SourceQuestion } from '#shared/catalogue/domain-health/sources';
import { domainVisit, questionOfVisit } from '#shared/catalogue/domain-health/visit';
import type { Source } from '#shared/health/evidence';
import { payNothing } from '#shared/limits/payer';
import { freshnessOfPart } from '#shared/model/freshness';
import type { Job } from '#shared/model/job';
import { Problem } from '#shared/model/problem';
import type { Report } from '#shared/model/report';
import type { Progress } from '#shared/ports/job-queue';
import type { Question as Sought, ReportStore, StoredReport } from '#shared/ports/report-store';
import { readReport } from '#shared/stores/reports/read-report';
import type { Places } from '#shared/time/places';
import type { Jobs } from '../checks/jobs.ts';
import type { RunClock } from './run-clock.ts';

export type JobsSettings = {
  readonly asking: AskParts<UnkeptReport>;
  readonly questions: Questions;
  /** Places for visits that this worker asks for: together they leave half of the network workers to all other checks. */
  readonly visits: Places;
  readonly publicPath: string;
  readonly isOffered: Jobs['isOffered'];
};

const progressEveryMs = 200;
/** Of so many looks one is at the composite job itself. */
const standingEvery = 5;
const tryAgainMs = 1000;
const graceMs = 10_000;

/** The time of a composite job, and what ends it when its worker stops. */
export type JobsTime = { readonly clock: RunClock; readonly signal: AbortSignal };

/** The jobs that a composite job may ask for. Waiting for their turns takes none of its own time, and nobody pays: it was paid for with its parts. */
export function openJobs(settings: JobsSettings, parent: Job, { clock, signal }: JobsTime): Jobs {
  const startedAt = Date.now();
  const { asking, questions, publicPath, isOffered } = settings;
  const { reportStore } = asking;
  const standing = openStanding(asking, parent);
  const reports = new Set<string>();
  const questionOf = (source: SourceQuestion) => questionOfSource(questions, source, parent.account);
  const freshnessOf = ({ spec }: Pick<Question, 'spec'>) => freshnessOfPart(parent.wanted, spec, startedAt);
  const find = async (sources: readonly SourceQuestion[]) => {
    const asked = sources.map((source) => ({
      jobKey: questionOf(source).jobKey,
      wanted: freshnessOf(source),
    }));
    const found = await reportStore.findFresh(asked);
    for (const { reportId } of found.values()) reports.add(reportId);
    return asked.map(({ jobKey }) => readFound(found, jobKey));
  };
  const collecting = (progress: TellProgress) => (told: Progress) => {
    for (const reportId of told.reports ?? []) reports.add(reportId);
    progress(told);
  };

  return {
    publicPath,
    isOffered,
    hidesAges: parent.account !== undefined,
    find,
    async ask(source, progress) {
      const question = questionOf(source);
      const part = { question, freshness: freshnessOf(question) };
      return runPart(settings, parent, part, { clock, signal, standing, progress: collecting(progress) });
    },
    visit: (domain, progress) =>
      visit(settings, parent, { clock, signal, standing, startedAt, progress: collecting(progress) }, domain),
    reportIds: () => [...reports],
    previous: () => findOne(reportStore, { jobKey: parent.jobKey, wanted: { since: 0, orFresh: false } }),
  };
}

const lateTurn = 'its turn did not come in time';
const lateEnd = 'it did not end in time';
const brokenOff = 'the visit was broken off before it could end';

type Visiting = Waited & { readonly startedAt: number };

async function visit(
  settings: JobsSettings,
  parent: Job,
  { startedAt, ...time }: Visiting,
  domain: string,
): ReturnType<Jobs['visit']> {
  const { asking, questions, visits } = settings;
  const own = questionOfVisit(parent.options);
  const source = { spec: domainVisit, target: domain, options: own };
  const about = questionOfSource(questions, source, parent.account);
  // A visit that was broken off is not tried again while its report is fresh: it may have cost a worker each time.
  const anyFresh = { since: startedAt, orFresh: true };
  const last = await findOne(asking.reportStore, { jobKey: about.jobKey, wanted: anyFresh });
  if (last?.state === 'failed') return { unavailable: brokenOff };
  const goOn = time.clock.hold();
  const leave = await visits.enter(AbortSignal.any([time.signal, time.clock.parts])).finally(goOn);
  if (!leave) return { unavailable: lateTurn };
  const question = { ...about, options: { ...parent.wanted, ...own } };
  const freshness = { since: startedAt, orFresh: false };
  const part = { question, freshness, isUnknown: true };
  const answer = await runPart(settings, parent, part, time).finally(leave);
  if ('unavailable' in answer) return answer;
  const { state, webHost } = answer.report;
  return state === 'failed' ? { unavailable: brokenOff } : { webHost: String(webHost) };
}

async function findOne(reportStore: ReportStore, sought: Sought): Promise<Report | undefined> {
  return readFound(await reportStore.findFresh([sought]), sought.jobKey);
}

type Part = Pick<Asking, 'question' | 'freshness' | 'isUnknown'>;
type TellProgress = (progress: Progress) => void;
type Waited = JobsTime & { readonly standing: Standing; readonly progress: TellProgress };

/** Whether somebody waits for a composite job: who joins one of a batch waits for all that is left of it. */
type Standing = { isBackground: boolean; look(): Promise<void> };

function openStanding({ jobQueue }: AskParts<UnkeptReport>, { jobId, isBackground }: Job): Standing {
  const standing: Standing = {
    isBackground: isBackground === true,
    async look() {
      if (!standing.isBackground) return;
      const state = await jobQueue.look(jobId);
      standing.isBackground = state.state === 'running' ? state.job.isBackground === true : true;
    },
  };
  return standing;
}

async function runPart(
  settings: JobsSettings,
  parent: Job,
  part: Part,
  { clock, signal, standing, progress }: Waited,
): Promise<Source> {
  const turn = watchTurn(settings.asking, part.question, { clock, signal, standing, progress });
  try {
    const { requestId, trace } = parent;
    const answer = await askInTurn(settings.asking, {
      ...part,
      payer: payNothing({ ...parent, isBackground: standing.isBackground }),
      account: undefined,
      origin: { requestId, trace },
      signal: AbortSignal.any([signal, clock.parts]),
    });
    if (!answer) return { unavailable: lateEnd };
    progress({ done: 1, total: 1, current: '', reports: [answer.reportId] });
    return { report: readReport(answer) };
  } catch (error) {
    if (clock.parts.aborted && !signal.aborted) return { unavailable: lateEnd };
    const unavailable = error instanceof Problem ? unavailableFor[error.code] : undefined;
    if (unavailable === undefined) throw error;
    return { unavailable };
  } finally {
    turn.close();
  }
}

/** Holds the clock until the job runs, and tells how far it is. Both are a courtesy; a queue that is away is reported by the wait itself. */
function watchTurn(
  { waiting, jobQueue }: AskParts<UnkeptReport>,
  { jobKey }: Question,
  { clock, standing, progress }: Waited,
): { close(): void } {
  const goOn = clock.hold();
  const wasBackground = standing.isBackground;
  let looks = 0;
  const timer = setInterval(() => {
    looks += 1;
    if (looks % standingEvery === 0) standing.look().catch(() => undefined); // it is looked at again
    if (wasBackground && !standing.isBackground) waiting.lift(jobKey);
    // Of joined work the earlier job's id is reported by the waiting.
    const jobId = waiting.jobIdOf(jobKey);
    if (jobId === undefined) return;
    jobQueue.look(jobId).then(
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
  overloaded: lateTurn,
  queue_unavailable: 'no worker takes such jobs now',
  browser_unavailable: 'there is no browser to load pages with',
  rate_limited: 'other page loads of the same caller came first',
};

/** A caller with as many page loads as it may have gets its next one when one of them is done. */
async function askInTurn(
  parts: AskParts<UnkeptReport>,
  asking: Omit<Asking, 'waitMs'>,
): Promise<StoredReport | undefined> {
  const { spec, options } = asking.question;
  // Its own time or that of its turn ends before.
  const waitMs = 1000 * parts.queueSeconds + spec.runLimitMs(options) + graceMs;
  const until = performance.now() + 1000 * parts.queueSeconds;
  for (;;) {
    try {
      const answer = await ask(parts, { ...asking, waitMs });
      return answer.kind === 'report' ? answer.report.stored : undefined;
    } catch (error) {
      const isCrowded = error instanceof Problem && error.code === 'rate_limited';
      if (!isCrowded || performance.now() + tryAgainMs > until) throw error;
    }
    await delay(tryAgainMs, undefined, { signal: asking.signal });
  }
}

function readFound(found: ReadonlyMap<string, StoredReport>, jobKey: string): Report | undefined {
  const stored = found.get(jobKey);
  return stored && readReport(stored);
}
