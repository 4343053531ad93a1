import { type Collection, type Db, MongoServerError } from 'mongodb';

// Codes of a server that has no TTL indexes (FerretDB 1), no such index, no such collection.
const notImplemented = 238;
const nothingThere: ReadonlySet<number | string> = new Set([27, 26]);

/**
 * Makes the indexes by name where they are missing, and drops those of earlier versions that no query uses. Cheap where all is
 * there. Returns whether the server expires documents by itself.
 */
export async function prepareIndexes(database: Db): Promise<boolean> {
  const reports = database.collection('reports');
  const grants = database.collection('grants');
  await reports.createIndex({ jobKey: 1, checkedAt: -1 }, { name: 'reports_by_key' });
  await reports.createIndex({ jobKey: 1, freshUntil: -1 }, { name: 'reports_by_freshness' });
  await grants.createIndex({ account: 1, checkedAt: -1, reportId: -1 }, { name: 'grants_by_account' });
  await grants.createIndex(
    { account: 1, target: 1, checkedAt: -1, reportId: -1 },
    { name: 'grants_by_target' },
  );
  await Promise.all(['reports_by_target', 'reports_by_job'].map((name) => dropIndex(reports, name)));
  const expiring = [reports, grants, database.collection('blobs')];
  return (await Promise.all(expiring.map(makeTtlIndex))).every(Boolean);
}

async function makeTtlIndex(collection: Collection): Promise<boolean> {
  try {
    await collection.createIndex({ expiresAt: 1 }, { name: 'by_expiry', expireAfterSeconds: 0 });
    return true;
  } catch (error) {
    if (!(error instanceof MongoServerError) || error.code !== notImplemented) throw error;
    await collection.createIndex({ expiresAt: 1 }, { name: 'by_expiry' });
    return false;
  }
}

async function dropIndex(collection: Collection, name: string): Promise<void> {
  try {
    await collection.dropIndex(name);
  } catch (error) {
    if (!(error instanceof MongoServerError) || !nothingThere.has(error.code ?? '')) throw error;
  }
}
