import { type Job as BullJob, DelayedError } from 'bullmq';
import { type Job, jobVersion, type QueueName } from '../../model/job.ts';
import { type Done, type GaveUp, NotBegun, type RunJob } from '../../ports/job-queue.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { shiftJob } from '../../time/shared-time.ts';
import type { openOnceEach } from '../once-each.ts';
import { readJob } from '../read-message.ts';
import { type Endings, patiently } from './end-together.ts';
import type { Gate } from './gate.ts';
import { handOver, promote, type Queues } from './hand-over.ts';
import { type LostRuns, refuseLoser, stallsBeforeAlone } from './lost-runs.ts';
import type { PageLine } from './page-line.ts';
import type { PauseStore } from './pauses.ts';
import { openProgressTeller, type ProgressBoard } from './progress.ts';
import type { IsolatedRun, RunIsolation } from './run-isolation.ts';
import type { SharedClock } from './shared-clock.ts';
import type { QueueTelemetry } from './telemetry.ts';
import { openTurnSlot, type Spare } from './turn-slot.ts';

export type TurnSettings = {
  readonly queue: QueueName;
  readonly log: Logger;
  readonly onceEach: ReturnType<typeof openOnceEach>;
  readonly queues: Queues;
  readonly gate: Gate;
  readonly pages: PageLine;
  readonly lostRuns: LostRuns;
  readonly pauses: PauseStore;
  readonly board: ProgressBoard;
  readonly clock: SharedClock;
  readonly telemetry: QueueTelemetry | undefined;
  readonly isolation: RunIsolation;
  readonly spare: Spare;
  readonly endings: Endings;
  readonly run: RunJob;
  readonly gaveUp: GaveUp;
};

/** A job whose turn has not come sleeps no longer than this at first: a promote that meets an active job is lost. */
const napMs = 3000;
const longestNapMs = 60_000;
/** A job that an operator holds back looks so often whether it still is. */
const pausedNapMs = 5000;
/** A run that could not begin is tried again after so long, and up to twice that: not all of them at once. */
const postponedMs = 2000;
/** A job whose submitter has looked in the store within this time is taken to have gone straight to its worker. */
const recentMs = 1000;

/** The end of a job, kept as its return value for those who ask later. */
export type JobOutcome = Done['state'];

type JobTurn = {
  readonly bullJob: BullJob<Job>;
  /** Its payload, in this machine's time. */
  readonly job: Job;
  /** When its turn must have come and since when a report answers, in the shared time: this machine's clock may be set meanwhile. */
  readonly startBy: number;
  readonly since: number;
  readonly token: string;
  readonly attempt: number;
  /** Aborts when this worker stops. */
  readonly signal: AbortSignal;
};

/** Runs a job that BullMQ has handed out, or puts it back to sleep when its host has no room. */
export async function takeTurn(
  settings: TurnSettings,
  bullJob: BullJob<Job>,
  token: string,
  signal: AbortSignal,
): Promise<JobOutcome> {
  const read = readJob(bullJob.data, { queue: settings.queue, jobId: bullJob.id });
  if ('fault' in read) return drop(settings, bullJob, read.fault);
  await settings.clock.known;
  const job = inTrace(shiftJob(read.value, -settings.clock.offsetMs()), settings.telemetry);
  const { startBy, wanted } = read.value;
  const turn: JobTurn = {
    bullJob,
    job,
    startBy,
    since: wanted.notBefore,
    token,
    attempt: bullJob.attemptsStarted,
    signal,
  };
  // A newer API may ask for what only a newer worker can do.
  if (job.v > jobVersion) return sleep(turn);
  // What only waits for other jobs kills no worker, and holds no slot.
  if (job.queue === 'composite') return startInTurn(settings, turn, { isAlone: false });
  const mustBeAlone = bullJob.stalledCounter >= stallsBeforeAlone;
  const isolatedRun = await settings.isolation.enter(mustBeAlone, () =>
    patiently(signal, () => settings.lostRuns.addCompany(job)),
  );
  try {
    return await startInTurn(settings, turn, isolatedRun);
  } finally {
    isolatedRun.leave();
  }
}

