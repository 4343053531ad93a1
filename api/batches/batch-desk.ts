import type { BatchStore } from '#shared/ports/batch-store';
import type { Desk } from '../desk.ts';
import type { Feeder } from './feed/feeder.ts';

/** What a process has of batches. */
export type Batches = {
  readonly store: BatchStore;
  readonly feeder: Feeder;
  /** How long a batch is kept. */
  readonly keptMs: number;
  /** What one account may have. */
  readonly limits: { readonly batches: number; readonly targets: number };
};

/** What the endpoints of batches take. */
export type BatchDesk = Pick<
  Desk,
  | 'accountTurns'
  | 'admission'
  | 'batches'
  | 'bodies'
  | 'door'
  | 'idempotency'
  | 'kept'
  | 'readAsk'
  | 'runs'
  | 'shelf'
  | 'site'
  | 'streams'
>;
