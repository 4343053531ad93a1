import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { randomId } from '#shared/model/job';
import { makeReport, type Report } from '#shared/model/report';
import type { ReportKeys, ReportStore } from '#shared/ports/report-store';
import { percentile } from './statistics.ts';

/** The same acts without our store: the driver's own calls, on the same data. */
export type Bare = {
  insert(report: Report, keys: ReportKeys): Promise<unknown>;
  findFresh(jobKey: string): Promise<unknown>;
  history(account: string): Promise<unknown>;
  /** Deletes what has expired. */
  expire(): Promise<void>;
};

/** A store that is full of reports, and the bare driver on the same data. */
export type StoreUnderTest = {
  readonly name: string;
  readonly store: ReportStore;
  readonly bare: Bare;
  /** Keys of which the newest report is fresh, and keys of which ten old ones are all there is. */
  readonly freshKeys: readonly string[];
  readonly oldKeys: readonly string[];
  readonly accounts: readonly string[];
  /** Keys that one look asks for. */
  readonly tickKeys: number;
  /** Has so many reports expired: stored ones, or new ones. */
  makeExpired(count: number): Promise<void>;
  /** How many reports are left that have expired. */
  countExpired(): Promise<number>;
  /** Reports that are there. */
  count(): Promise<number>;
  /** Size of the file or files, in bytes. */
  diskBytes(): Promise<number>;
  /** Time of the processor that the store's own processes took, in ms, beside this one. */
  serverCpuMs(): number;
  close(): Promise<void>;
};

const turns = 2000;
const idleMs = 5000;
/** A store on a slow server is not waited for longer: what it has deleted until then is what is told. */
const expiryMostMs = 120_000;
const expiryLookMs = 250;

/** A report of about 10 kB, as a check of many findings gives it. */
export function sampleReport(reportId: string, more: { readonly checkedAtMs?: number } = {}): Report {
  const evidence = Array.from({ length: 8 }, (_, index) => ({ hop: index, value: randomId() }));
  const findings = Array.from(
    { length: 20 },
    (_, index) =>
      [
        `rule-${index}`,
        {
          severity: 'low',
          points: 1,
          title: 'The header lets others read what it should not',
          detail: 'Hop {hop} answers {value}, which every site that is named in it may read.',
          fix: 'Name the sites that may read it, each by its own origin.',
          references: ['RFC 9110 §15.4'],
        },
      ] as const,
  );
  const facts = {
    check: 'redirect-check',
    target: { url: 'http://a.test/' },
    rules: Object.fromEntries(findings),
    rulesVersion: 1,
    reportId,
    checkedAtMs: more.checkedAtMs ?? Date.now(),
    durationMs: 12,
    freshForS: 300,
    keepForS: 30 * 86_400,
  };
  const verdicts = Object.fromEntries(findings.map(([code]) => [code, { broken: evidence }]));
  return makeReport(facts, { state: 'complete', verdicts, fields: {} });
}

/** A line of the page: the act, ours at p50 and p95, the bare driver's, and the ratio of p50. */
export type Row = readonly [
  act: string,
  p50: string,
  p95: string,
  bareP50: string,
  bareP95: string,
  ratio: string,
];

/** Measures all acts on one side, and prints them. */
export async function measureSide(side: StoreUnderTest): Promise<Row[]> {
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
  await measureIdle(side);
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

async function measureIdle({ serverCpuMs }: StoreUnderTest): Promise<void> {
  const [cpu, server] = [process.cpuUsage(), serverCpuMs()];
  await delay(idleMs);
  const { user, system } = process.cpuUsage(cpu);
  const perMinute = 60_000 / idleMs;
  console.log(
    `  idle: ${(((user + system) / 1000) * perMinute).toFixed(0)} ms of CPU a minute here, ${((serverCpuMs() - server) * perMinute).toFixed(0)} in the server`,
  );
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
