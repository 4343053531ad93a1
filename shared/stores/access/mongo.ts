import { type Collection, type Db, MongoServerError } from 'mongodb';
import { duplicateKey, onceMore, withMongo } from '../../backends/mongo-errors.ts';
import { type Mongo, onceDone, openMongo, withPatientMongo } from '../../backends/mongo.ts';
import {
  type AccessRecord,
  type AccessRecords,
  type AccessWish,
  readAccessRecord,
  withoutHost,
} from '../../ports/access-record.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { targetMatcher } from '../reports/purge.ts';
import { openRowReader } from '../stored-row.ts';

type AccessDocument = Omit<AccessRecord, 'startedAt' | 'endedAt'> & {
  readonly _id: string;
  readonly startedAt: Date;
  readonly endedAt: Date;
  readonly expiresAt: Date;
};

// A server that has no TTL indexes (FerretDB 1).
const notImplemented = 238;
const runsOf = (database: Db) => database.collection<AccessDocument>('access');

/** The records of a scaled deployment. A process that keeps none opens no connection. @param url mongodb://…/database */
export function openMongoAccess(url: string, log: Logger): AccessRecords {
  const readRow = openRowReader(log);
  let mongo: Mongo | undefined;
  const makeIndexes = onceDone(url, prepareIndexes);
  const prepare = async () => {
    mongo ??= openMongo(url, log);
    return { mongo, doesExpire: await makeIndexes() };
  };
  return {
    async keep(records, expiresAt) {
      const opened = await prepare();
      const documents = records.map((record) => toDocument(record, expiresAt));
      await opened.mongo.write((database, limit) =>
        onceMore(() => insertOnce(runsOf(database), documents, limit)),
      );
      if (!opened.doesExpire)
        await opened.mongo.write((database, limit) =>
          runsOf(database).deleteMany({ expiresAt: { $lte: new Date() } }, limit),
        );
    },
    async *find({ since, until }) {
      let last: AccessDocument | undefined;
      do {
        const after = last;
        const found = await withMongo(() =>
          withPatientMongo(url, (database) => findPage(runsOf(database), { since, until }, after)),
        );
        for (const document of found) {
          const record = readRow({ kind: 'access record', id: String(document._id) }, () =>
            fromDocument(document),
          );
          if (record) yield record;
        }
        last = found.length < pageRows ? undefined : found.at(-1);
      } while (last);
    },
    purge: (wish) => withMongo(() => withPatientMongo(url, (database) => purge(runsOf(database), wish))),
    async prepare() {
      await makeIndexes();
    },
    async close() {
      await mongo?.close();
    },
  };
}

/** Rows that are held at once: some 600 kB. */
const pageRows = 1000;

/** The records of a span of time behind the last one of the page before, the oldest first. */
function findPage(
  runs: Collection<AccessDocument>,
  { since, until }: { readonly since: number; readonly until: number },
  after: AccessDocument | undefined,
) {
  const filter = {
    endedAt: { $gte: new Date(since) },
    startedAt: { $lte: new Date(until) },
    expiresAt: { $gt: new Date() },
    ...(after && {
      $or: [{ startedAt: { $gt: after.startedAt } }, { startedAt: after.startedAt, _id: { $gt: after._id } }],
    }),
  };
  return runs.find(filter).sort({ startedAt: 1, _id: 1 }).limit(pageRows).toArray();
}

function toDocument({ runId, startedAt, endedAt, ...rest }: AccessRecord, expiresAt: number): AccessDocument {
  return {
    _id: `${runId} ${startedAt}`,
    runId,
    ...rest,
    startedAt: new Date(startedAt),
    endedAt: new Date(endedAt),
    expiresAt: new Date(expiresAt),
  };
}

function fromDocument({ startedAt, endedAt, ...rest }: AccessDocument): AccessRecord {
  return readAccessRecord({ ...rest, startedAt: startedAt.getTime(), endedAt: endedAt.getTime() });
}

// Keyed by run and start: a second writing changes nothing.
async function insertOnce(
  runs: Collection<AccessDocument>,
  documents: readonly AccessDocument[],
  limit: object,
): Promise<void> {
  try {
    await runs.insertMany(documents, { ...limit, ordered: false });
  } catch (error) {
    if (!(error instanceof MongoServerError) || error.code !== duplicateKey) throw error;
  }
}

async function prepareIndexes(database: Db): Promise<boolean> {
  const runs = runsOf(database);
  await runs.createIndex({ endedAt: 1 }, { name: 'access_by_end' });
  await runs.createIndex({ caller: 1 }, { name: 'access_by_caller' });
  try {
    await runs.createIndex({ expiresAt: 1 }, { name: 'access_by_expiry', expireAfterSeconds: 0 });
    return true;
  } catch (error) {
    if (!(error instanceof MongoServerError) || error.code !== notImplemented) throw error;
    return false;
  }
}

async function purge(runs: Collection<AccessDocument>, wish: AccessWish): Promise<number> {
  if ('target' in wish) return redactTarget(runs, targetMatcher(wish.target));
  const isMeant =
    'account' in wish ? { caller: wish.account } : { startedAt: { $lt: new Date(wish.madeBefore) } };
  return (await runs.deleteMany(isMeant)).deletedCount;
}

async function redactTarget(
  runs: Collection<AccessDocument>,
  isMeant: (name: string) => boolean,
): Promise<number> {
  let changed = 0;
  for await (const document of runs.find({})) {
    const record = fromDocument(document);
    const left = withoutHost(record, isMeant);
    if (left === record) continue;
    if (left) await runs.updateOne({ _id: document._id }, { $set: { contacts: left.contacts } });
    else await runs.deleteOne({ _id: document._id });
    changed += 1;
  }
  return changed;
}
