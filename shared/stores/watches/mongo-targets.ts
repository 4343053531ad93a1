import type { WatchTarget } from '../../model/watch.ts';
import type { WatchStore } from '../../ports/watch-store.ts';
import { giveBack } from '../../time/give-back.ts';
import { documentOfTarget, type TargetDocument, targetId } from './mongo-documents.ts';
import { openLockSweep, takeOnce } from './mongo-locks.ts';
import {
  changedAtOnce,
  insertOnce,
  type StoredBody,
  seenTimes,
  timeOf,
  type WatchMongo,
  writtenAtOnce,
} from './mongo-shared.ts';

type TargetPart = Pick<WatchStore, 'listTargets' | 'setTargets' | 'schedule'>;
type TurnPart = Pick<WatchStore, 'dueOf' | 'claimTargets' | 'settleTarget'>;

/** The targets of watches, and when their turns are. @param toTarget reads a document */
export function openMongoTargets(
  { read, write }: WatchMongo,
  toTarget: (document: StoredBody | null) => WatchTarget[],
): TargetPart {
  const eachPage = openWalk(read);
  const replaceAll = (replaced: readonly WatchTarget[]) =>
    write(({ targets }, limit) => {
      const changes = replaced.map((target) => {
        const { _id, ...fields } = documentOfTarget(target);
        return { updateOne: { filter: { _id }, update: { $set: fields } } };
      });
      return targets.bulkWrite(changes, { ...limit, ordered: false });
    });
  return {
    listTargets: (watchId, { limit, after }) =>
      read(async ({ targets }, readLimit) => {
        const place = after === undefined ? {} : { target: { $gt: String(after) } };
        const found = targets.find({ watchId: String(watchId), ...place }, readLimit).sort({ target: 1 });
        return (await found.limit(limit).toArray()).flatMap(toTarget);
      }),
    async setTargets(watchId, wanted, isAnew = false) {
      const named = new Map(wanted.map((one) => [one.target, one]));
      const there = new Set<string>();
      await eachPage(watchId, async (found) => {
        const gone = found.filter(({ target }) => !named.has(target)).map(({ _id }) => _id);
        for (const { target } of found) there.add(target);
        if (gone.length > 0)
          await write(({ targets }, limit) => targets.deleteMany({ _id: { $in: gone } }, limit));
        const anew = isAnew ? found.flatMap(({ target }) => named.get(target) ?? []) : [];
        if (anew.length > 0) await replaceAll(anew);
      });
      const added = wanted.filter(({ target }) => !there.has(target));
      for (let at = 0; at < added.length; at += writtenAtOnce) {
        const part = added.slice(at, at + writtenAtOnce).map(documentOfTarget);
        await write(({ targets }, limit) =>
          insertOnce(targets.insertMany(part, { ...limit, ordered: false })),
        );
        await giveBack();
      }
    },
    schedule: (watchId, isActive, dueAtOf) =>
      eachPage(watchId, (found) => {
        const moved = found.flatMap(toTarget).map((target) => {
          const dueAt = dueAtOf?.(target) ?? target.dueAt;
          return { ...target, dueAt, isActive };
        });
        return replaceAll(moved);
      }),
  };
}

/** Makes what goes through the targets of a watch in the order of their names, a page in each turn of the event loop. */
function openWalk(read: WatchMongo['read']) {
  const page = (watchId: string, after: string) =>
    read(({ targets }, limit) =>
      targets
        .find({ watchId: String(watchId), target: { $gt: after } }, limit)
        .sort({ target: 1 })
        .limit(changedAtOnce)
        .toArray(),
    );
  return async (watchId: string, act: (page: readonly TargetDocument[]) => Promise<unknown>) => {
    for (let after = ''; ;) {
      const found = await page(watchId, after);
      if (found.length > 0) await act(found);
      if (found.length < changedAtOnce) return;
      after = found.at(-1)?.target ?? '';
      await giveBack();
    }
  };
}

/** The turns of targets that are due. @param toTarget reads a document */
export function openMongoTurns(
  { read, write }: WatchMongo,
  toTarget: (document: StoredBody | null) => WatchTarget[],
): TurnPart {
  const sweep = openLockSweep();
  return {
    dueOf: (watchId, lateBefore) =>
      read(async ({ targets }, limit) => {
        const active = { watchId: String(watchId), isActive: true };
        const late = await targets.countDocuments({ ...active, dueAt: { $lt: lateBefore } }, limit);
        const [next] = await targets.find(active, limit).sort({ dueAt: 1 }).limit(1).toArray();
        return { late, nextAt: next?.dueAt ?? null };
      }),
    claimTargets: ({ now, until, limit }) =>
      write(async (in_, writeLimit) => {
        await sweep(in_, writeLimit);
        const due = in_.targets
          .find({ isActive: true, dueAt: { $lte: now }, claimedUntil: { $lte: now } }, timeOf(writeLimit))
          .sort({ dueAt: 1 });
        const claimed: WatchTarget[] = [];
        for (const { _id, turn, body } of await due.limit(limit * seenTimes).toArray()) {
          if (claimed.length === limit) break;
          const taking = { name: `target ${_id}`, turn, now, forMs: until - now };
          if (!(await takeOnce(in_, taking, writeLimit))) continue;
          const free = { _id, turn, claimedUntil: { $lte: now } };
          const done = await in_.targets.updateOne(free, { $set: { claimedUntil: until } }, writeLimit);
          if (done.matchedCount === 1) claimed.push(...toTarget({ _id, body }));
        }
        return claimed;
      }),
    settleTarget: (target, claimedUntil) =>
      write(async ({ targets }, limit) => {
        const { _id, ...fields } = documentOfTarget(target);
        const { isActive: _isActive, ...settled } = fields;
        const claim = { _id: targetId(target.watchId, target.target), claimedUntil };
        return (await targets.updateOne(claim, { $set: settled }, limit)).matchedCount === 1;
      }),
  };
}
