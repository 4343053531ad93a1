import { afterEach, beforeEach, expect, test } from 'vitest';
import { randomId } from '#shared/model/job';
import type { AccessRecord, AccessRecords } from '#shared/ports/access-record';

export const log = {
  error: console.error,
  warn: () => undefined,
  info: () => undefined,
  debug: () => undefined,
};
const hourMs = 3_600_000;
const now = Date.now();
const later = now + 30 * 24 * hourMs;

/** The record of a run an hour ago. */
export const runOf = (more: Partial<AccessRecord> = {}): AccessRecord => ({
  runId: randomId(),
  check: 'redirect-check',
  host: 'a.test',
  caller: '203.0.113.7',
  startedAt: now - hourMs,
  endedAt: now - hourMs + 1000,
  contacts: [
    { place: 'a.test', counts: { connections: 2 } },
    { place: '9.9.9.9', counts: { requests: 2 } },
  ],
  ...more,
});

/** What every adapter promises. */
export function accessContract(open: () => Promise<AccessRecords>) {
  let access: AccessRecords;
  beforeEach(async () => {
    access = await open();
  });
  afterEach(() => access.close());
  const all = async (since = 0, until = now) => {
    const found: AccessRecord[] = [];
    for await (const record of access.find({ since, until })) found.push(record);
    return found;
  };
  const everything = { madeBefore: now + hourMs };

  test('gives what was kept, oldest first, and of a time what overlaps it', async () => {
    await access.purge(everything);
    const early = runOf({ startedAt: now - 5 * hourMs, endedAt: now - 4 * hourMs });
    const late = runOf({ contacts: null });
    await access.keep([late, early], later);
    expect(await all()).toEqual([early, late]);
    expect(await all(now - 4.5 * hourMs, now - 4.2 * hourMs)).toEqual([early]);
    expect(await all(now - 3 * hourMs, now - 2 * hourMs)).toEqual([]);
  });

  test('gives more of them than are read at once, each once', async () => {
    await access.purge(everything);
    const many = Array.from({ length: 1003 }, (_, at) => runOf({ startedAt: now - hourMs + (at >> 2) }));
    await access.keep(many, later);
    const found = await all();
    expect(found.map(({ startedAt }) => startedAt)).toEqual(many.map(({ startedAt }) => startedAt));
    expect(new Set(found.map(({ runId }) => runId)).size).toBe(many.length);
    await access.purge(everything);
  });

  test('what has expired is not there any more', async () => {
    await access.purge(everything);
    await access.keep([runOf()], now - 1);
    expect(await all()).toEqual([]);
  });

  test('a host is gone with its runs, and from what others sent to it', async () => {
    await access.purge(everything);
    const other = runOf({ host: 'b.test' });
    const unrelated = runOf({ host: 'nota.test', contacts: [] });
    await access.keep([runOf(), runOf({ host: 'www.a.test' }), other, unrelated], later);
    expect(await access.purge({ target: 'a.test' })).toBe(3);
    expect(await access.purge({ target: 'a.test' })).toBe(0);
    const left = await all();
    expect(left.map(({ host }) => host).sort()).toEqual(['b.test', 'nota.test']);
    expect(left.find(({ host }) => host === 'b.test')?.contacts?.map(({ place }) => place)).toEqual([
      '9.9.9.9',
    ]);
  });

  test('an account is gone, and what is too old', async () => {
    await access.purge(everything);
    await access.keep(
      [runOf({ caller: 'somebody' }), runOf(), runOf({ startedAt: now - 9 * hourMs })],
      later,
    );
    expect(await access.purge({ account: 'somebody' })).toBe(1);
    expect(await access.purge({ madeBefore: now - 8 * hourMs })).toBe(1);
    expect(await all()).toHaveLength(1);
  });
}
