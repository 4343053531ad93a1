import { afterEach, beforeEach, expect, test } from 'vitest';
import { randomId } from '#shared/model/job';
import { type Batch, type BatchEnd, type BatchStore, noneEnded } from '#shared/ports/batch-store';

const hourMs = 3_600_000;

/** What every store of batches does. @param open opens another process's view of the same batches */
export function batchStoreContract(open: () => Promise<BatchStore>): void {
  let store: BatchStore;
  let other: BatchStore;
  beforeEach(async () => {
    [store, other] = [await open(), await open()];
    // Of an earlier row: a claim would find them.
    await store.purge({ madeBefore: Number.MAX_SAFE_INTEGER });
  });
  afterEach(async () => {
    await store.close();
    await other.close();
  });
  const now = Date.now();
  const batchOf = (more: Partial<Batch> = {}): Batch => ({
    batchId: randomId(),
    account: 'one',
    check: 'dns-check',
    options: { dkimSelector: ['a'] },
    label: null,
    maxAgeS: null,
    total: 3,
    createdAt: now,
    expiresAt: now + hourMs,
    endedAt: null,
    cancelledAt: null,
    running: 0,
    leaseUntil: 0,
    ...more,
  });
  const endOf = (index: number, cursor: number, more: Partial<BatchEnd> = {}): BatchEnd => ({
    index,
    cursor,
    outcome: 'done',
    reportId: randomId(),
    problem: null,
    endedAt: now,
    ...more,
  });
  const keep = async (more: Partial<Batch> = {}, targets = ['a.test', 'b.test', 'c.test']) => {
    const batch = batchOf({ total: targets.length, ...more });
    await store.insert(batch, targets);
    return batch;
  };

  test('a batch is kept with its targets, the first of an id', async () => {
    const targets = Array.from({ length: 1203 }, (_, index) => `d${index}.test`);
    const batch = await keep({ label: 'mine' }, targets);
    await other.insert({ ...batch, label: 'later' }, ['x.test']);
    expect(await other.get(batch.batchId)).toEqual(batch);
    const parts = await Promise.all([0, 1, 2, 3].map((part) => other.readTargets(batch.batchId, part)));
    expect(parts.flat()).toEqual(targets);
    expect(parts.map((part) => part.length)).toEqual([500, 500, 203, 0]);
    expect(await other.get(randomId())).toBeUndefined();
  });

  test('an account’s batches are listed newest first, in pages, and the open ones oldest first', async () => {
    const made: string[] = [];
    for (const age of [3, 2, 2, 1]) made.push((await keep({ createdAt: now - age })).batchId);
    await keep({ account: 'two' });
    const first = await other.list('one', { limit: 2 });
    const last = first.at(-1);
    const rest = await other.list('one', { limit: 9, ...(last ? { before: last } : {}) });
    const listed = [...first, ...rest].map(({ batchId }) => batchId);
    expect(listed.toSorted()).toEqual(made.toSorted());
    expect([listed[0], listed[3]]).toEqual([made[3], made[0]]);
    await store.finish(made[1] ?? '', now);
    const open = (await other.listOpen('one')).map(({ batchId }) => batchId);
    expect(open).toEqual(listed.toReversed().filter((id) => id !== made[1]));
  });

  test('is fed by one process at a time, and by another when its lease has ended', async () => {
    const { batchId } = await keep();
    const claimed = await Promise.all(
      ['a', 'b', 'c', 'd'].map((feeder, index) => (index % 2 ? store : other).claim(feeder, now, now + 1000)),
    );
    expect(claimed.filter((batch) => batch !== undefined).length).toBeGreaterThan(0);
    // Where a server does not find and change in one step, two may think so for a moment: the lease of one of them holds.
    const holders: string[] = [];
    for (const name of ['a', 'b', 'c', 'd'])
      if (await store.renew({ batchId, feeder: name }, now + 1000, 0)) holders.push(name);
    expect(holders).toHaveLength(1);
    const [feeder = ''] = holders;
    expect(await store.renew({ batchId, feeder }, now + 2000, 2)).toMatchObject({
      running: 2,
      leaseUntil: now + 2000,
    });
    expect(await other.claim('e', now + 1500, now + 3000)).toBeUndefined();
    expect(await other.claim('e', now + 2001, now + 3000)).toMatchObject({ batchId });
    expect(await store.renew({ batchId, feeder }, now + 9000, 0)).toBeUndefined();
    await store.release({ batchId, feeder });
    expect(await store.claim('f', now + 2002, now + 3000)).toBeUndefined();
    await other.release({ batchId, feeder: 'e' });
    expect(await store.claim('f', now + 2002, now + 3000)).toMatchObject({ batchId, running: 0 });
    await store.finish(batchId, now + 5);
    expect(await other.claim('g', now + 9000, now + 9999)).toBeUndefined();
    expect(await other.get(batchId)).toMatchObject({ endedAt: now + 5 });
  });

  test('ends are read in the order of their cursors; of two for one target or cursor the first stays', async () => {
    const { batchId } = await keep();
    expect(
      await store.addEnds(batchId, [
        endOf(2, 1),
        endOf(0, 2, { outcome: 'refused', reportId: null, problem: '{}' }),
      ]),
    ).toBe(true);
    expect(await other.addEnds(batchId, [endOf(0, 3)])).toBe(false);
    expect(await other.addEnds(batchId, [endOf(1, 2)])).toBe(false);
    expect((await other.listEnds(batchId, 0, 10)).map(({ index }) => index)).toEqual([2, 0]);
    expect((await other.listEnds(batchId, 1, 10)).map(({ problem }) => problem)).toEqual(['{}']);
    expect(await other.listEnds(batchId, 0, 1)).toHaveLength(1);
    const { indexes, lastCursor } = await other.readEnded(batchId);
    expect([indexes.toSorted(), lastCursor]).toEqual([[0, 2], 2]);
    const recent = await other.tally(batchId, now - 1);
    expect(recent).toEqual({ ...noneEnded, done: 1, refused: 1, recent: 2 });
    expect((await other.tally(batchId, now)).recent).toBe(0);
  });

  test('a cancellation is noted once, and not of a batch that has ended', async () => {
    const [open, over] = [await keep(), await keep()];
    await store.finish(over.batchId, now);
    for (const { batchId } of [open, over]) await store.cancel(batchId, now + 1);
    await other.cancel(open.batchId, now + 2);
    expect(await other.get(open.batchId)).toMatchObject({ cancelledAt: now + 1 });
    expect(await other.get(over.batchId)).toMatchObject({ cancelledAt: null });
  });

  test('what has expired goes whole, and so does what is purged; a target is struck out of all lists', async () => {
    const [old, kept] = [await keep({ expiresAt: now - 1 }), await keep({ account: 'two' })];
    await store.addEnds(old.batchId, [endOf(0, 1)]);
    await store.expire(now);
    expect(await other.get(old.batchId)).toBeUndefined();
    expect(await other.readTargets(old.batchId, 0)).toEqual([]);
    expect(await other.listEnds(old.batchId, 0, 9)).toEqual([]);
    expect(await other.purge({ target: 'b.test' })).toBe(1);
    expect(await store.readTargets(kept.batchId, 0)).toEqual(['a.test', '', 'c.test']);
    expect(await other.purge({ account: 'two' })).toBe(1);
    expect(await store.get(kept.batchId)).toBeUndefined();
  });
}
