import { onceMore } from '../../backends/mongo-errors.ts';
import type { WriteLimit } from '../../backends/mongo.ts';
import type { Delivery } from '../../model/watch.ts';
import type { WatchStore } from '../../ports/watch-store.ts';
import { giveBack } from '../../time/give-back.ts';
import { documentOfDelivery, type WatchCollections } from './mongo-documents.ts';
import { takeOnce } from './mongo-locks.ts';
import {
  behind,
  changedAtOnce,
  insertOnce,
  type StoredBody,
  seenTimes,
  timeOf,
  type WatchMongo,
  writtenAtOnce,
} from './mongo-shared.ts';

type DeliveryPart = Pick<
  WatchStore,
  'keepDeliveries' | 'dropEnded' | 'getDelivery' | 'listDeliveries' | 'listWaiting'
>;
type SendingPart = Pick<WatchStore, 'dueAccounts' | 'claimDeliveries' | 'settleDelivery' | 'release'>;

/** What watches told. @param toDelivery reads a document */
export function openMongoDeliveries(
  { read, write }: WatchMongo,
  toDelivery: (document: StoredBody | null) => Delivery[],
): DeliveryPart {
  return {
    async keepDeliveries(kept) {
      if (kept.length > 0) await write(dropSomeExpired);
      for (let at = 0; at < kept.length; at += writtenAtOnce) {
        const part = kept.slice(at, at + writtenAtOnce).map(documentOfDelivery);
        await write(({ deliveries }, limit) =>
          insertOnce(deliveries.insertMany(part, { ...limit, ordered: false })),
        );
        await giveBack();
      }
    },
    dropEnded: openDropEnded({ read, write }, toDelivery),
    getDelivery: (deliveryId) =>
      read(async ({ deliveries }, limit) => {
        const alive = { _id: String(deliveryId), expiresAt: { $gt: new Date() } };
        return toDelivery(await deliveries.findOne(alive, limit))[0];
      }),
    listDeliveries: (of, { limit, before }) =>
      read(async ({ deliveries }, readLimit) => {
        const whose = 'watchId' in of ? { watchId: String(of.watchId) } : { account: String(of.account) };
        const found = await deliveries
          .find({ ...whose, expiresAt: { $gt: new Date() }, ...behind(before) }, readLimit)
          .sort({ createdAt: -1, _id: -1 })
          .limit(limit)
          .toArray();
        return found.flatMap(toDelivery);
      }),
    listWaiting: (waitsFor, most) =>
      read(async ({ deliveries }, limit) => {
        const waiting = { waitsFor: String(waitsFor), expiresAt: { $gt: new Date() } };
        const found = deliveries.find(waiting, limit).sort({ createdAt: 1, _id: 1 }).limit(most);
        return (await found.toArray()).flatMap(toDelivery);
      }),
  };
}

/** More than come with one writing. */
function openDropEnded(
  { read, write }: WatchMongo,
  toDelivery: (document: StoredBody | null) => Delivery[],
): WatchStore['dropEnded'] {
  return async (account, bytes) => {
    for (let left = bytes; left > 0; await giveBack()) {
      const ended = { account: String(account), nextAttemptAt: null, waitsFor: null };
      const found = await read(({ deliveries }, limit) =>
        deliveries
          .find(ended, { ...limit, projection: { bytes: 1, body: 1 } })
          .sort({ createdAt: 1 })
          .limit(writtenAtOnce)
          .toArray(),
      );
      // What waits for the first test of a webhook has no time either.
      const over = found.filter((one) => toDelivery(one).every(({ state }) => state !== 'pending'));
      const gone: string[] = [];
      for (const one of over) {
        if (left <= 0) break;
        gone.push(one._id);
        left -= one.bytes;
      }
      if (gone.length > 0)
        await write(({ deliveries }, limit) => deliveries.deleteMany({ _id: { $in: gone } }, limit));
      if (gone.length < writtenAtOnce) return;
    }
  };
}

