import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasMongo, startMongo } from '../test/kit/mongo.ts';
import type { Section } from './section.ts';
import { measureSide, type Row, type StoreUnderTest } from './store-measure.ts';
import { openMongoSide } from './store-mongo.ts';
import { openSqliteSide } from './store-sqlite.ts';

/** Reports that are there before anything is measured; BENCH_REPORTS and BENCH_MONGO_REPORTS say otherwise. FerretDB, which stands in for MongoDB, takes a millisecond to insert each, and ten to delete it. */
const sqliteReports = Number(process.env['BENCH_REPORTS'] ?? 200_000);
const mongoReports = Number(process.env['BENCH_MONGO_REPORTS'] ?? 20_000);

/** The report store at size: insert, findFresh, a page of history and expiry, each beside the bare driver doing the same by turns. */
export async function bench(): Promise<Section> {
  const rows: Row[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'diag-bench-'));
  try {
    rows.push(...(await run(await openSqliteSide(join(folder, 'reports.sqlite'), sqliteReports))));
  } finally {
    rmSync(folder, { recursive: true });
  }
  if (hasMongo) rows.push(...(await runMongo()));
  else console.log('MongoDB: not measured, needs MONGODB_URL, MONGOD_BINARY, mongod or ferretdb');
  return {
    title: 'The store at size',
    about:
      'Each act by turns with the bare driver doing the same on the same data. The server of MongoDB’s protocol may be a stand-in.',
    columns: ['', 'ours p50', 'p95', 'bare driver p50', 'p95', 'ratio of p50'],
    rows,
    limits:
      'insert: making JSON of the report and packing it, and the commit. findFresh: the row itself, and a checksum of its body. A page of history: judging each field of each row. Expiry: the disk, as what expires together is spread over all of the file; it goes in steps of 4 ms with as long a rest after each, and the bare driver deletes all at once. A server without TTL indexes is swept by id, in batches.',
  };
}

async function runMongo(): Promise<Row[]> {
  const mongo = await startMongo();
  try {
    return await run(await openMongoSide(mongo, mongoReports));
  } finally {
    await mongo.stop();
  }
}

async function run(side: StoreUnderTest): Promise<Row[]> {
  const rows = await measureSide(side);
  await side.close();
  return rows;
}
