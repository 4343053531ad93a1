import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hasMongo } from '../test/kit/mongo.ts';
import { findProgram } from '../test/kit/programs.ts';
import { hasRedis } from '../test/kit/redis.ts';
import { watchOtherWork } from './process-cpu.ts';
import type { Conditions, Section } from './section.ts';

/** What a machine may lack: whether it is here, and how to get it. */
const things = {
  redis: {
    isHere: hasRedis,
    how: 'Redis: put redis-server on the PATH, or set REDIS_URL to a Redis that the bench may fill and empty',
  },
  store: {
    isHere: hasMongo,
    how: 'a server of the MongoDB protocol: put mongod or ferretdb on the PATH, or set MONGOD_BINARY or MONGODB_URL',
  },
  curl: { isHere: findProgram('curl') !== undefined, how: 'curl on the PATH' },
  linux: {
    isHere: existsSync('/proc/self/stat'),
    how: 'Linux: it reads CPU and memory of processes in /proc',
  },
} as const;

type Need = keyof typeof things;

/** What of these is not on this machine, in one sentence that says how to get it; undefined if nothing lacks. */
export function lackOf(needs: readonly Need[]): string | undefined {
  const hows = needs.filter((need) => !things[need].isHere).map((need) => things[need].how);
  return hows.length === 0 ? undefined : `needs ${hows.join('; and ')}.`;
}

/** Every bench by its name, in the order of docs/performance.md. */
export type Benches = {
  readonly [name: string]: {
    readonly load: () => Promise<{ bench(): Promise<Section> }>;
    /** What it cannot do without and a machine may lack. */
    readonly needs?: readonly Need[];
    /** How long it takes, where that is longer than others may. */
    readonly limitS?: number;
  };
};

/** What a bench's process tells at its end. */
export type BenchOutcome = { readonly section: Section } | { readonly failure: string };

/** How a bench ended: `lacks` is what the machine does not have for it. */
export type BenchEnd = { readonly name: string; readonly seconds: number } & (
  | { readonly kind: 'measured' }
  | { readonly kind: 'lacks' | 'failed'; readonly why: string }
);

export type BenchPlan = {
  readonly benches: Benches;
  /** The module that exports `benches`, for the processes. */
  readonly file: string;
  readonly names: readonly string[];
  /** Past it a bench is ended, with all that it has started. */
  readonly limitMs: number;
  /** Ends the bench that runs, with all that it has started, and starts no other. */
  readonly signal: AbortSignal;
  onSection(name: string, section: Section, conditions: Conditions): void;
};

/** Runs benches one after another, each in a process of its own, so that neither its defects nor its warm code reach the next. */
export async function runAll(run: BenchPlan): Promise<readonly BenchEnd[]> {
  const endings: BenchEnd[] = [];
  for (const name of run.names) {
    if (run.signal.aborted) break;
    console.log(`── ${name}`);
    const ending = await runOne(run, name);
    console.log(`── ${tellEnding(ending)}`);
    endings.push(ending);
  }
  return endings;
}

/** How a bench ended, in one sentence. */
export function tellEnding(ending: BenchEnd): string {
  if (ending.kind === 'lacks') return `${ending.name} ${ending.why}`;
  const took = `${ending.name}: ${ending.seconds.toFixed(1)} s`;
  return ending.kind === 'measured' ? took : `${took}, failed: ${ending.why}`;
}

async function runOne(run: BenchPlan, name: string): Promise<BenchEnd> {
  const lack = lackOf(run.benches[name]?.needs ?? []);
  if (lack !== undefined) return { name, seconds: 0, kind: 'lacks', why: lack };
  const start = performance.now();
  const otherWork = watchOtherWork();
  const outcome = await runInGroup(run, name);
  const seconds = (performance.now() - start) / 1000;
  if ('failure' in outcome) return { name, seconds, kind: 'failed', why: outcome.failure };
  run.onSection(name, outcome.section, { at: new Date(), seconds, otherWork: otherWork() });
  return { name, seconds, kind: 'measured' };
}

const runner = fileURLToPath(new URL('run-one.ts', import.meta.url));

/** Runs it in a process group and a temporary folder, and leaves nothing of either. */
async function runInGroup({ benches, file, signal, ...run }: BenchPlan, name: string): Promise<BenchOutcome> {
  const limitMs = Math.max(run.limitMs, 1000 * (benches[name]?.limitS ?? 0));
  const folder = mkdtempSync(join(tmpdir(), 'diag-bench-'));
  const child = fork(runner, [file, name], {
    env: { ...process.env, TMPDIR: folder },
    // Flags of this process are not for what is measured.
    execArgv: [],
    detached: true,
  });
  let outcome: BenchOutcome | undefined;
  child.once('message', (message) => {
    outcome = message as BenchOutcome;
  });
  let failure = '';
  const end = (why: string) => {
    failure = why;
    killGroup(child);
  };
  const late = setTimeout(end, limitMs, `it was ended after ${limitMs / 1000} s, the limit of BENCH_LIMIT_S`);
  const onAbort = () => end('it was interrupted');
  signal.addEventListener('abort', onAbort);
  // Not 'exit', which may come before the last message of the process.
  const [code, killedBy] = (await once(child, 'close')) as [number | null, string | null];
  clearTimeout(late);
  signal.removeEventListener('abort', onAbort);
  killGroup(child);
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  if (failure !== '') return { failure };
  return outcome ?? { failure: `its process ended with ${code ?? killedBy} before it had measured all` };
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // all of it has ended
  }
}
