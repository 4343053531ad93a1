import { setTimeout as delay } from 'node:timers/promises';
import type { Collection, Db } from 'mongodb';
import { onceMore, withMongo } from '../../backends/mongo-errors.ts';
import { type Mongo, onceDone, openMongo, withPatientMongo } from '../../backends/mongo.ts';
import { readMailbox } from '../../model/mailbox.ts';
import { readDelivery, readWatch, readWatchTarget, type Watch } from '../../model/watch.ts';
import type { WatchStore } from '../../ports/watch-store.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { giveBack } from '../../time/give-back.ts';
import { openRowReader } from '../stored-row.ts';
import { openMongoDeliveries, openMongoSending } from './mongo-deliveries.ts';
import {
  collectionsIn,
  documentOfTarget,
  documentOfWatch,
  type WatchCollections,
} from './mongo-documents.ts';
import { takeOnce } from './mongo-locks.ts';
import { openMongoMail } from './mongo-mail.ts';
import {
  behind,
  insertOnce,
  type StoredBody,
  timeOf,
  type WatchMongo,
  writtenAtOnce,
} from './mongo-shared.ts';
import { openMongoSums } from './mongo-sums.ts';
import { openMongoTargets, openMongoTurns } from './mongo-targets.ts';

/** The watches of a scaled deployment. A process that touches none opens no connection. @param url mongodb://…/database */
export function openMongoWatchStore(url: string, log: Logger): WatchStore {
  const readRow = openRowReader(log);
  const reading =
    <T>(kind: string, parse: (row: unknown) => T) =>
    (document: StoredBody | null): T[] => {
      if (document === null) return [];
      const found = readRow({ kind, id: String(document._id) }, () =>
        parse(JSON.parse(String(document.body))),
      );
      return found === undefined ? [] : [found];
    };
  let mongo: Mongo | undefined;
  const open = () => (mongo ??= openMongo(url, log));
  const prepare = onceDone(url, prepareIndexes);
  const shared: WatchMongo = {
    read: (act) => open().read((database, limit) => act(collectionsIn(database), limit)),
    async write(act) {
      await prepare();
      return open().write((database, limit) => act(collectionsIn(database), limit));
    },
  };
  return {
    ...openWatches(shared, reading('watch', readWatch)),
    ...openChange(shared, reading('watch', readWatch)),
    ...openRemoval(shared),
    ...openMongoTargets(shared, reading('watched target', readWatchTarget)),
    ...openMongoTurns(shared, reading('watched target', readWatchTarget)),
    ...openMongoDeliveries(shared, reading('delivery', readDelivery)),
    ...openMongoSending(shared, reading('delivery', readDelivery)),
    ...openLinks(shared),
    ...openMongoSums(shared),
    ...openMongoMail(shared, reading('mailbox', readMailbox)),
    purge: (wish) => withMongo(() => withPatientMongo(url, (database) => purge(database, wish))),
    prepare,
    async close() {
      await mongo?.close();
    },
  };
}

type WatchPart = Pick<WatchStore, 'create' | 'get' | 'list' | 'activeAccounts'>;

type ToWatches = (document: StoredBody | null) => Watch[];

function openWatches({ read, write }: WatchMongo, toWatch: ToWatches): WatchPart {
  return {
    async create(watch, targets) {
      await write((in_, limit) =>
        insertOnce(in_.watches.insertOne(documentOfWatch({ ...watch, isWhole: false }), limit)),
      );
      for (let at = 0; at < targets.length; at += writtenAtOnce) {
        const part = targets.slice(at, at + writtenAtOnce).map(documentOfTarget);
        await write((in_, limit) => insertOnce(in_.targets.insertMany(part, { ...limit, ordered: false })));
        await giveBack();
      }
      // Readers see it from here on. A second writing finds it whole, and changes nothing.
      const whole = documentOfWatch({ ...watch, isWhole: true });
      await write(({ watches }, limit) =>
        onceMore(() =>
          watches.updateOne(
            { _id: watch.watchId, isWhole: false },
            { $set: { isWhole: true, body: whole.body } },
            limit,
          ),
        ),
      );
    },
    get: async (watchId) => toWatch(await findWhole(read, watchId))[0],
    list: (account, { limit, before }) =>
      read(async ({ watches }, readLimit) => {
        const found = await watches
          .find({ account: String(account), isWhole: true, ...behind(before) }, readLimit)
          .sort({ createdAt: -1, _id: -1 })
          .limit(limit)
          .toArray();
        return found.flatMap(toWatch);
      }),
    activeAccounts: () =>
      // The index alone has both, and only the accounts are sent: one may have thousands of watches, and this is asked every few seconds.
      read(async ({ watches, links }, limit) => {
        const active = [{ $match: { isPaused: false } }, { $group: { _id: '$account' } }];
        const found = await Promise.all([
          watches.aggregate<{ _id: string }>(active, limit).toArray(),
          links.find({}, { ...limit, projection: { _id: 1 } }).toArray(),
        ]);
        return [...new Set(found.flat().map(({ _id }) => _id))];
      }),
  };
}

