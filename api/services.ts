import type { Questions } from '#shared/ask/question';
import type { AccountQuotas, BatchesKept, Kept, WatchesKept } from '#shared/limits/kept';
import type { IdempotencyStore } from '#shared/ports/idempotency';
import type { TargetPolicy } from '#shared/targets/parse-target';
import type { Reports } from './answer/ready-report.ts';
import type { Site } from './answer/site.ts';
import type { Jobs } from './ask/ask-as-caller.ts';
import type { ReadSoFar } from './ask/so-far.ts';
import type { Streams } from './limits/streams.ts';
import type { Origins } from './origins/front-door.ts';
import type { Limits } from './request/admit.ts';
import type { ReadAsk } from './request/read-ask.ts';
import type { Bodies } from './request/read-body.ts';
import type { Telemetry } from './request/request-log.ts';
import type { Sessions } from './request/sessions.ts';

/** What answering requests takes, opened once for a process. Each route takes what it names. */
export type Services = {
  /** Log, metrics, traces. */
  readonly telemetry: Telemetry;
  /** Which hosts are ours, and whose pages and programs may ask. */
  readonly origins: Origins;
  /** Who asks, and what is left of their quotas. */
  readonly limits: Limits;
  /** Reports in memory and in the store. */
  readonly reports: Reports;
  /** Runs: how they are submitted, paid for and waited for. */
  readonly jobs: Jobs;
  /** What is known of a run that goes on. */
  readonly readSoFar: ReadSoFar;
  readonly questions: Questions;
  readonly readAsk: ReadAsk;
  readonly targetPolicy: TargetPolicy;
  /** What callers see of this service. */
  readonly site: Site;
  readonly sessions: Sessions;
  readonly bodies: Bodies;
  readonly streams: Streams;
  readonly idempotency: IdempotencyStore;
  readonly kept: Kept;
  /** What /api/me shows of an account; each kind of thing that accounts make adds its own. */
  readonly accountQuotas: readonly AccountQuotas[];
  readonly batches: Batches;
  readonly watches: WatchesKept;
  readonly watchLimits: WatchLimits;
};

/** What a process has of batches. */
export type Batches = {
  readonly store: BatchesKept;
  /** There may be a batch to feed. */
  readonly wake: () => void;
  /** How long a batch is kept. */
  readonly keptMs: number;
  /** What one account may have. */
  readonly limits: { readonly batches: number; readonly targets: number };
};

/** What watches of an account may come to. */
export type WatchLimits = {
  /** Shortest interval, seconds. */
  readonly minSeconds: number;
  /** Targets of an account. */
  readonly targets: number;
  /** False where nothing is counted. */
  readonly isLimited: boolean;
};
