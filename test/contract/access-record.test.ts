import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { storeUnavailable } from '#shared/backends/mongo-errors';
import { openSqliteAccess } from '#shared/stores/access/sqlite';
import { openAccessWriter } from '#shared/stores/access/writer';
import { accessContract, log, runOf } from './access-record.contract.ts';

describe('sqlite access records', () => {
  const folder = mkdtempSync(join(tmpdir(), 'diag-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  accessContract(async () => openSqliteAccess(join(folder, 'access.sqlite'), log));
});

describe('the writer of access records', () => {
  test('keeps what a store that is away did not take, and writes it at the end', async () => {
    const kept: string[] = [];
    let isAway = true;
    const writer = openAccessWriter(
      {
        async keep(records) {
          if (isAway) throw storeUnavailable(new Error('away'));
          kept.push(...records.map(({ runId }) => runId));
        },
      },
      30,
      log,
    );
    const runs = [runOf(), runOf()];
    for (const run of runs) writer.note(run);
    await expect.poll(() => kept).toEqual([]);
    isAway = false;
    await writer.close();
    expect(kept).toEqual(runs.map(({ runId }) => runId));
  });

  test('with 0 days nothing is kept', async () => {
    const kept: unknown[] = [];
    const writer = openAccessWriter({ keep: async (records) => void kept.push(...records) }, 0, log);
    writer.note(runOf());
    await writer.close();
    expect(kept).toEqual([]);
  });
});
