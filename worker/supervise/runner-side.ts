import { openLeasedPace } from '#shared/limits/pace/leased';
import { intervalsOf, type Ledger, type PaceAsk, type Portion } from '#shared/limits/pace/ledger';
import { measurePace } from '#shared/limits/pace/measured';
import type { Job } from '#shared/model/job';
import type { Slot } from '#shared/ports/job-queue';
import { openJobKeys } from '#shared/queue/job-keys';
import { type Config, readConfig } from '#shared/settings/config';
import type { Logger } from '#shared/telemetry/logger';
import { steadyNow } from '#shared/time/steady-time';
import { noJobs } from '../checks/jobs.ts';
import { currentRun, inRun, writeMarks } from '../probes/mark.ts';
import type { ProbeFactory } from '../probes/open.ts';
import type { PortState } from '../probes/smtp/port.ts';
import { nameCaller } from '../probes/turns.ts';
import type { VantageMemory } from '../probes/vantage/memory.ts';
import type { Vantage } from '../probes/vantage/open.ts';
import { type ExamineJob, openExaminer } from '../run/examine-job.ts';
import { openJudging } from '../run/judge-aside.ts';
import { openEvidenceKeeper } from '../run/keep-evidence.ts';
import { findCheckOf } from '../start/find-check.ts';
import { prepareProbesOf } from '../start/probe-settings.ts';
import { runVisit } from '../visit/run.ts';
import { workerIsStopping } from './end-of-run.ts';
import { type MarkWriter, openMarkWriter } from './mark-file.ts';
import type { Calls, FromRunner, ToRunner } from './messages.ts';
import { openOutbox, type Outbox } from './outbox.ts';
import { receiveError, sendError } from './sent-error.ts';

/** The descriptor of the file of marks, behind those of input, output, errors and messages. */
const marksFd = 4;
/** The worker looks every quarter of a second. */
const beatMs = 200;

type RunnerSide = {
  readonly take: (message: ToRunner) => void;
  readonly warn: Logger['warn'];
};

/** Opens the side of the runner process, which says `ready` then. @param write sends to the worker @param end ends this process */
export function openRunnerSide(
  write: (messages: readonly FromRunner[], onWritten: () => void) => void,
  end: () => void,
): RunnerSide {
  const outbox = openOutbox(write);
  const calls = openCalls(outbox);
  const clock = openClock();
  const marks = openMarkWriter(marksFd);
  writeMarks(marks.writeRun);
  startBeats(marks);
  const config = readConfig();
  const probes = openProbesOf(config, { outbox, calls });
  const runs = openRuns(openExaminerOf(config, probes, { outbox, calls, clock }), { outbox, calls });
  outbox.send({ kind: 'ready' });
  return {
    warn: (fields, message) => logTo(outbox).warn(fields, message),
    take(message) {
      switch (message.kind) {
        case 'run':
          clock.set(message.nowMs);
          void inRun(message.run, () => runs.begin(message.run, message.job)); // its end is reported in a message
          return;
        case 'stop':
          runs.stop(message.run);
          return;
        case 'vantage':
          keepSurveying(probes.vantage, message.memory);
          return;
        case 'end':
          outbox.flush(end);
          return;
        case 'answer':
        case 'refusal':
          calls.settle(message);
      }
    },
  };
}

type RunContext = {
  readonly outbox: Outbox<FromRunner>;
  readonly calls: CallBook;
};

/** The runs that are under way in this process. */
function openRuns(examineJob: ExamineJob, { outbox, calls }: RunContext) {
  const stops = new Map<number, AbortController>();
  const begin = async (number: number, job: Job) => {
    const stop = new AbortController();
    stops.set(number, stop);
    const forget = nameCaller(number, {
      path: [...(job.levels ?? []), job.caller],
      isBackground: job.isBackground === true,
    });
    try {
      const outcome = await examineJob(job, {
        start: { slot: slotOf(number, outbox, calls) },
        stop: stop.signal,
        progress: (progress) => outbox.sendAlong({ kind: 'progress', run: number, progress }),
      });
      outbox.send({ kind: 'outcome', run: number, outcome });
    } catch (error) {
      outbox.send({ kind: 'failure', run: number, error: sendError(error) });
    } finally {
      stops.delete(number);
      forget();
    }
  };
  return {
    begin,
    stop: (number: number) => stops.get(number)?.abort(workerIsStopping()),
  };
}

type Context = {
  readonly outbox: Outbox<FromRunner>;
  readonly calls: CallBook;
  readonly clock: Pick<ReturnType<typeof openClock>, 'now'>;
};

function openProbesOf(config: Config, { outbox, calls }: RunContext): ProbeFactory {
  const pace = measurePace(
    openLeasedPace(openPaceOfWorker(calls.make('lease'), outbox.sendAlong)),
    (charge, seconds) => outbox.sendAlong({ kind: 'paced', charge, seconds }),
  );
  const mail = {
    store: { find: calls.make('findTalk'), keep: calls.make('keepTalk') },
    tellPort: (state: PortState) => outbox.sendAlong({ kind: 'mail-port', state }),
  };
  return prepareProbesOf(config, pace, mail, (memory) => outbox.sendAlong({ kind: 'vantage', memory }));
}

/** Between two looks whether an hour is over. */
const lookEveryMs = 60_000;

