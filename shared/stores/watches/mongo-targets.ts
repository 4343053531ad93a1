import type { WatchTarget } from '../../model/watch.ts';
import type { WatchStore } from '../../ports/watch-store.ts';
import { documentOfTarget, targetId } from './mongo-documents.ts';
import { openLockSweep, takeOnce } from './mongo-locks.ts';
import {
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
  const all = (watchId: string) =>
    read(({ targets }, limit) => targets.find({ watchId: String(watchId) }, limit).toArray());
  return {
    listTargets: (watchId, { limit, after }) =>
      read(async ({ targets }, readLimit) => {
        const place = after === undefined ? {} : { target: { $gt: String(after) } };
        const found = targets.find({ watchId: String(watchId), ...place }, readLimit).sort({ target: 1 });
        return (await found.limit(limit).toArray()).flatMap(toTarget);
      }),
    async setTargets(watchId, wanted) {
      const names = new Set(wanted.map(({ target }) => target));
      const known = await all(watchId);
      const gone = known.filter(({ target }) => !names.has(target)).map(({ _id }) => _id);
      const there = new Set(known.map(({ target }) => target));
      const added = wanted.filter(({ target }) => !there.has(target)).map(documentOfTarget);
      await write(async ({ targets }, limit) => {
        if (added.length > 0) await insertOnce(targets.insertMany(added, { ...limit, ordered: false }));
        if (gone.length > 0) await targets.deleteMany({ _id: { $in: gone } }, limit);
      });
    },
    async schedule(watchId, isActive, dueAtOf) {
      const moved = (await all(watchId)).flatMap(toTarget).map((target) => {
        const dueAt = dueAtOf?.(target) ?? target.dueAt;
        const { _id, ...fields } = documentOfTarget({ ...target, dueAt, isActive });
        return { updateOne: { filter: { _id }, update: { $set: fields } } };
      });
      for (let at = 0; at < moved.length; at += writtenAtOnce)
        await write(({ targets }, limit) =>
          targets.bulkWrite(moved.slice(at, at + writtenAtOnce), { ...limit, ordered: false }),
        );
    },
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
