import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { randomId } from '#shared/model/job';
import type { ReportStore } from '#shared/ports/report-store';
import { openMongoReportStore } from '#shared/stores/reports/mongo';
import { openSqliteReportStore } from '#shared/stores/reports/sqlite';
import { openLogger } from '#shared/telemetry/logger';
import { hasMongo, startMongo } from '../test/kit/mongo.ts';
import type { Section } from './section.ts';
import { percentile } from './statistics.ts';
import { sampleReport } from './store-sides.ts';

/** How long reports come in, and how many a second. */
const seconds = Number(process.env['BENCH_SECONDS'] ?? 1200);
const sqliteRate = Number(process.env['BENCH_RATE'] ?? 500);
const mongoRate = Number(process.env['BENCH_MONGO_RATE'] ?? 200);
/** What the store may hold is reached after so much of the time: all the rest is eviction. */
const fullAfter = 0.25;
/** Of a sample report in a store, with its row and its indexes; only to choose the limit by. */
const reportBytes = 1600;
const sampleMs = 1000;

type Load = {
  readonly name: string;
  readonly rate: number;
  readonly open: (limitBytes: number) => Promise<ReportStore>;
};

/** Reports at a steady rate into a store that is full: whether eviction holds its limit, and what reads cost beside it. */
export async function bench(): Promise<Section> {
  const rows: (string | number)[][] = [];
  const folder = mkdtempSync(join(tmpdir(), 'diag-bench-'));
  const log = openLogger('silent');
  try {
    const path = join(folder, 'reports.sqlite');
    const open = async (limitBytes: number) => openSqliteReportStore(path, { log, limitBytes });
    rows.push(await measure({ name: 'sqlite', rate: sqliteRate, open }));
  } finally {
    rmSync(folder, { recursive: true });
  }
  if (hasMongo) {
    const mongo = await startMongo();
    const open = async (limitBytes: number) => openMongoReportStore(mongo.url, { log, limitBytes });
    try {
      rows.push(await measure({ name: 'a server of MongoDB’s protocol', rate: mongoRate, open }));
    } finally {
      await mongo.stop();
    }
  }
  return {
    title: 'How well a full store holds its limit',
    about: `Reports come in at a steady rate for ${seconds} s (\`BENCH_SECONDS\`, \`BENCH_RATE\`, \`BENCH_MONGO_RATE\`). \`STORE_MAX_MB\` is what comes in within the first quarter of that time. A reader asks for a report every 20 ms. The server of MongoDB’s protocol may be a stand-in.`,
    columns: [
      '',
      'reports/s wanted',
      'stored/s',
      'limit, MB',
      'most held ÷ limit',
      'held at the end ÷ limit',
      'reads p50, ms',
      'p95, ms',
    ],
    rows,
    limits:
      'how fast the database deletes: a stand-in may delete more slowly than reports come in. The store counts what it holds; free space inside the file of a database is not part of it.',
  };
}

async function measure({ name, rate, open }: Load): Promise<(string | number)[]> {
  const limitBytes = seconds * rate * fullAfter * reportBytes;
  const store = await open(limitBytes);
  await store.ping();
  const stop = new AbortController();
  const newest: string[] = [];
  const held: number[] = [];
  const reads: number[] = [];
  let stored = 0;
  const watch = async () => {
    while (!stop.signal.aborted) {
      held.push((await store.use()).usedBytes / limitBytes);
      await delay(sampleMs);
    }
  };
  const read = async () => {
    while (!stop.signal.aborted) {
      const start = performance.now();
      await store.get(newest[Math.floor(Math.random() * newest.length)] ?? '');
      reads.push(performance.now() - start);
      await delay(20);
    }
  };
  const insert = async () => {
    const keys = { reportId: randomId(), jobId: randomId(), jobKey: randomId() };
    await store.insert(sampleReport(keys.reportId, { checkedAtMs: Date.now() }), keys);
    stored += 1;
    newest[stored % 1000] = keys.reportId;
  };
  const began = performance.now();
  const beside = Promise.all([watch(), read()]);
  // Late ones are caught up with, so many at once: the rate is what a fleet sends, not what the store would like.
  for (;;) {
    const passedMs = performance.now() - began;
    if (passedMs > seconds * 1000) break;
    const due = Math.min(50, Math.floor((passedMs * rate) / 1000) - stored);
    await Promise.all(Array.from({ length: Math.max(0, due) }, insert));
    if (due < 50) await delay(20);
  }
  const took = (performance.now() - began) / 1000;
  stop.abort();
  await beside;
  await store.close();
  return [
    name,
    rate,
    (stored / took).toFixed(0),
    (limitBytes / 2 ** 20).toFixed(0),
    Math.max(...held).toFixed(2),
    (held.at(-1) ?? Number.NaN).toFixed(2),
    percentile(reads, 0.5).toFixed(1),
    percentile(reads, 0.95).toFixed(1),
  ];
}
