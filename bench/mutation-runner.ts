import { appendFileSync, readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { type RunnerTestCase, type RunnerTestFile, TestRunner } from 'vitest';

/** A line of what is found out: a mutant that a test has noticed, one that a test has reached, or a file that is through. */
export type RunnerLine =
  | { readonly noticed: number; readonly by: string }
  | { readonly reached: number; readonly file: string }
  | { readonly outside: number; readonly file: string }
  | { readonly through: string; readonly slow: boolean };

const results = process.env['DIAG_MUTATION_RESULTS'] ?? '';
/** Tests that take more of the processor than this wait for a second round, with the mutants that no quick test has noticed. */
const quickMs = Number(process.env['DIAG_MUTATION_QUICK_MS'] ?? Infinity);
/** In the second round only they are asked. */
const slowOnly = process.env['DIAG_MUTATION_SLOW'] === '1';
/** Set for a mutant that is read as modules load or hooks run: it counts from the start. */
const always = Number(process.env['DIAG_MUTANT'] ?? -1);

/** The mutant that counts now; -1 for none. */
let current = always;
let reached = new Set<number>();

Object.assign(globalThis, {
  diagMutant(id: number): boolean {
    reached.add(id);
    return id === current;
  },
});

const tell = (line: RunnerLine) => appendFileSync(results, `${JSON.stringify(line)}\n`);

function readNoticed(): Set<number> {
  const lines = readFileSync(results, 'utf8').split('\n').filter(Boolean);
  return new Set(
    lines.flatMap((text) => {
      const line = JSON.parse(text) as RunnerLine;
      return 'noticed' in line ? [line.noticed] : [];
    }),
  );
}

/** What ends the process when a mutant never lets go of it: the mutant that runs, and since when. */
const watched = new Int32Array(new SharedArrayBuffer(8));
const watchdog = `
const { workerData: { watched, results }, parentPort } = require('node:worker_threads');
const { appendFileSync } = require('node:fs');
let last = -1, count = 0;
setInterval(() => {
  const run = Atomics.load(watched, 1);
  if (run !== last || Atomics.load(watched, 0) < 0) { last = run; count = 0; return; }
  count += 1;
  if (count < 40) return;
  appendFileSync(results, JSON.stringify({ noticed: Atomics.load(watched, 0), by: 'it never ended' }) + '\\n');
  process.kill(process.pid, 'SIGKILL');
}, 1000);`;

/** Runs each test as usual, and then again once for each mutant that it reaches and no test has noticed yet. */
export default class MutationRunner extends TestRunner {
  private noticed = new Set<number>();
  private told = new Set<number>();
  private isSlow = false;

  onBeforeRunFiles(): void {
    if (always >= 0) return;
    new Worker(watchdog, { eval: true, workerData: { watched, results } }).unref();
  }

  async runTask(test: RunnerTestCase): Promise<void> {
    const run = TestRunner.getTestFn(test);
    if (always >= 0) return run();
    if (this.told.size === 0 && this.noticed.size === 0) this.noticed = readNoticed();
    for (const id of reached) this.tellOnce({ outside: id, file: test.file.name }, id);
    reached = new Set();
    const start = process.threadCpuUsage();
    await run();
    const { user, system } = process.threadCpuUsage(start);
    const tookMs = (user + system) / 1000;
    const met = reached;
    reached = new Set();
    const isQuick = tookMs <= quickMs;
    if (!isQuick) this.isSlow = true;
    for (const id of met) {
      this.tellOnce({ reached: id, file: test.file.name }, -1 - id);
      if (!this.noticed.has(id) && isQuick !== slowOnly) await this.tryMutant(test, id, tookMs);
    }
  }

  private async tryMutant(test: RunnerTestCase, id: number, usualMs: number): Promise<void> {
    const run = TestRunner.getTestFn(test);
    const passes = async (mutant: number) => {
      current = mutant;
      Atomics.store(watched, 0, mutant);
      Atomics.add(watched, 1, 1);
      try {
        return await within(20_000 + 50 * usualMs, Promise.resolve(run()));
      } catch {
        return false;
      } finally {
        current = -1;
        Atomics.store(watched, 0, -1);
        reached = new Set();
      }
    };
    if (await passes(id)) return;
    // A test that cannot be run twice notices nothing.
    if (!(await passes(-1))) return;
    this.noticed.add(id);
    tell({ noticed: id, by: `${test.file.name}: ${test.name}` });
  }

  private tellOnce(line: RunnerLine, key: number): void {
    if (this.told.has(key)) return;
    this.told.add(key);
    tell(line);
  }

  override onAfterRunFiles(files: RunnerTestFile[]): void {
    super.onAfterRunFiles(files);
    if (always < 0) for (const file of files) tell({ through: file.name, slow: this.isSlow });
  }
}

async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), ms);
  try {
    return await Promise.race([work.then(() => true), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
