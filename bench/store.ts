import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { randomId } from '#shared/model/job';
import { hasMongo, startMongo } from '../test/kit/mongo.ts';
import type { Section } from './section.ts';
import { percentile } from './statistics.ts';
import { openMongoSide, openSqliteSide, sampleReport, type StoreUnderTest } from './store-sides.ts';

/** Reports that are there before anything is measured; BENCH_REPORTS and BENCH_MONGO_REPORTS say otherwise. FerretDB, which stands in for MongoDB, takes a millisecond to insert each, and ten to delete it. */
const sqliteReports = Number(process.env['BENCH_REPORTS'] ?? 200_000);
const mongoReports = Number(process.env['BENCH_MONGO_REPORTS'] ?? 20_000);
const turns = 2000;
/** A store on a slow server is not waited for longer: what it has deleted until then is what counts. */
const expiryMostMs = 120_000;
const expiryLookMs = 250;

/** A line of the page: the act, ours at p50 and p95, the bare driver's, and the ratio of p50. */
type Row = readonly [act: string, p50: string, p95: string, bareP50: string, bareP95: string, ratio: string];

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
      'Each act by turns with the bare driver, which does the same on the same data. The server of MongoDB’s protocol may be a stand-in.',
    columns: ['', 'ours p50', 'p95', 'bare driver p50', 'p95', 'ratio of p50'],
    rows,
    limits:
      'an insert makes and packs the JSON and commits it. findFresh reads the row and checks its body. A page of history checks each field of each row. Expiry waits for the disk: it works in steps of 4 ms with rests of the same length, and the bare driver deletes all at once.',
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

/** Measures all acts on one side, and prints them. */
async function measureSide(side: StoreUnderTest): Promise<Row[]> {
  const { store, bare, freshKeys, accounts } = side;
  const bytes = await side.diskBytes();
  const about = `${side.name}, ${await side.count()} reports, ${megabytes(bytes)}`;
  console.log(about);
  const insert = await compare('insert', async (turn) => {
    const keys = { reportId: randomId(), jobId: randomId(), jobKey: randomId() };
    const report = sampleReport(keys.reportId);
    return turn === 'ours' ? () => store.insert(report, keys) : () => bare.insert(report, keys);
  });
  const wanted = { since: Number.MAX_SAFE_INTEGER, orFresh: true };
  const find = await compare('findFresh', async (turn, index) => {
    const jobKey = freshKeys[(index * 7919) % freshKeys.length] ?? '';
    return turn === 'ours' ? () => store.findFresh([{ jobKey, wanted }]) : () => bare.findFresh(jobKey);
  });
  const page = await compare('history page of 20', async (turn, index) => {
    const account = accounts[index % accounts.length] ?? '';
    return turn === 'ours' ? () => store.grants.list({ account, limit: 20 }) : () => bare.history(account);
  });
  await measureTick(side);
  const expiry = await measureExpiry(side);
  return [insert, find, page, expiry].map(([act, ...figures]) => [`${act} (${about})`, ...figures]);
}

type Contestant = 'ours' | 'bare';

/** Acts of one side in a row: what one connection writes costs the other its cached pages. */
const inRow = 50;

/** Times both by turns, so that the machine's moods meet both. What is prepared is not timed. */
async function compare(
  name: string,
  prepare: (turn: Contestant, index: number) => Promise<() => Promise<unknown>>,
): Promise<Row> {
  const times: Record<Contestant, number[]> = { ours: [], bare: [] };
  const until = performance.now() + 20_000;
  for (let index = 0; index < turns * 2 && performance.now() < until; index += 1) {
    const turn = Math.floor(index / inRow) % 2 === 0 ? 'ours' : 'bare';
    const act = await prepare(turn, index);
    const start = performance.now();
    await act();
    times[turn].push((performance.now() - start) * 1000);
  }
  const [ours, bare] = [percentiles(times.ours), percentiles(times.bare)];
  console.log(
    `  ${name}: p50 ${us(ours.p50)}, p95 ${us(ours.p95)}; bare driver ${us(bare.p50)}, ${us(bare.p95)}; ratio of p50 ${(ours.p50 / bare.p50).toFixed(2)}`,
  );
  return [name, us(ours.p50), us(ours.p95), us(bare.p50), us(bare.p95), (ours.p50 / bare.p50).toFixed(2)];
}

/** The look each second at keys that are waited for, each with ten old reports. */
async function measureTick({ store, oldKeys, tickKeys }: StoreUnderTest): Promise<void> {
  const questions = oldKeys
    .slice(0, tickKeys)
    .map((jobKey) => ({ jobKey, wanted: { since: Date.now() - 1000, orFresh: true } }));
  const times: number[] = [];
  const cpu = process.cpuUsage();
  for (let index = 0; index < 10; index += 1) {
    const start = performance.now();
    await store.findFresh(questions);
    times.push((performance.now() - start) * 1000);
  }
  const { user, system } = process.cpuUsage(cpu);
  console.log(
    `  look at ${questions.length} keys of ten old reports: p50 ${us(percentiles(times).p50)}, ${us((user + system) / 10)} of CPU here`,
  );
}

async function measureExpiry(side: StoreUnderTest): Promise<Row> {
  const before = { rows: await side.count(), bytes: await side.diskBytes() };
  const expired = Math.floor(before.rows / 5);
  await side.makeExpired(expired);
  const loop = monitorEventLoopDelay({ resolution: 1 });
  loop.enable();
  const start = performance.now();
  const first = await side.countExpired();
  let left = first;
  while (left > 0 && performance.now() - start < expiryMostMs) {
    await delay(expiryLookMs);
    left = await side.countExpired();
  }
  const perReport = ((performance.now() - start) * 1000) / Math.max(1, first - left);
  loop.disable();
  const held = [50, 99].map((share) => us(loop.percentile(share) / 1000 - 1000));
  const cut = left > 0 ? `, cut off after ${expiryMostMs / 1000} s` : '';
  await side.makeExpired(expired - left);
  const bareFirst = await side.countExpired();
  const bareStart = performance.now();
  await side.bare.expire();
  const barePerReport = ((performance.now() - bareStart) * 1000) / bareFirst;
  await delay(1000);
  const ratio = (perReport / barePerReport).toFixed(2);
  console.log(
    `  expiry of ${expired}: ${us(perReport)} a report${cut} (bare driver, all at once: ${us(barePerReport)}, ratio ${ratio}); loop held for p50 ${held[0]}, p99 ${held[1]}; disk ${megabytes(before.bytes)} → ${megabytes(await side.diskBytes())}`,
  );
  const act = `expiry of ${expired}, a report (the loop held for p50 ${held[0]}, p99 ${held[1]}${cut})`;
  return [act, us(perReport), '', us(barePerReport), '', ratio];
}

function percentiles(times: readonly number[]): { readonly p50: number; readonly p95: number } {
  return { p50: percentile(times, 0.5), p95: percentile(times, 0.95) };
}

function us(microseconds: number): string {
  const value = Math.max(0, microseconds);
  return value >= 10_000 ? `${(value / 1000).toFixed(1)} ms` : `${value.toFixed(0)} µs`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(0)} MB`;
}
