import { afterEach, beforeEach, expect, test } from 'vitest';
import { randomId } from '#shared/model/job';
import { beginningMs, type IdempotencyStore, keyKeptMs } from '#shared/ports/idempotency';

/** What every store of Idempotency-Keys does. @param open opens another process's view of the same keys */
export function idempotencyContract(open: () => Promise<IdempotencyStore>): void {
  let keys: IdempotencyStore;
  let other: IdempotencyStore;
  beforeEach(async () => {
    [keys, other] = [await open(), await open()];
  });
  afterEach(async () => {
    await keys.close();
    await other.close();
  });
  const now = Date.now();
  const requestOf = (more: object = {}) => ({ account: randomId(), key: 'k', digest: 'one', ...more });

  test('an equal request is told of the resource of the first, and what was kept beside it', async () => {
    const request = requestOf();
    expect(await keys.begin(request, 'first', now)).toEqual({ state: 'new', resourceId: 'first' });
    expect(await other.begin(request, 'second', now)).toEqual({ state: 'in-progress' });
    await keys.finish(request, 'secret');
    const same = { state: 'same', resourceId: 'first', kept: 'secret' };
    expect(await other.begin(request, 'second', now)).toEqual(same);
    expect(await other.begin({ ...request, digest: 'two' }, 'third', now)).toEqual({ state: 'reused' });
    expect(await other.begin(requestOf(), 'fourth', now)).toEqual({ state: 'new', resourceId: 'fourth' });
  });

  test('of many at once one is the first', async () => {
    const request = requestOf();
    const begun = await Promise.all(
      Array.from({ length: 8 }, (_, index) => (index % 2 ? keys : other).begin(request, `${index}`, now)),
    );
    expect(begun.map(({ state }) => state).toSorted()).toEqual([
      ...Array.from({ length: 7 }, () => 'in-progress'),
      'new',
    ]);
  });

  test('a key whose process has died is taken over with its resource, by one', async () => {
    const request = requestOf();
    await keys.begin(request, 'first', now);
    const later = now + beginningMs + 1;
    const begun = await Promise.all([
      keys.begin(request, 'second', later),
      other.begin(request, 'third', later),
    ]);
    expect(begun).toContainEqual({ state: 'new', resourceId: 'first' });
    expect(begun).toContainEqual({ state: 'in-progress' });
  });

  test('a key is free again when nothing was made, after a day, and when its account is purged', async () => {
    const [failed, old, gone] = [requestOf(), requestOf(), requestOf()];
    for (const request of [failed, old, gone]) await keys.begin(request, 'first', now);
    await keys.abandon(failed);
    expect(await other.begin({ ...failed, digest: 'two' }, 'next', now)).toMatchObject({ state: 'new' });
    await keys.finish(gone, '');
    // What was made is not forgotten by a request that failed after it.
    await keys.abandon(gone);
    expect(await other.begin(gone, 'next', now)).toMatchObject({ state: 'same' });
    expect(await keys.purge(gone.account)).toBe(1);
    expect(await other.begin(gone, 'next', now)).toEqual({ state: 'new', resourceId: 'next' });
    await keys.finish(old, '');
    expect(await keys.begin(old, 'next', now + keyKeptMs + 1)).toEqual({
      state: 'new',
      resourceId: 'next',
    });
  });
}
