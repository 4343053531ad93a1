import { type Collection, type Db, type IndexSpecification, MongoServerError } from 'mongodb';

// Codes of a server that has no TTL indexes (FerretDB 1); no such index, no such collection; an index of this name or of these fields
// that has other options (IndexOptionsConflict, IndexKeySpecsConflict; MongoDB, "Error Codes").
const notImplemented = 238;
const nothingThere: ReadonlySet<number | string> = new Set([27, 26]);
const otherwiseThere: ReadonlySet<number | string> = new Set([85, 86]);

const ttlName = 'by_expiry';
/** Of earlier versions; no query uses them. */
const unused = ['reports_by_target', 'reports_by_job'];

/**
 * Makes the indexes by name where they are missing, and drops those of earlier versions that no query uses. Where all is there it only
 * lists them: on a server in use, a drop of what is not there takes an exclusive lock as well. Returns whether the server expires documents
 * by itself. docs/decisions has which query uses which.
 */
export async function prepareIndexes(database: Db): Promise<boolean> {
  const reports = await lookAt(database.collection('reports'));
  const grants = await lookAt(database.collection('grants'));
  const blobs = await lookAt(database.collection('blobs'));
  await reports.make('reports_by_key', { jobKey: 1, checkedAt: -1 });
  await reports.make('reports_by_freshness', { jobKey: 1, freshUntil: -1 });
  await grants.make('grants_by_account', { account: 1, checkedAt: -1, reportId: -1 });
  await grants.make('grants_by_target', { account: 1, target: 1, checkedAt: -1, reportId: -1 });
  for (const name of unused) await reports.drop(name);
  const expires = await Promise.all([reports, grants, blobs].map(makeTtlIndex));
  return expires.every(Boolean);
}

type IndexesAsFound = {
  readonly collection: Collection;
  /** Every index by its name; of one that expires documents, after how many seconds. */
  readonly names: ReadonlyMap<string, number | undefined>;
  make(name: string, fields: IndexSpecification): Promise<void>;
  drop(name: string): Promise<void>;
};

async function lookAt(collection: Collection): Promise<IndexesAsFound> {
  const names = await namesOf(collection);
  return {
    collection,
    names,
    async make(name, fields) {
      if (!names.has(name)) await collection.createIndex(fields, { name });
    },
    async drop(name) {
      if (names.has(name)) await unlessRefused(nothingThere, collection.dropIndex(name));
    },
  };
}

async function namesOf(collection: Collection): Promise<ReadonlyMap<string, number | undefined>> {
  try {
    const all = await collection.listIndexes().toArray();
    return new Map(
      all.map((index) => [String(index['name']), index['expireAfterSeconds'] as number | undefined]),
    );
  } catch (error) {
    if (isRefusal(error, nothingThere)) return new Map(); // no such collection yet
    throw error;
  }
}

async function makeTtlIndex({ collection, names }: IndexesAsFound): Promise<boolean> {
  if (names.get(ttlName) === 0) return true;
  try {
    await collection.createIndex({ expiresAt: 1 }, { name: ttlName, expireAfterSeconds: 0 });
    return true;
  } catch (error) {
    if (isRefusal(error, otherwiseThere)) return convertToTtl(collection);
    if (!isRefusal(error, new Set([notImplemented]))) throw error;
    if (!names.has(ttlName)) await collection.createIndex({ expiresAt: 1 }, { name: ttlName });
    return false;
  }
}

/**
 * The documents came from a server without TTL indexes, with an index that has the name and no expiry. `collMod` converts it in place, which
 * the role readWrite does not include; else it is made anew.
 */
async function convertToTtl(collection: Collection): Promise<boolean> {
  try {
    await collection.db.command({
      collMod: collection.collectionName,
      index: { name: ttlName, expireAfterSeconds: 0 },
    });
    return true;
  } catch (error) {
    if (!(error instanceof MongoServerError)) throw error;
    await unlessRefused(nothingThere, collection.dropIndex(ttlName)); // another process may have been first
    await collection.createIndex({ expiresAt: 1 }, { name: ttlName, expireAfterSeconds: 0 });
    return true;
  }
}

async function unlessRefused(codes: ReadonlySet<number | string>, act: Promise<unknown>): Promise<void> {
  try {
    await act;
  } catch (error) {
    if (!isRefusal(error, codes)) throw error;
  }
}

function isRefusal(error: unknown, codes: ReadonlySet<number | string>): boolean {
  return error instanceof MongoServerError && codes.has(error.code ?? '');
}
