import { databasePath } from '../backends/sqlite.ts';
import type { AccountTurns } from '../ports/account-turns.ts';
import type { BatchStore } from '../ports/batch-store.ts';
import type { IdempotencyStore } from '../ports/idempotency.ts';
import type { WatchStore } from '../ports/watch-store.ts';
import type { Config } from '../settings/config.ts';
import type { Logger } from '../telemetry/logger.ts';

/** Where what accounts make is kept. */
export type AccountStores = {
  /** What an account has is judged and added to in its turn. */
  readonly accountTurns: AccountTurns;
  readonly idempotency: IdempotencyStore;
  readonly batches: BatchStore;
  readonly watches: WatchStore;
};

/** Opens the stores of what accounts make, for the command line as for the service. */
export async function openAccountStores(
  { MONGODB_URL, DATA_DIR }: Config,
  log: Logger,
): Promise<AccountStores> {
  if (MONGODB_URL !== undefined) {
    const [
      { openMongoAccountTurns },
      { openMongoIdempotency },
      { openMongoBatches },
      { openMongoWatchStore },
    ] = await Promise.all([
      import('../stores/account-turns/mongo.ts'),
      import('../stores/idempotency/mongo.ts'),
      import('../stores/batches/mongo.ts'),
      import('../stores/watches/mongo.ts'),
    ]);
    return {
      accountTurns: openMongoAccountTurns(MONGODB_URL, log),
      idempotency: openMongoIdempotency(MONGODB_URL, log),
      batches: openMongoBatches(MONGODB_URL, log),
      watches: openMongoWatchStore(MONGODB_URL, log),
    };
  }
  const [
    { openMemoryAccountTurns },
    { openSqliteIdempotency },
    { openSqliteBatches },
    { openSqliteWatchStore },
  ] = await Promise.all([
    import('../stores/account-turns/memory.ts'),
    import('../stores/idempotency/sqlite.ts'),
    import('../stores/batches/sqlite.ts'),
    import('../stores/watches/sqlite.ts'),
  ]);
  return {
    // One process alone has a data folder.
    accountTurns: openMemoryAccountTurns(),
    idempotency: openSqliteIdempotency(databasePath(DATA_DIR, 'idempotency')),
    batches: openSqliteBatches(databasePath(DATA_DIR, 'batches'), log),
    watches: openSqliteWatchStore(databasePath(DATA_DIR, 'watches'), log),
  };
}