/** A watch whose targets are still being written is not left over. */
const unfinishedMs = 600_000;

function openRemoval({ read, write }: WatchMongo): Pick<WatchStore, 'remove' | 'sweep'> {
  /** False where there is no more. */
  const removeSome = (watchId: string, name: 'targets' | 'deliveries') =>
    write(async (in_, limit) => {
      const rest = in_[name] as unknown as Collection<{ _id: string; watchId: string }>;
      const found = await rest
        .find({ watchId }, { ...timeOf(limit), projection: { _id: 1 } })
        .limit(removedAtOnce)
        .toArray();
      if (found.length > 0) await rest.deleteMany({ _id: { $in: found.map(({ _id }) => _id) } }, limit);
      return found.length === removedAtOnce;
    });
  const removeRest = async (watchId: string) => {
    for (const name of ['targets', 'deliveries'] as const)
      while (await removeSome(watchId, name)) await giveBack();
    await write(({ gone }, limit) => gone.deleteOne({ _id: watchId }, limit));
  };
  const remove = async (watchId: string) => {
    const _id = String(watchId);
    // First that it goes: a process that ends in between leaves the rest to the next sweep.
    await write(({ gone }, limit) => insertOnce(gone.insertOne({ _id }, limit)));
    await write(({ watches }, limit) => watches.deleteOne({ _id }, limit));
    await removeRest(_id);
  };
  return {
    remove,
    async sweep(now) {
      const left = await read(
        async ({ gone, watches }, limit) =>
          (await gone.findOne({}, limit)) ??
          (await watches.findOne({ isWhole: false, createdAt: { $lt: now - unfinishedMs } }, limit)),
      );
      if (left) await remove(left._id);
      return left !== null;
    },
  };
}

const removedAtOnce = 500;

/** A process that ends while it changes a watch keeps others from it for so long at most. */
const changeMs = 5000;
const changeAgainMs = 20;

function findWhole(read: WatchMongo['read'], watchId: string) {
  return read(async ({ watches }, limit) => {
    const found = await watches.findOne({ _id: String(watchId) }, limit);
    return found?.isWhole === true ? found : null;
  });
}

function openChange(
  { read, write }: WatchMongo,
  toWatch: (document: StoredBody | null) => Watch[],
): Pick<WatchStore, 'change'> {
  return {
    async change(watchId, change) {
      for (;;) {
        const document = await findWhole(read, watchId);
        const [watch] = toWatch(document);
        if (!document || !watch) return undefined;
        const changed = change(watch);
        const { _id, ...fields } = documentOfWatch(changed);
        const taking = { name: `watch ${watchId}`, turn: document.turn, now: Date.now(), forMs: changeMs };
        // Only if it has not changed since.
        const isChanged = await write(async (in_, limit) => {
          if (!(await takeOnce(in_, taking, limit))) return false;
          const done = await in_.watches.updateOne({ _id, turn: document.turn }, { $set: fields }, limit);
          return done.matchedCount === 1;
        });
        if (isChanged) return changed;
        await delay(changeAgainMs);
      }
    },
  };
}

function openLinks({ read, write }: WatchMongo): Pick<WatchStore, 'setLinks' | 'findLink'> {
  return {
    setLinks: (account, links) =>
      write(async (in_, limit) => {
        const _id = String(account);
        if (links) await in_.links.updateOne({ _id }, { $set: links }, { ...limit, upsert: true });
        else await in_.links.deleteOne({ _id }, limit);
      }),
    findLink: (kind, digest) =>
      read(async (in_, limit) => (await in_.links.findOne({ [kind]: String(digest) }, limit))?._id),
  };
}

