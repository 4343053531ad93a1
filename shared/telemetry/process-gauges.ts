import { Gauge, type Registry } from 'prom-client';
import { version } from '../model/version.ts';
import type { JobQueue } from '../ports/job-queue.ts';
import type { ReportStore } from '../ports/report-store.ts';

/** What a process depends on; each says true, or in a few words why it cannot work. */
export type Backends = { readonly queue: Pick<JobQueue, 'ping'>; readonly store: Pick<ReportStore, 'ping'> };

/** Adds `diag_build_info`: always 1, the versions are its labels. */
export function addBuildInfo(registers: Registry[]): void {
  new Gauge({
    name: 'diag_build_info',
    help: 'Always 1; the labels say what runs.',
    labelNames: ['version', 'node'],
    registers,
  }).set({ version, node: process.versions.node }, 1);
}

/** A table that was copied on a day ("2026-08-21"). */
export type DatedTable = { readonly name: string; readonly day: string };

/** Adds of which day each table is that checks judge by. */
export function addTableDays(tables: readonly DatedTable[], registers: Registry[]): void {
  const gauge = new Gauge({
    name: 'diag_reference_data_timestamp_seconds',
    help: 'The day of a table that checks judge by, Unix time.',
    labelNames: ['table'],
    registers,
  });
  for (const { name, day } of tables) gauge.set({ table: name }, Date.parse(day) / 1000);
}

/** Adds whether queue and store answer, and how fast, as asked at each scrape. An answer slower than 1 s counts as none. */
export function addBackendGauges(backends: Backends, registers: Registry[]): void {
  let asked: Promise<readonly BackendSample[]> = Promise.resolve([]);
  const labelNames = ['backend'];
  // Gauges are collected in the order of their making: this one asks, the next tells of the same answers.
  new Gauge({
    name: 'diag_backend_up',
    help: '1 if queue or store answered within 1 s and can work, else 0.',
    labelNames,
    registers,
    async collect() {
      asked = Promise.all(Object.entries(backends).map(([name, backend]) => ask(name, backend)));
      for (const { backend, isUp } of await asked) this.set({ backend }, isUp ? 1 : 0);
    },
  });
  new Gauge({
    name: 'diag_backend_ping_seconds',
    help: 'How long queue or store took to answer at this scrape; 1 if it did not.',
    labelNames,
    registers,
    async collect() {
      for (const { backend, tookS } of await asked) this.set({ backend }, tookS);
    },
  });
}

type BackendSample = { readonly backend: string; readonly isUp: boolean; readonly tookS: number };

async function ask(backend: string, port: Backends['store']): Promise<BackendSample> {
  const start = performance.now();
  const isUp = await answersInTime(() => port.ping());
  return { backend, isUp, tookS: Math.min(longestS, (performance.now() - start) / 1000) };
}

const longestS = 1;

async function answersInTime(ping: () => Promise<true | string>): Promise<boolean> {
  const late = Promise.withResolvers<string>();
  const timer = setTimeout(() => late.resolve('late'), longestS * 1000);
  try {
    return (await Promise.race([ping(), late.promise])) === true;
  } catch {
    return false; // whatever it says, it does not work; /readyz and the log give the reason
  } finally {
    clearTimeout(timer);
  }
}
