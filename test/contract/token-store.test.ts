import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe } from 'vitest';
import { openSqliteTokenStore } from '#shared/stores/tokens/sqlite';
import type { Logger } from '#shared/telemetry/logger';
import { tokenStoreContract } from './token-store.contract.ts';

const log: Logger = {
  error: console.error,
  warn: () => undefined,
  info: () => undefined,
  debug: () => undefined,
};

describe('sqlite token store', () => {
  const folder = mkdtempSync(join(tmpdir(), 'diag-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  tokenStoreContract(async () => openSqliteTokenStore(join(folder, 'tokens.sqlite'), log));
});
