import type { Ledger } from '#shared/limits/pace/ledger';
import type { Job } from '#shared/model/job';
import type { ReportState } from '#shared/model/report';
import type { Blob, ReportStore } from '#shared/ports/report-store';
import type { Logger } from '#shared/telemetry/logger';
import type { PortState } from '../probes/smtp/port.ts';
import type { VantageMemory } from '../probes/vantage/memory.ts';
import type { Running, RunOutcome } from '../run/examine-job.ts';
import { openTalkStore } from '../run/keep-talks.ts';
import type { Calls, FromRunner, ToRunner } from './messages.ts';
import { receiveError, sendError } from './sent-error.ts';

/** What the runner process may ask of its worker. */
export type AnswerSettings = {
  readonly log: Logger;
  readonly pace: Pick<Ledger, 'lease'>;
  readonly onPaced: (charge: string, seconds: number) => void;
  readonly onMailPort?: (state: PortState) => void;
  /** Hears what is known of this machine's network, each time that it changes. */
  readonly onVantage?: (memory: VantageMemory) => void;
  readonly reportStore: Pick<ReportStore, 'findFresh' | 'insert' | 'getBlob' | 'keepBlob'>;
  /** Hands evidence to the store; resolves when it has it or could not take it at once. */
  readonly keepEvidence: (blob: Blob) => Promise<void>;
  readonly onDone: (check: string, state: ReportState, seconds?: number) => void;
};

type Message = Exclude<FromRunner, { kind: 'ready' }>;
type TellRunner = (message: ToRunner) => void;

/** Does what the messages of the process say; those of a run that has ended are void. */
export function openAnswers(
  settings: AnswerSettings,
  find: (run: number) => GivenRun | undefined,
): { readonly take: (message: Message, tell: TellRunner) => void } {
  const answer = async ({ call, run, name, given }: Extract<Message, { kind: 'call' }>, tell: TellRunner) => {
    try {
      const value = await answerOf(settings, find(run))[name](...(given as [never, never]));
      tell({ kind: 'answer', call, value });
    } catch (error) {
      tell({ kind: 'refusal', call, error: sendError(error) });
    }
  };
  return {
    take(message, tell) {
      if (message.kind === 'call') return void answer(message, tell); // never rejects
      if (isNews(message)) return hear(message, settings);
      const run = find(message.run);
      if (run) takeOf(run, message, settings);
    },
  };
}

/** What the process tells of itself, and of no run. */
type News = Extract<Message, { kind: 'log' | 'done' | 'paced' | 'mail-port' | 'vantage' | 'returned' }>;

const newsKinds: readonly string[] = [
  'log',
  'done',
  'paced',
  'mail-port',
  'vantage',
  'returned',
] satisfies News['kind'][];

function isNews(message: Message): message is News {
  return newsKinds.includes(message.kind);
}

function hear(message: News, settings: AnswerSettings): void {
  switch (message.kind) {
    case 'log':
      return settings.log[message.level](message.fields, message.message);
    case 'done':
      return settings.onDone(message.check, message.state, message.seconds);
    case 'paced':
      return settings.onPaced(message.charge, message.seconds);
    case 'mail-port':
      return settings.onMailPort?.(message.state);
    case 'vantage':
      return settings.onVantage?.(message.memory);
    case 'returned':
      return void settings.pace.lease(message.asks); // never rejects
  }
}

function takeOf(
  run: GivenRun,
  message: Exclude<Message, News | { kind: 'call' }>,
  { keepEvidence }: AnswerSettings,
): void {
  switch (message.kind) {
    case 'progress':
      return run.running.progress(message.progress);
    case 'release':
      return run.running.start.slot.release();
    case 'evidence':
      return void run.kept.push(keepEvidence(message.blob));
    case 'failure':
      return run.reject(receiveError(message.error));
    case 'outcome':
      // Evidence first, so that no report is ever without it.
      return void Promise.all(run.kept).then(() => run.resolve(message.outcome)); // never rejects
  }
}

/** The calls of a run, which may have ended meanwhile. */
function answerOf({ pace, reportStore }: AnswerSettings, run: GivenRun | undefined): Calls {
  return {
    lease: (asks) => pace.lease(asks),
    findTalk: (key) => openTalkStore(reportStore).find(key),
    keepTalk: (...given) => openTalkStore(reportStore).keep(...given),
    async findFresh(...asked) {
      const found = await reportStore.findFresh(...asked);
      return new Map([...found].map(([jobKey, { reportId }]) => [jobKey, { reportId }]));
    },
    async insert(...given) {
      await Promise.all(run?.kept ?? []);
      await reportStore.insert(...given);
    },
    async retake() {
      await run?.running.start.slot.retake(run.running.stop);
    },
  };
}

/** A run that was given to the process. */
export type GivenRun = {
  readonly number: number;
  readonly job: Job;
  readonly running: Running;
  readonly resolve: (outcome: RunOutcome) => void;
  readonly reject: (error: Error) => void;
  /** Evidence on its way to the store. */
  readonly kept: Promise<void>[];
  /** Processes that ended under it. */
  lost: number;
  /** Its data was read when a process ended, perhaps for another reason. */
  isSuspect: boolean;
};