async function dropSomeExpired({ deliveries }: WatchCollections, limit: WriteLimit): Promise<void> {
  const expired = deliveries.find({ expiresAt: { $lte: new Date() } }, timeOf(limit));
  const found = await expired.project<{ _id: string }>({ _id: 1 }).limit(writtenAtOnce).toArray();
  const ids = found.map(({ _id }) => _id);
  if (ids.length > 0) await deliveries.deleteMany({ _id: { $in: ids } }, limit);
}

/** Accounts that one look finds: a question for each. */
const seenAccounts = 50;

// From one account to the next by the index: what an account has waiting is passed in one step.
function openDueAccounts(read: WatchMongo['read']): WatchStore['dueAccounts'] {
  return ({ channel, now, after }) =>
    read(async ({ deliveries }, limit) => {
      const accounts: string[] = [];
      const due = { channel, nextAttemptAt: { $lte: now, $gt: 0 } };
      const options = { ...limit, projection: { account: 1 } };
      for (let last = String(after); accounts.length < seenAccounts; last = accounts.at(-1) ?? last) {
        const behindLast = { ...due, account: { $gt: last } };
        const [next] = await deliveries.find(behindLast, options).sort({ account: 1 }).limit(1).toArray();
        if (!next) return { accounts, next: '' };
        accounts.push(next.account);
      }
      return { accounts, next: accounts.at(-1) ?? '' };
    });
}

/** The sending of what watches told. @param toDelivery reads a document */
export function openMongoSending(
  { read, write }: WatchMongo,
  toDelivery: (document: StoredBody | null) => Delivery[],
): SendingPart {
  return {
    dueAccounts: openDueAccounts(read),
    claimDeliveries: ({ channel, account, now, until, limit }) =>
      write(async (in_, writeLimit) => {
        const whose = { channel, account: String(account) };
        const isDue = { ...whose, nextAttemptAt: { $lte: now, $gt: 0 }, claimedUntil: { $lte: now } };
        const due = in_.deliveries.find(isDue, timeOf(writeLimit)).sort({ nextAttemptAt: 1 });
        const claimed: Delivery[] = [];
        for (const { _id, turn, body } of await due.limit(limit * seenTimes).toArray()) {
          if (claimed.length === limit) break;
          const taking = { name: `delivery ${_id}`, turn, now, forMs: until - now };
          if (!(await takeOnce(in_, taking, writeLimit))) continue;
          const free = { _id, turn, claimedUntil: { $lte: now } };
          const done = await in_.deliveries.updateOne(free, { $set: { claimedUntil: until } }, writeLimit);
          if (done.matchedCount === 1) claimed.push(...toDelivery({ _id, body }));
        }
        return claimed;
      }),
    settleDelivery: (delivery) =>
      write(async ({ deliveries }, limit) => {
        const { _id, ...fields } = documentOfDelivery(delivery);
        await onceMore(() => deliveries.updateOne({ _id }, { $set: fields }, limit));
      }),
    async release(watchId, now) {
      for (let last = ''; ;) {
        const found = await read(({ deliveries }, limit) =>
          deliveries
            .find({ watchId: String(watchId), nextAttemptAt: null, _id: { $gt: last } }, limit)
            .sort({ _id: 1 })
            .limit(changedAtOnce)
            .toArray(),
        );
        await write(({ deliveries }, limit) =>
          releaseSome(deliveries, found.flatMap(toDelivery), now, limit),
        );
        if (found.length < changedAtOnce) return;
        last = found.at(-1)?._id ?? '';
        await giveBack();
      }
    },
  };
}

async function releaseSome(
  deliveries: WatchCollections['deliveries'],
  found: readonly Delivery[],
  now: number,
  limit: WriteLimit,
): Promise<void> {
  const released = found
    .filter(({ state, channel }) => state === 'pending' && channel === 'webhook')
    .map((one) => {
      const { _id, ...fields } = documentOfDelivery({ ...one, nextAttemptAt: now });
      return { updateOne: { filter: { _id, nextAttemptAt: null }, update: { $set: fields } } };
    });
  if (released.length > 0) await deliveries.bulkWrite(released, { ...limit, ordered: false });
}