/** Learns at the start what this machine's network can do, and once an hour from then on, over the ends of this process. */
function keepSurveying(vantage: Vantage | undefined, memory: VantageMemory): void {
  if (!vantage) return;
  vantage.load(memory);
  const look = () => void vantage.surveyOnceAnHour(); // never rejects
  look();
  setInterval(look, lookEveryMs).unref();
}

function openExaminerOf(config: Config, probes: ProbeFactory, { outbox, calls, clock }: Context): ExamineJob {
  const log = logTo(outbox);
  const reportStore: Parameters<typeof openEvidenceKeeper>[0]['reportStore'] = {
    // The worker writes them before the report, and tries again where the store is away.
    async keepBlobs(blobs) {
      for (const blob of blobs) outbox.sendAlong({ kind: 'evidence', run: currentRun() ?? 0, blob });
    },
  };
  return openExaminer({
    visit: runVisit,
    evidence: openEvidenceKeeper({ reportStore, log, evidenceForS: config.EVIDENCE_HOURS * 3600 }),
    judging: openJudging(config.HSTS_PRELOAD_FILE),
    reportStore: { findFresh: calls.make('findFresh'), insert: calls.make('insert') },
    log,
    probes,
    findCheck: findCheckOf(config),
    jobKeyOf: openJobKeys(config),
    jobsOf: () => noJobs,
    queueSeconds: config.QUEUE_SECONDS,
    onDone: (check, state, seconds) => outbox.sendAlong({ kind: 'done', check, state, seconds }),
    now: clock.now,
    freshForS: config.FRESH_SECONDS,
    keepForS: config.REPORT_TTL_DAYS * 86_400,
    publicPath: config.PUBLIC_URL ?? '',
    vantageId: config.VANTAGE_ID,
    reportIds: config.REPORT_IDS,
  });
}

type CallBook = ReturnType<typeof openCalls>;
/** The shared time, as the worker last told it: this machine's clock may be set meanwhile. */
function openClock() {
  let toldMs = Date.now();
  let toldAt = performance.now();
  return {
    set(nowMs: number): void {
      toldMs = nowMs;
      toldAt = performance.now();
    },
    now: () => Math.round(toldMs + performance.now() - toldAt),
  };
}

type PendingCall = { resolve(value: unknown): void; reject(error: Error): void };

/** What the worker was asked and has not answered. */
function openCalls(outbox: Outbox<FromRunner>) {
  const waiting = new Map<number, PendingCall>();
  let last = 0;
  return {
    make:
      <Name extends keyof Calls>(name: Name) =>
      (...given: Parameters<Calls[Name]>): ReturnType<Calls[Name]> => {
        const { promise, resolve, reject } = Promise.withResolvers<unknown>();
        last += 1;
        waiting.set(last, { resolve, reject });
        outbox.send({ kind: 'call', call: last, run: currentRun() ?? 0, name, given });
        return promise as ReturnType<Calls[Name]>;
      },
    settle(message: Extract<ToRunner, { call: number }>): void {
      const found = waiting.get(message.call);
      waiting.delete(message.call);
      if (message.kind === 'answer') found?.resolve(message.value);
      else found?.reject(receiveError(message.error));
    },
  };
}

function slotOf(run: number, outbox: Outbox<FromRunner>, calls: CallBook): Slot {
  const retake = calls.make('retake');
  return {
    release: () => outbox.send({ kind: 'release', run }),
    async retake(signal) {
      signal.throwIfAborted();
      const { promise, reject } = Promise.withResolvers<never>();
      const abort = () => reject(signal.reason as Error);
      signal.addEventListener('abort', abort, { once: true });
      await Promise.race([retake(), promise]).finally(() => signal.removeEventListener('abort', abort));
    },
  };
}

function logTo(outbox: Outbox<FromRunner>): Logger {
  const write = (level: keyof Logger) => (fields: object, message: string) => {
    const { err, ...more } = fields as { readonly err?: unknown };
    const sent = err === undefined ? more : { ...more, err: sendError(err) };
    outbox.sendAlong({ kind: 'log', level, fields: sent, message });
  };
  return { error: write('error'), warn: write('warn'), info: write('info'), debug: write('debug') };
}

/** Shows that the event loop turns. A process without runs shows it too: what stands still is ended before it is given one. */
function startBeats(marks: MarkWriter): void {
  const beat = () => {
    const { user, system } = process.threadCpuUsage();
    marks.writeBeat(user + system);
  };
  beat();
  setInterval(beat, beatMs);
}

/**
 * The account of the pace, as the runner process has it: the worker keeps it, so that it outlives this process. Portions are leased in here, and
 * a run asks the worker only where none is in hand. What this process has when it ends is lost.
 */
export function openPaceOfWorker(lease: Calls['lease'], sendAlong: (message: FromRunner) => void): Ledger {
  return {
    async lease(asks) {
      if (asks.some(({ wanted }) => wanted > 0)) return lease(asks);
      sendAlong({ kind: 'returned', asks });
      return asks.map(nothingOf);
    },
    close: () => undefined,
  };
}

/** Nobody waits for an answer to what is only given back. */
function nothingOf(ask: PaceAsk): Portion {
  return { units: 0, at: steadyNow(), ofAll: 0, ofKind: 0, intervals: intervalsOf(ask) };
}
