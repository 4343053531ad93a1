import { type Collection, type Db, type Filter, MongoServerError } from 'mongodb';
import { duplicateKey, onceMore } from '../../backends/mongo-errors.ts';
import type { Mongo, WriteLimit } from '../../backends/mongo.ts';
import { everPlainChecks, plainOptions } from '../../catalogue/asked-options.ts';
import { anonymousAccount, type HistoryQuestion } from '../../model/grant.ts';
import type { Grants } from '../../ports/report-store.ts';
import type { RowReader } from '../stored-row.ts';
import { dateOf, type GrantDocument, msOf, readGrantDocument } from './mongo-documents.ts';

/** Grants beside the reports. @param prepare makes the indexes once */
export function openMongoGrants(mongo: Mongo, prepare: () => Promise<void>, readRow: RowReader): Grants {
  return {
    async give(account, { checkedAt, expiresAt, ...grant }) {
      await prepare();
      const document: GrantDocument = {
        ...grant,
        _id: idOf(grant.reportId, account),
        account,
        checkedAt: dateOf(checkedAt),
        expiresAt: dateOf(expiresAt),
      };
      await mongo.write((database, limit) => onceMore(() => insertOnce(grantsOf(database), document, limit)));
    },
    isGiven: (account, reportId) =>
      mongo.read(async (database, limit) => {
        const ids = [account, anonymousAccount].map((name) => idOf(reportId, name));
        const reports = database.collection<{ _id: string; isOpen: boolean; expiresAt: Date }>('reports');
        const [given, open] = await Promise.all([
          grantsOf(database)
            .find({ _id: { $in: ids } }, limit)
            .toArray(),
          reports.find({ _id: reportId, isOpen: true }, { ...limit, projection: { expiresAt: 1 } }).toArray(),
        ]);
        return [...given, ...open].some(({ expiresAt }) => msOf(expiresAt) > Date.now());
      }),
    list: (question) =>
      mongo.read(async (database, limit) => {
        const found = await grantsOf(database)
          .find(pageOf(question), limit)
          .sort({ checkedAt: -1, reportId: -1 })
          .limit(question.limit)
          .toArray();
        return found.flatMap((document) => readGrantDocument(document, readRow) ?? []);
      }),
  };
}

const grantsOf = (database: Db) => database.collection<GrantDocument>('grants');

// Keyed by report and account: a second writing changes nothing.
async function insertOnce(
  grants: Collection<GrantDocument>,
  document: GrantDocument,
  limit: WriteLimit,
): Promise<void> {
  try {
    await grants.insertOne(document, limit);
  } catch (error) {
    if (!(error instanceof MongoServerError) || error.code !== duplicateKey) throw error;
  }
}

function pageOf({ account, target, check, options, since, before }: HistoryQuestion): Filter<GrantDocument> {
  const checkedAt = before && new Date(before.checkedAt);
  return {
    account,
    expiresAt: { $gt: new Date() },
    ...(target === undefined ? {} : { target }),
    ...(check === undefined ? {} : { check }),
    ...(options === undefined ? {} : { $and: [options === 'plain' ? isPlain : { options: options.text }] }),
    ...(since === undefined || before ? {} : { checkedAt: { $gte: new Date(since) } }),
    // The plain bound is what an index is read from; the alternatives only tell those of one moment apart.
    ...(before && checkedAt
      ? {
          checkedAt: { $lte: checkedAt, ...(since === undefined ? {} : { $gte: new Date(since) }) },
          $or: [{ checkedAt: { $lt: checkedAt } }, { checkedAt, reportId: { $lt: before.reportId } }],
        }
      : {}),
  };
}

const isPlain: Filter<GrantDocument> = {
  $or: [{ options: plainOptions }, { options: null, check: { $in: [...everPlainChecks] } }],
};

function idOf(reportId: string, account: string): string {
  return `${reportId} ${account}`;
}
