import { beforeEach, expect, test } from 'vitest';
import { openKept, usualKeptBytes } from '#shared/limits/kept';
import { randomId } from '#shared/model/job';
import { type Batch, bytesOfBatch, noneEnded } from '#shared/ports/batch-store';
import { openMemoryAccountTurns } from '#shared/stores/account-turns/memory';
import { openSqliteBatches } from '#shared/stores/batches/sqlite';
import { openSqliteWatchStore } from '#shared/stores/watches/sqlite';
import { bodyBounds } from '../../../api/request/body-bounds.ts';

const log = { error: console.error, warn: () => undefined, info: () => undefined, debug: () => undefined };
const now = Date.now();
const hourMs = 3_600_000;

let stores: Parameters<typeof openKept>[0] & {
  readonly batches: ReturnType<typeof openSqliteBatches>;
};
beforeEach(() => {
  stores = {
    accountTurns: openMemoryAccountTurns(),
    batches: openSqliteBatches(':memory:', log),
    watches: openSqliteWatchStore(':memory:', log),
  };
});

/** @param endedAgoMs null: it is open */
async function keep(endedAgoMs: number | null, bytes = 5000): Promise<string> {
  const endedAt = endedAgoMs === null ? null : now - endedAgoMs;
  const batch: Batch = {
    batchId: randomId(),
    account: 'one',
    check: 'dns-check',
    options: {},
    label: null,
    maxAgeS: null,
    total: 1,
    createdAt: now - 1000 * hourMs,
    expiresAt: now + hourMs,
    endedAt,
    cancelledAt: null,
    running: 0,
    leaseUntil: 0,
    feeder: null,
    bytes,
    ...noneEnded,
  };
  await stores.batches.insert(batch, ['a.test']);
  return batch.batchId;
}

/** Takes the room for so many bytes, as a batch does. */
const makeRoom = (kept: ReturnType<typeof openKept>, account: string, bytes: number) =>
  kept.take(account, (room) => room(bytes, true));

test('the oldest ended batches make room for a new one, and no more of them than it takes', async () => {
  const kept = openKept(stores, 20_000);
  const [young, old, older] = [await keep(30 * hourMs), await keep(50 * hourMs), await keep(90 * hourMs)];
  expect(await kept.quotas('one')).toEqual({ kept: { limit: 20_000, used: 15_000 } });
  await makeRoom(kept, 'one', 5000);
  expect(await stores.batches.get(older)).toBeDefined();
  await makeRoom(kept, 'one', 6000);
  expect(await stores.batches.get(older)).toBeUndefined();
  expect(await stores.batches.get(old)).toBeDefined();
  expect(await stores.batches.get(young)).toBeDefined();
});

test('a batch that is open, or ended within a day, stays: then there is no room', async () => {
  const kept = openKept(stores, 20_000);
  const batches = [await keep(null), await keep(23 * hourMs), await keep(hourMs)];
  const refused = { code: 'quota_exceeded', policy: 'kept', quota: { limit: 20_000, used: 15_000 } };
  await expect(makeRoom(kept, 'one', 6000)).rejects.toMatchObject(refused);
  await expect(kept.take('one', (room) => room(6000))).rejects.toMatchObject(refused);
  for (const id of batches) expect(await stores.batches.get(id)).toBeDefined();
  await makeRoom(kept, 'two', 20_000);
});

test('the bound holds thirty of the largest batches', () => {
  const { bytes, lines } = bodyBounds.batch;
  const targets = Array.from({ length: lines }, () => 'x'.repeat(bytes / lines));
  expect(30 * bytesOfBatch(targets)).toBeLessThan(usualKeptBytes);
});
