import type { PaceAsk, Portion } from '#shared/limits/pace/ledger';
import type { Job } from '#shared/model/job';
import type { ReportState } from '#shared/model/report';
import type { Progress } from '#shared/ports/job-queue';
import type { Blob, ReportStore } from '#shared/ports/report-store';
import type { PortState } from '../probes/smtp/port.ts';
import type { TalkStore } from '../probes/smtp/shelf.ts';
import type { VantageMemory } from '../probes/vantage/memory.ts';
import type { RunOutcome } from '../run/examine-job.ts';
import type { SentError } from './sent-error.ts';

/** What the runner process asks its worker to do, and waits for. */
export type Calls = {
  /** Takes portions of the pace of all runs. */
  lease(asks: readonly PaceAsk[]): Promise<readonly Portion[]>;
  findFresh(
    ...asked: Parameters<ReportStore['findFresh']>
  ): Promise<ReadonlyMap<string, { reportId: string }>>;
  insert(...given: Parameters<ReportStore['insert']>): Promise<void>;
  /** What other runs saw of a mail host. */
  findTalk(...asked: Parameters<TalkStore['find']>): ReturnType<TalkStore['find']>;
  keepTalk(...given: Parameters<TalkStore['keep']>): Promise<void>;
  /** Waits for a slot again. */
  retake(): Promise<void>;
};

/** From the worker to its runner process. Runs are numbered by the worker, from 1. */
export type ToRunner =
  /** `nowMs`: Unix ms by the clock that all processes share. */
  | { readonly kind: 'run'; readonly run: number; readonly job: Job; readonly nowMs: number }
  | { readonly kind: 'stop'; readonly run: number }
  /** What is known of this machine's network; comes once, before the first run. */
  | { readonly kind: 'vantage'; readonly memory: VantageMemory }
  /** The process sends what it has left to tell, and ends. */
  | { readonly kind: 'end' }
  | { readonly kind: 'answer'; readonly call: number; readonly value: unknown }
  | { readonly kind: 'refusal'; readonly call: number; readonly error: SentError };

/** From the runner process to its worker. */
export type FromRunner =
  | { readonly kind: 'ready' }
  | { readonly kind: 'outcome'; readonly run: number; readonly outcome: RunOutcome }
  | { readonly kind: 'failure'; readonly run: number; readonly error: SentError }
  | {
      readonly kind: 'call';
      readonly call: number;
      readonly run: number;
      readonly name: keyof Calls;
      readonly given: readonly unknown[];
    }
  /** Units of the pace that nobody used. */
  | { readonly kind: 'returned'; readonly asks: readonly PaceAsk[] }
  /** Whether port 25 is open, as far as somebody had to look. */
  | { readonly kind: 'mail-port'; readonly state: PortState }
  /** What is known of this machine's network now. */
  | { readonly kind: 'vantage'; readonly memory: VantageMemory }
  /** A unit of the pace was waited for so long. */
  | { readonly kind: 'paced'; readonly charge: string; readonly seconds: number }
  | { readonly kind: 'progress'; readonly run: number; readonly progress: Progress }
  | { readonly kind: 'release'; readonly run: number }
  | { readonly kind: 'evidence'; readonly run: number; readonly blob: Blob }
  /** A check of a visit has ended. */
  | {
      readonly kind: 'done';
      readonly check: string;
      readonly state: ReportState;
      readonly seconds: number | undefined;
    }
  | {
      readonly kind: 'log';
      readonly level: 'error' | 'warn' | 'info' | 'debug';
      readonly fields: object;
      readonly message: string;
    };
