import type { Db } from 'mongodb';
import { withMongo } from '../../backends/mongo-errors.ts';
import { withPatientMongo } from '../../backends/mongo.ts';
import { anonymousAccount } from '../../model/grant.ts';
import { blobKinds } from '../../ports/report-store.ts';
import { blobId, type GrantDocument } from './mongo-documents.ts';
import { type Purged, type PurgeWish, purgeBatch, targetMatcher } from './purge.ts';

type ReportTarget = { readonly _id: string; readonly target: string; readonly isOpen: boolean };

/** Deletes from the store of a scaled deployment, also beside running processes. @param url mongodb://…/database */
export function purgeMongo(url: string, wish: PurgeWish): Promise<Purged> {
  return withMongo(() =>
    withPatientMongo(url, async (database) => {
      const purged = await deleteAll(database, await idsOf(database, wish));
      if (!('account' in wish)) return purged;
      const { deletedCount } = await database.collection('grants').deleteMany({ account: wish.account });
      return { ...purged, grants: purged.grants + deletedCount };
    }),
  );
}

function idsOf(database: Db, wish: PurgeWish): Promise<string[]> {
  if ('target' in wish) return idsOfTarget(database, wish.target);
  return 'account' in wish ? idsOfAccount(database, wish.account) : idsMadeBefore(database, wish.madeBefore);
}

async function idsMadeBefore(database: Db, time: number): Promise<string[]> {
  const isMeant = { checkedAt: { $lt: new Date(time) } };
  const ids = new Set<string>();
  const reports = database.collection<ReportTarget>('reports').find(isMeant, { projection: { _id: 1 } });
  for await (const { _id } of reports) ids.add(_id);
  const grants = database.collection<GrantDocument>('grants').find(isMeant, { projection: { reportId: 1 } });
  for await (const { reportId } of grants) ids.add(reportId);
  return [...ids];
}

async function idsOfTarget(database: Db, name: string): Promise<string[]> {
  const isMeant = targetMatcher(name);
  const ids = new Set<string>();
  const reports = database.collection<ReportTarget>('reports').find({}, { projection: { target: 1 } });
  for await (const { _id, target } of reports) if (isMeant(target)) ids.add(_id);
  const grants = database
    .collection<GrantDocument>('grants')
    .find({}, { projection: { target: 1, reportId: 1 } });
  for await (const { reportId, target } of grants) if (isMeant(target)) ids.add(reportId);
  return [...ids];
}

// A report that others were answered with as well stays theirs.
async function idsOfAccount(database: Db, account: string): Promise<string[]> {
  const grants = database.collection<GrantDocument>('grants');
  const reports = database.collection<ReportTarget>('reports');
  const given = (await grants.find({ account }, { projection: { reportId: 1 } }).toArray()).map(
    ({ reportId }) => reportId,
  );
  if (account === anonymousAccount) {
    const open = await reports.find({ isOpen: true }, { projection: { _id: 1 } }).toArray();
    given.push(...open.map(({ _id }) => _id));
  }
  const ids = new Set(given);
  for (let at = 0; at < given.length; at += purgeBatch) {
    const asked = given.slice(at, at + purgeBatch);
    const others = grants.find(
      { reportId: { $in: asked }, account: { $ne: account } },
      { projection: { reportId: 1 } },
    );
    for await (const { reportId } of others) ids.delete(reportId);
    if (account === anonymousAccount) continue;
    for await (const { _id } of reports.find(
      { _id: { $in: asked }, isOpen: true },
      { projection: { _id: 1 } },
    ))
      ids.delete(_id);
  }
  return [...ids];
}

async function deleteAll(database: Db, ids: readonly string[]): Promise<Purged> {
  const purged = { reports: 0, grants: 0, blobs: 0 };
  for (let at = 0; at < ids.length; at += purgeBatch) {
    const batch = ids.slice(at, at + purgeBatch);
    const beside = batch.flatMap((reportId) => blobKinds.map((kind) => blobId({ reportId, kind })));
    const [reports, grants, blobs] = await Promise.all([
      database.collection<{ _id: string }>('reports').deleteMany({ _id: { $in: batch } }),
      database.collection('grants').deleteMany({ reportId: { $in: batch } }),
      database.collection<{ _id: string }>('blobs').deleteMany({ _id: { $in: beside } }),
    ]);
    purged.reports += reports.deletedCount;
    purged.grants += grants.deletedCount;
    purged.blobs += blobs.deletedCount;
  }
  return purged;
}