async function startInTurn(
  settings: TurnSettings,
  turn: JobTurn,
  { isAlone }: Pick<IsolatedRun, 'isAlone'>,
): Promise<JobOutcome> {
  const { job, attempt, signal } = turn;
  if (job.queue === 'composite' || isLate(settings, turn)) return startSlowly(settings, turn, { isAlone });
  const nowMs = settings.clock.nowMs();
  const started = await patiently(signal, () => settings.gate.startRun(job, { attempt, isAlone, nowMs }));
  if (started === 'paused') return startSlowly(settings, turn, { isAlone });
  if (started === 'no-slot') return sleepOn(settings, turn);
  refuseLoser(started.lost, started.lostAlone);
  // Who submitted it has looked in the store at that time or later: a run of its key that ended since has left its mark. A visit, which stores
  // reports of other keys too, leaves none: only a job that did not have to wait is spared the look.
  const isRecent = nowMs - turn.since < recentMs;
  return runInTurn(settings, turn, attempt > 1 || started.hasEndedLately || !isRecent);
}

/** The start of a job that is late, held back or has no line, step by step. */
async function startSlowly(
  settings: TurnSettings,
  turn: JobTurn,
  { isAlone }: Pick<IsolatedRun, 'isAlone'>,
): Promise<JobOutcome> {
  const { job, attempt, signal } = turn;
  const nowMs = settings.clock.nowMs();
  const pause = await patiently(signal, () => settings.pauses.of(job, nowMs));
  if (pause?.kind === 'check') await leaveLine(settings, turn);
  const mayRun =
    pause?.kind === 'check' || (await patiently(signal, () => settings.gate.start(job, attempt)));
  if (isLate(settings, turn)) return end(settings, turn, 'expired', 0);
  if (!mayRun) return sleepOn(settings, turn);
  if (pause) return nap(settings, turn, pause.until - nowMs);
  await patiently(signal, () => settings.lostRuns.begin(job, isAlone));
  return runInTurn(settings, turn, true);
}

// A job that lost its worker had its turn: it may run again.
function isLate(settings: TurnSettings, { bullJob, startBy }: JobTurn): boolean {
  return bullJob.stalledCounter === 0 && settings.clock.nowMs() >= startBy;
}

async function runInTurn(settings: TurnSettings, turn: JobTurn, mayBeStored: boolean): Promise<JobOutcome> {
  const { job, attempt, signal } = turn;
  const start = performance.now();
  let failed: 'failed' | undefined;
  const opened = openTurnSlot(settings, job, signal);
  const progress = openProgressTeller((latest) => settings.board.tell(job, latest));
  try {
    signal.throwIfAborted();
    const begun = { attempt, mayBeStored, slot: opened.slot };
    failed = await settings.run(job, begun, signal, progress.tell);
  } catch (error) {
    if (signal.aborted) return await handBack(settings, turn);
    if (error instanceof NotBegun) return await postpone(settings, turn);
    throw error;
  } finally {
    progress.end();
    opened.end();
  }
  return end(settings, turn, failed ?? 'done', Math.round(performance.now() - start));
}

// It ends at once and is not announced: a process that waits for a job of that id looks for it soon, and submits it again.
function drop({ log, onceEach, queue }: TurnSettings, { id }: BullJob<Job>, fault: string): JobOutcome {
  onceEach(fault, () => log.warn({ jobId: id, queue, fault }, 'job dropped: its payload is malformed'));
  return 'failed';
}

// What the run asks belongs to BullMQ's span around it.
function inTrace(job: Job, telemetry: QueueTelemetry | undefined): Job {
  const trace = telemetry?.current();
  return trace === undefined ? job : { ...job, trace };
}

/** The same for a job whose host has no room: its worker's slot goes on to the next. */
async function sleepOn({ queues, gate }: TurnSettings, turn: JobTurn): Promise<never> {
  const { job, signal } = turn;
  await patiently(signal, async () => handOver(queues, gate, await gate.passOn(job.queue)));
  return sleep(turn);
}

