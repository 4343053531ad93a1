import { afterEach, beforeEach, expect, test } from 'vitest';
import { randomId } from '#shared/model/job';
import { type Batch, type BatchEnd, type BatchStore, noneEnded, type Tally } from '#shared/ports/batch-store';
import { type Leases, openLeases } from '#shared/stores/batches/leases';

const hourMs = 3_600_000;

/** What every store of batches does. @param open opens another process's view of the same batches */
export function batchStoreContract(open: () => Promise<BatchStore>): void {
  let store: BatchStore & Leases;
  let other: BatchStore & Leases;
  beforeEach(async () => {
    const [one, two] = [await open(), await open()];
    store = { ...one, ...openLeases(one) };
    other = { ...two, ...openLeases(two) };
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
    feeder: null,
    bytes: 5000,
    ...noneEnded,
    ...more,
  });
  const tallyOf = (more: Partial<Tally> = {}): Tally => ({ ...noneEnded, ...more });
  /** Ends a batch as its feeder does. */
  const end = async (batchId: string, at: number) => {
    const token = randomId();
    for (;;) {
      const claimed = await store.claim(token, at, at + 1);
      if (claimed?.batchId === batchId) return void (await store.finish({ batchId, token }, at));
    }
  };
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
  });

  test('what an account has of batches is known: open ones, targets that wait, and bytes of all of them', async () => {
    const [first, second] = [await keep(), await keep({ bytes: 6000 })];
    await keep({ account: 'two' });
    expect(await other.useOf('one')).toEqual({ open: 2, waiting: 6, bytes: 11_000 });
    await store.addEnds(first.batchId, [endOf(0, 1)], tallyOf({ done: 1 }));
    expect(await other.useOf('one')).toEqual({ open: 2, waiting: 5, bytes: 11_000 });
    await end(first.batchId, now + 5);
    expect(await other.useOf('one')).toEqual({ open: 1, waiting: 3, bytes: 11_000 });
    const idsOf = (batches: readonly Batch[]) => batches.map(({ batchId }) => batchId);
    expect(idsOf(await other.listEnded('one', now + 6, 9))).toEqual([first.batchId]);
    expect(await other.listEnded('one', now + 5, 9)).toEqual([]);
    await store.remove(first.batchId);
    expect(await other.useOf('one')).toEqual({ open: 1, waiting: 3, bytes: 6000 });
    await store.remove(second.batchId);
    expect(await other.useOf('one')).toEqual({ open: 0, waiting: 0, bytes: 0 });
  });

  test('is fed by one process at a time, and by another when its lease has ended', async () => {
    const { batchId } = await keep();
    const claimed = await Promise.all(
      ['a', 'b', 'c', 'd'].map((token, index) => (index % 2 ? store : other).claim(token, now, now + 1000)),
    );
    expect(claimed.filter((batch) => batch !== undefined).length).toBeGreaterThan(0);
    // Where a server does not find and change in one step, two may think so for a moment: the lease of one of them holds.
    const holders: string[] = [];
    for (const one of ['a', 'b', 'c', 'd'])
      if (await store.renew({ batchId, token: one }, now + 1000, 0)) holders.push(one);
    expect(holders).toHaveLength(1);
    const [token = ''] = holders;
    expect(await store.renew({ batchId, token }, now + 2000, 2)).toMatchObject({
      running: 2,
      leaseUntil: now + 2000,
    });
    expect(await other.claim('e', now + 1500, now + 3000)).toBeUndefined();
    expect(await other.claim('e', now + 2001, now + 3000)).toMatchObject({ batchId });
    expect(await store.renew({ batchId, token }, now + 9000, 0)).toBeUndefined();
    // What is left of an earlier claim of the same process changes nothing.
    await store.release({ batchId, token });
    await store.finish({ batchId, token }, now + 4);
    expect(await store.get(batchId)).toMatchObject({ endedAt: null });
    expect(await store.claim('f', now + 2002, now + 3000)).toBeUndefined();
    await other.release({ batchId, token: 'e' });
    expect(await store.claim('f', now + 2002, now + 3000)).toMatchObject({ batchId, running: 0 });
    await store.finish({ batchId, token: 'f' }, now + 5);
    expect(await other.claim('g', now + 9000, now + 9999)).toBeUndefined();
    expect(await other.get(batchId)).toMatchObject({ endedAt: now + 5 });
  });

  test('ends are read in the order of their cursors; of two for one target or cursor the first stays', async () => {
    const { batchId } = await keep();
    const tally = tallyOf({ done: 1, refused: 1, recent: 2, recentAt: now });
    const refused = { outcome: 'refused', reportId: null, problem: 'invalid_request' } as const;
    expect(await store.addEnds(batchId, [endOf(2, 1), endOf(0, 2, refused)], tally)).toBe(true);
    const wrong = tallyOf({ done: 9 });
    expect(await other.addEnds(batchId, [endOf(0, 3)], wrong)).toBe(false);
    expect(await other.addEnds(batchId, [endOf(1, 2)], wrong)).toBe(false);
    expect((await other.listEnds(batchId, 0, 10)).map(({ index }) => index)).toEqual([2, 0]);
    expect((await other.listEnds(batchId, 1, 10)).map(({ problem }) => problem)).toEqual(['invalid_request']);
    expect(await other.listEnds(batchId, 0, 1)).toHaveLength(1);
    expect(await other.get(batchId)).toMatchObject(tally);
  });

  test('a cancellation is noted once, and not of a batch that has ended', async () => {
    const [open, over] = [await keep(), await keep()];
    await end(over.batchId, now);
    for (const { batchId } of [open, over]) await store.cancel(batchId, now + 1);
    await other.cancel(open.batchId, now + 2);
    expect(await other.get(open.batchId)).toMatchObject({ cancelledAt: now + 1 });
    expect(await other.get(over.batchId)).toMatchObject({ cancelledAt: null });
  });

  test('what has expired goes whole, and so does what is purged; a target is struck out of all lists', async () => {
    const [old, kept] = [await keep({ expiresAt: now - 1 }), await keep({ account: 'two' })];
    await store.addEnds(old.batchId, [endOf(0, 1)], tallyOf({ done: 1 }));
    while (await store.expire(now));
    expect(await other.get(old.batchId)).toBeUndefined();
    expect(await other.readTargets(old.batchId, 0)).toEqual([]);
    expect(await other.listEnds(old.batchId, 0, 9)).toEqual([]);
    expect(await other.purge({ target: 'b.test' })).toBe(1);
    expect(await store.readTargets(kept.batchId, 0)).toEqual(['a.test', '', 'c.test']);
    expect(await other.purge({ account: 'two' })).toBe(1);
    expect(await store.get(kept.batchId)).toBeUndefined();
  });
}
