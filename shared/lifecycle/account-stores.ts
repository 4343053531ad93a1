import { join } from 'node:path';
import type { IdempotencyStore } from '../ports/idempotency.ts';
import type { WatchStore } from '../ports/watch-store.ts';
import type { Config } from '../settings/config.ts';
import type { Logger } from '../telemetry/logger.ts';

/** Where what accounts make is kept. */
export type AccountStores = {
  readonly idempotency: IdempotencyStore;
  readonly watches: WatchStore;
};

/** Opens the stores of what accounts make, for the command line as for the service. */
export async function openAccountStores(
  { MONGODB_URL, DATA_DIR }: Config,
  log: Logger,
): Promise<AccountStores> {
  if (MONGODB_URL !== undefined) {
    const { openMongoIdempotency } = await import('../stores/idempotency/mongo.ts');
    const { openMongoWatchStore } = await import('../stores/watches/mongo.ts');
    return {
      idempotency: openMongoIdempotency(MONGODB_URL, log),
      watches: openMongoWatchStore(MONGODB_URL, log),
    };
  }
  const { openSqliteIdempotency } = await import('../stores/idempotency/sqlite.ts');
  const pathOf = (name: string) => (DATA_DIR === ':memory:' ? DATA_DIR : join(DATA_DIR, name));
  const { openSqliteWatchStore } = await import('../stores/watches/sqlite.ts');
  return {
    idempotency: openSqliteIdempotency(pathOf('idempotency.sqlite')),
    watches: openSqliteWatchStore(pathOf('watches.sqlite'), log),
  };
}
