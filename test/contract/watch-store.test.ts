import { describe } from 'vitest';
import { openSqliteWatchStore } from '#shared/stores/watches/sqlite';
import { watchStoreContract } from './watch-store.contract.ts';

const log = { error: console.error, warn: () => undefined, info: () => undefined, debug: () => undefined };

describe('sqlite watch store', () => {
  watchStoreContract(async () => openSqliteWatchStore(':memory:', log));
});
