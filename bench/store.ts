import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasMongo, startMongo } from '../test/kit/mongo.ts';
import { measureSide, type Side } from './store-measure.ts';
import { openMongoSide } from './store-mongo.ts';
import { openSqliteSide } from './store-sqlite.ts';

/** Reports that are there before anything is measured. FerretDB, which stands in for MongoDB, takes a millisecond for each. */
const sqliteReports = 200_000;
const mongoReports = 4_000;

/** The report store at size: insert, findFresh, a page of history and expiry, each beside the bare driver doing the same by turns. */
export async function bench(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'diag-bench-'));
  try {
    await run(await openSqliteSide(join(folder, 'reports.sqlite'), sqliteReports));
  } finally {
    rmSync(folder, { recursive: true });
  }
  if (!hasMongo)
    return console.log('MongoDB: not measured, needs MONGODB_URL, MONGOD_BINARY, mongod or ferretdb');
  const mongo = await startMongo();
  try {
    await run(await openMongoSide(mongo, mongoReports));
  } finally {
    await mongo.stop();
  }
}

async function run(side: Side): Promise<void> {
  await measureSide(side);
  await side.close();
}
