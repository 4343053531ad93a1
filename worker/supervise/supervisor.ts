import type { Job } from '#shared/model/job';
import type { Logger } from '#shared/telemetry/logger';
import { emptyMemory, type VantageMemory } from '../probes/vantage/memory.ts';
import type { ExamineJob, RunOutcome, Running } from '../run/examine-job.ts';
import { TargetEndedRun } from '../run/target-ended-run.ts';
import { type AnswerSettings, type GivenRun, openAnswers } from './answer-calls.ts';
import { causeOf, keepProcess, type Loss, type RunnerEnd } from './keep-process.ts';
import type { FreezeLimits } from './watch-freeze.ts';

export type SupervisorSettings = AnswerSettings & {
  readonly log: Logger;
  /** Unix ms by the clock that all processes share. */
  readonly now: () => number;
  readonly limits: FreezeLimits;
  /** A process has ended that nobody had asked to. */
  readonly onEnded: (cause: RunnerEnd) => void;
  /** The job's target has ended a process. */
  readonly onPoison: (job: Job) => Promise<void>;
  /** True for a job that is not to be run: others of its host or its caller have ended too many processes. Never rejects. */
  readonly isRefused: (job: Job) => Promise<boolean>;
};

/** Runs jobs in a process apart. When that ends, the run whose data ended it has failed; the others begin anew in the next process. */
export type Supervisor = {
  readonly examineJob: ExamineJob;
  /** Resolves once the first process can run jobs. */
  readonly ready: Promise<void>;
  close(): Promise<void>;
};

/** A run that loses so many processes is given up, also where others ended them. */
const mostLost = 8;

/** Opens the supervisor, which starts the first process. */
export function openSupervisor(settings: SupervisorSettings): Supervisor {
  const runs = openRuns(settings);
  const first = Promise.withResolvers<void>();
  let isReady = false;
  // It outlives the process that learns it, and so does the count of what was asked for it.
  let known = emptyMemory;
  const onVantage = (memory: VantageMemory) => {
    known = memory;
    settings.onVantage?.(memory);
  };
  const answers = openAnswers({ ...settings, onVantage }, runs.find);
  const give = (run: GivenRun) => {
    const { number, job } = run;
    kept.tell({ kind: 'run', run: number, job, nowMs: settings.now() });
  };
  const kept = keepProcess({
    log: settings.log,
    limits: settings.limits,
    onEnded: settings.onEnded,
    onMessage: answers.take,
    onReady() {
      isReady = true;
      kept.tell({ kind: 'vantage', memory: known });
      first.resolve();
      for (const run of runs.all()) void runs.judgeAgain(run).then((mayRun) => mayRun && give(run)); // never rejects
    },
    onLoss(loss) {
      isReady = false;
      runs.lose(loss);
    },
  });
  return {
    ready: first.promise,
    async examineJob(job, running) {
      const { run, outcome } = await runs.begin(job, running);
      if (isReady) give(run);
      const stop = () => kept.tell({ kind: 'stop', run: run.number });
      running.stop.addEventListener('abort', stop, { once: true });
      return outcome.finally(() => running.stop.removeEventListener('abort', stop));
    },
    async close() {
      await kept.close();
      runs.close();
    },
  };
}

/** The runs that have not ended. */
function openRuns({ log, onPoison, isRefused }: SupervisorSettings) {
  const runs = new Map<number, GivenRun>();
  let last = 0;
  const drop = (run: GivenRun, error: Error) => {
    runs.delete(run.number);
    run.reject(error);
  };
  const fail = (run: GivenRun, how: string) => {
    const { jobId, check, host } = run.job;
    log.error({ jobId, check, host, how }, 'a target ended the runner process');
    runs.delete(run.number);
    // Counted first: a listener may ask at once whether this end counts.
    void onPoison(run.job).then(() => run.reject(new TargetEndedRun(how, poisoned))); // never rejects
  };
  return {
    find: (number: number) => runs.get(number),
    all: () => [...runs.values()],
    async begin(job: Job, running: Running) {
      if (await isRefused(job)) throw new TargetEndedRun('refused', notRun);
      running.stop.throwIfAborted();
      last += 1;
      const { promise, resolve, reject } = Promise.withResolvers<RunOutcome>();
      const given = { number: last, job, running, resolve, reject };
      const run: GivenRun = { ...given, kept: [], lost: 0, isSuspect: false };
      runs.set(last, run);
      return { run, outcome: promise.finally(() => runs.delete(run.number)) };
    },
    /** Whether a run may begin anew, or, where the process has just started, at all. */
    async judgeAgain(run: GivenRun): Promise<boolean> {
      if (run.lost > 0 && (await isRefused(run.job))) drop(run, new TargetEndedRun('refused', notRun));
      const { start, stop } = run.running;
      // One that waited without its slot begins with one, as the others do.
      if (run.lost > 0) await start.slot.retake(stop).catch(() => undefined); // only where the worker stops
      if (stop.aborted) drop(run, new Error('the worker is stopping'));
      return runs.has(run.number);
    },
    lose(loss: Loss): void {
      const found = runs.get(loss.marks.run);
      for (const run of runs.values()) run.lost += 1;
      if (found && (found.isSuspect || isDeedOfData(loss))) fail(found, howOf(loss));
      else if (found) found.isSuspect = loss.freeze !== 'stopped';
      for (const run of runs.values())
        if (run.lost > mostLost) drop(run, new Error('the run has lost its process too often'));
    },
    close(): void {
      for (const run of runs.values()) drop(run, new Error('the worker is stopping'));
    },
  };
}

const notRun =
  'Checks like this one ended our processes several times within the last hour, so it was not started.';
const poisoned =
  'Reading what this target sent ended the process that read it, so the check could not be finished.';

// Of a process that was killed or stopped from outside, the run is the reason only if it happens to it again.
function isDeedOfData(loss: Loss): boolean {
  return ['frozen', 'crashed'].includes(causeOf(loss));
}

function howOf({ freeze, signal, status }: Loss): string {
  return freeze ?? signal ?? `status ${status}`;
}
