import { expect, test } from 'vitest';
import { openSqliteWatchStore } from '#shared/stores/watches/sqlite';
import { openSenders } from '../../../worker/watches/senders.ts';
import { deliveryOf, watchOf } from '../../contract/watch-store.contract.ts';

const log = { error: console.error, warn: () => undefined, info: () => undefined, debug: () => undefined };

test('accounts share the slots, whoever has the most to send', async () => {
  const watches = openSqliteWatchStore(':memory:', log);
  const [busy, ...others] = ['a', 'b', 'c'].map((account) => watchOf({ account }));
  if (!busy) throw new Error('there are three');
  await watches.keepDeliveries([
    ...Array.from({ length: 100 }, (_, at) => deliveryOf(busy, { nextAttemptAt: 1 + at })),
    ...others.map((watch) => deliveryOf(watch, { nextAttemptAt: 1000 })),
  ]);
  const senders = openSenders({ watches, channel: 'webhook', slots: 20 });
  const claim = { now: 2000, until: 3000 };
  const first = await senders.claim({ ...claim, limit: 20 });
  expect(first.map(({ account }) => account)).toEqual([...Array<string>(10).fill('a'), 'b', 'c']);
  // With two others under way its share is five: it has more than that, and waits.
  expect(await senders.claim({ ...claim, limit: 8 })).toEqual([]);
  for (const { account } of first) senders.leave(account);
  expect(await senders.claim({ ...claim, limit: 20 })).toHaveLength(10);
  await watches.close();
});

test('a claim goes on behind the account that was served last', async () => {
  const watches = openSqliteWatchStore(':memory:', log);
  const accounts = ['a', 'b', 'c', 'd'];
  await watches.keepDeliveries(
    accounts.flatMap((account) =>
      [1, 2].map((nextAttemptAt) => deliveryOf(watchOf({ account }), { nextAttemptAt })),
    ),
  );
  const senders = openSenders({ watches, channel: 'webhook', slots: 2 });
  const served: string[] = [];
  for (let look = 0; look < 8; look += 1) {
    const [one] = await senders.claim({ now: 10, until: 20, limit: 1 });
    if (!one) continue;
    served.push(one.account);
    senders.leave(one.account);
  }
  expect(served.slice(0, 4)).toEqual(accounts);
  await watches.close();
});
