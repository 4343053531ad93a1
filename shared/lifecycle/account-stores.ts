import { join } from 'node:path';
import type { BatchStore } from '../ports/batch-store.ts';
import type { IdempotencyStore } from '../ports/idempotency.ts';
import type { WatchStore } from '../ports/watch-store.ts';
import type { Config } from '../settings/config.ts';
import type { Logger } from '../telemetry/logger.ts';

/** Where what accounts make is kept. */
export type AccountStores = {
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
    const [{ openMongoIdempotency }, { openMongoBatches }, { openMongoWatchStore }] = await Promise.all([
      import('../stores/idempotency/mongo.ts'),
      import('../stores/batches/mongo.ts'),
      import('../stores/watches/mongo.ts'),
    ]);
    return {
      idempotency: openMongoIdempotency(MONGODB_URL, log),
      batches: openMongoBatches(MONGODB_URL, log),
      watches: openMongoWatchStore(MONGODB_URL, log),
    };
  }
  const [{ openSqliteIdempotency }, { openSqliteBatches }, { openSqliteWatchStore }] = await Promise.all([
    import('../stores/idempotency/sqlite.ts'),
    import('../stores/batches/sqlite.ts'),
    import('../stores/watches/sqlite.ts'),
  ]);
  const pathOf = (name: string) => (DATA_DIR === ':memory:' ? DATA_DIR : join(DATA_DIR, name));
  return {
    idempotency: openSqliteIdempotency(pathOf('idempotency.sqlite')),
    batches: openSqliteBatches(pathOf('batches.sqlite'), log),
    watches: openSqliteWatchStore(pathOf('watches.sqlite'), log),
  };
}