/** Ends the job's part in this worker for now. */
async function sleep({ bullJob, token, attempt }: JobTurn): Promise<never> {
  // Longer each time: a worker whose clock is ahead takes every job that waits for its host, again and again.
  await bullJob.moveToDelayed(Date.now() + Math.min(napMs * attempt, longestNapMs), token);
  throw new DelayedError();
}

/**
 * Puts a job that is held back to sleep. Those of a paused host keep their slots meanwhile, so that the line behind them stays
 * as it is and wakes nobody; the workers' slots go to other hosts.
 */
async function nap(
  { queues, gate }: TurnSettings,
  { bullJob, job, token, signal }: JobTurn,
  leftMs: number,
): Promise<never> {
  await patiently(signal, async () => handOver(queues, gate, await gate.giveTurn(job)));
  await bullJob.moveToDelayed(Date.now() + Math.min(pausedNapMs, Math.max(1, leftMs)), token);
  throw new DelayedError();
}

// The other checks of its host go on: a job whose check is paused takes no slot from them.
async function leaveLine({ queues, gate }: TurnSettings, { job, attempt, signal }: JobTurn): Promise<void> {
  await patiently(signal, async () => handOver(queues, gate, await gate.release(job, { attempt })));
}

// This worker stops, the job does not: another takes it at once.
async function handBack({ queues, gate, lostRuns }: TurnSettings, turn: JobTurn): Promise<never> {
  const { bullJob, job, token, attempt } = turn;
  await lostRuns.takeBack(job);
  await handOver(queues, gate, await gate.release(job, { attempt }));
  await bullJob.moveToDelayed(Date.now() + 1, token);
  // By another worker's clock, that delay may be over much later.
  await promote(queues[job.queue], job.jobId);
  throw new DelayedError();
}

/** Something that the run needs is away: the job is tried again, while it may start. Its slots go to others meanwhile. */
async function postpone({ queues, gate, lostRuns }: TurnSettings, turn: JobTurn): Promise<never> {
  const { bullJob, job, token, attempt, signal } = turn;
  await patiently(signal, async () => {
    await lostRuns.takeBack(job);
    await handOver(queues, gate, await gate.release(job, { attempt }));
  });
  await bullJob.moveToDelayed(Date.now() + postponedMs * (1 + Math.random()), token);
  throw new DelayedError();
}

/** Notes what goes with the end of the job in BullMQ, which comes next. */
async function end(
  { pages, gate, endings }: TurnSettings,
  { bullJob, job, attempt, signal }: JobTurn,
  state: JobOutcome,
  tookMs: number,
): Promise<JobOutcome> {
  if (job.queue === 'browser') await patiently(signal, () => pages.leave(job));
  endings.set(bullJob, gate.wordsOfEnd(job, { attempt, ...tellEnd(job, { state, tookMs }) }));
  return state;
}

/** Ends a job that cannot end by itself any more: the runner is told, its slot and its waiters are freed. */
export async function giveUp(
  { queue, gate, queues, pages, gaveUp }: TurnSettings,
  bullJob: BullJob<Job> | undefined,
  error: Error,
): Promise<void> {
  const read = readJob(bullJob?.data, { queue, jobId: bullJob?.id });
  if ('fault' in read) return;
  await gaveUp(read.value, error);
  const job = read.value;
  if (queue === 'browser') await pages.leave(job);
  const ended = tellEnd(job, { state: 'failed', tookMs: 0 });
  await handOver(queues, gate, await gate.release(job, { ended }));
}

/** What is told of the end of a job. */
function tellEnd(
  { jobKey, jobId, queue, host, reportId }: Job,
  { state, tookMs }: Pick<Done, 'state' | 'tookMs'>,
): { readonly jobKey: string; readonly message: string } {
  const done: Done = { jobKey, jobId, queue, host, reportId, state, tookMs };
  return { jobKey, message: JSON.stringify(done) };
}