// docs/decisions has which query uses which.
async function prepareIndexes(database: Db): Promise<void> {
  const { watches, targets, deliveries, links, locks, mailboxes } = collectionsIn(database);
  await locks.createIndex({ expiresAt: 1 }, { name: 'locks_by_expiry' });
  await watches.createIndex({ account: 1, createdAt: -1, _id: -1 }, { name: 'watches_by_account' });
  await watches.createIndex({ isPaused: 1, account: 1 }, { name: 'watches_by_active' });
  await watches.createIndex(
    { account: 1, isPaused: 1, rate: 1, targetCount: 1 },
    { name: 'watches_by_rate' },
  );
  await targets.createIndex({ isActive: 1, dueAt: 1 }, { name: 'targets_by_due' });
  await targets.createIndex({ watchId: 1, target: 1 }, { name: 'targets_by_watch' });
  await targets.createIndex({ account: 1, host: 1 }, { name: 'targets_by_account' });
  await deliveries.createIndex({ channel: 1, account: 1, nextAttemptAt: 1 }, { name: 'deliveries_by_turn' });
  await deliveries.createIndex({ waitsFor: 1, createdAt: 1 }, { name: 'deliveries_by_wait' });
  await mailboxes.createIndex({ account: 1 }, { name: 'mailboxes_by_account' });
  // Of a release that kept mailboxes for ever.
  await mailboxes.updateMany({ lookAt: { $exists: false } }, { $set: { lookAt: 0, mailedAt: 0 } });
  await mailboxes.createIndex({ lookAt: 1 }, { name: 'mailboxes_by_look' });
  await writeRates(watches);
  await writeBytes([watches, targets, deliveries, mailboxes] as unknown as readonly Collection<StoredBody>[]);
  await watches.createIndex({ isWhole: 1, createdAt: 1 }, { name: 'watches_by_whole' });
  // Of a release that sent to webhooks only.
  await deliveries.updateMany({ channel: { $exists: false } }, { $set: { channel: 'webhook' } });
  await deliveries.createIndex({ watchId: 1, createdAt: -1, _id: -1 }, { name: 'deliveries_by_watch' });
  await deliveries.createIndex({ account: 1, createdAt: -1, _id: -1 }, { name: 'deliveries_by_account' });
  await deliveries.createIndex({ expiresAt: 1 }, { name: 'deliveries_by_expiry' });
  await links.createIndex({ feed: 1 }, { name: 'links_by_feed' });
  await links.createIndex({ calendar: 1 }, { name: 'links_by_calendar' });
}

// Watches of a release that read all of an account's to sum them up.
async function writeRates(watches: WatchCollections['watches']): Promise<void> {
  for await (const { _id, body } of watches.find({ rate: { $exists: false } })) {
    const { rate, targetCount } = documentOfWatch(readWatch(JSON.parse(body)));
    await watches.updateOne({ _id }, { $set: { rate, targetCount } });
  }
}

// Documents of a release that counted no bytes.
async function writeBytes(
  all: readonly Collection<StoredBody & { readonly bytes?: number }>[],
): Promise<void> {
  for (const collection of all)
    for await (const { _id, body } of collection.find({ bytes: { $exists: false } }))
      await collection.updateOne({ _id }, { $set: { bytes: body.length } });
}

async function purge(database: Db, wish: Parameters<WatchStore['purge']>[0]): Promise<number> {
  const { watches, targets, deliveries, links, mailboxes } = collectionsIn(database);
  if ('account' in wish) {
    const { account } = wish;
    const gone = await Promise.all([watches.deleteMany({ account }), targets.deleteMany({ account })]);
    await Promise.all([
      deliveries.deleteMany({ account }),
      mailboxes.deleteMany({ account }),
      links.deleteOne({ _id: account }),
    ]);
    return gone.reduce((sum, { deletedCount }) => sum + deletedCount, 0);
  }
  let deleted = 0;
  const emptied = new Set<string>();
  for await (const { _id, target, watchId } of targets.find({}, { projection: { target: 1, watchId: 1 } })) {
    if (!wish.isMeant(target)) continue;
    deleted += (await targets.deleteOne({ _id })).deletedCount;
    emptied.add(watchId);
  }
  for await (const { _id, body } of deliveries.find({}, { projection: { body: 1 } })) {
    const { target } = JSON.parse(body) as { readonly target?: string | null };
    if (typeof target === 'string' && wish.isMeant(target)) await deliveries.deleteOne({ _id });
  }
  for (const watchId of emptied)
    if (!(await targets.findOne({ watchId })))
      deleted += (await watches.deleteOne({ _id: watchId })).deletedCount;
  return deleted;
}
