import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startService } from '../test/kit/service-process.ts';
import type { TargetCounts } from './capacity-target.ts';
import { type CheckName, countsOf, fetchReport, openTarget, paths } from './capacity.ts';
import { cpuMsOf } from './process-cpu.ts';
import type { Section } from './section.ts';
import { inLanes } from './slow-host.ts';

const warmChecks = 60;
const checks = Number(process.env['BENCH_CHECKS'] ?? 100);
const lanes = Number(process.env['BENCH_LANES'] ?? 8);
/** BENCH_ONLY names one check. */
const names = (Object.keys(paths) as CheckName[]).filter(
  (name) => (process.env['BENCH_ONLY'] ?? name) === name,
);
/** BENCH_BEFORE names another checkout of this project, to compare with. */
const before = process.env['BENCH_BEFORE'];
const ours = fileURLToPath(new URL('..', import.meta.url));
/** BENCH_INCLUSIVE prints also the functions of ours with what they called. */
const isInclusive = process.env['BENCH_INCLUSIVE'] !== undefined;
const shown = 10;

/** What one check took: CPU in ms by function, and what its target counted. */
type CheckProfile = {
  readonly self: FunctionTimes;
  readonly whole: FunctionTimes;
  readonly target: TargetCounts;
};
type FunctionTimes = ReadonlyMap<string, number>;

/** The hottest functions of each check at full load, by their own time in a CPU profile, and how many exchanges its target counted. */
export async function bench(): Promise<Section> {
  const folder = mkdtempSync(join(tmpdir(), 'diag-bench-'));
  const target = await openTarget(join(folder, 'root.pem'));
  const rows: string[][] = [];
  try {
    for (const name of names) {
      const sights: CheckProfile[] = [];
      for (const root of before === undefined ? [ours] : [before, ours])
        sights.push(await look(name, { root, target, folder: mkdtempSync(join(folder, 'p-')) }));
      rows.push(...rowsOf(name, sights));
    }
  } finally {
    target.process.kill();
    rmSync(folder, { recursive: true });
  }
  for (const row of rows) console.log(row.join(' | '));
  return {
    title: 'The hottest functions of a check',
    about: `Self time in a CPU profile of an embedded process, ms of a check, ${lanes} checks at a time; and what the target counted for each. The time of a function of C++ stands at the function of JavaScript that called it, or as (program).`,
    columns: ['check', 'function', ...(before === undefined ? [] : ['before']), 'now'],
    rows,
    limits: 'what OpenSSL, the kernel and V8 take for connections, handshakes and garbage.',
  };
}

type ProfileSetup = {
  readonly root: string;
  readonly target: { readonly process: ChildProcess; readonly settings: Readonly<Record<string, string>> };
  readonly folder: string;
};

let hosts = 0;

async function look(name: CheckName, { root, target, folder }: ProfileSetup): Promise<CheckProfile> {
  const profiles = join(folder, 'profiles');
  const service = await startService({
    program: process.execPath,
    args: [
      '--max-semi-space-size=8',
      '--cpu-prof',
      `--cpu-prof-dir=${profiles}`,
      join(root, 'cli/diag.js'),
      'serve',
    ],
    environment: { ...target.settings, DATA_DIR: join(folder, 'data') },
  });
  const agent = new Agent({ keepAlive: true, maxSockets: lanes });
  const ask = async () => {
    hosts += 1;
    await fetchReport(agent, `${service.url}/api/tools/${paths[name](`h${hosts}.test`)}`);
  };
  try {
    await inLanes(warmChecks, lanes, ask);
    const earlier = await countsOf(target);
    const pids = [service.child.pid];
    const start = { us: nowUs(), cpuMs: cpuMsOf(pids) };
    await inLanes(checks, lanes, ask);
    const span = { fromUs: start.us, toUs: nowUs(), cpuMs: (cpuMsOf(pids) - start.cpuMs) / checks };
    const later = await countsOf(target);
    agent.destroy();
    service.kill('SIGTERM');
    await service.closed;
    const counted = Object.entries(later).map(([key, count]) => [
      key,
      (count - earlier[key as keyof TargetCounts]) / checks,
    ]);
    return { ...readProfile(profiles, span), target: Object.fromEntries(counted) as TargetCounts };
  } finally {
    service.kill('SIGKILL');
  }
}

// The clock of CPU profiles.
function nowUs(): number {
  return Number(process.hrtime.bigint() / 1000n);
}

type Profile = {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
    readonly children?: readonly number[];
  }[];
  readonly startTime: number;
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
};

type Span = { readonly fromUs: number; readonly toUs: number; readonly cpuMs: number };

/**
 * Adds up the samples between two times; together they are the CPU time of a check, as samples also count what a busy machine does meanwhile.
 * The largest profile in the folder is that of the main thread.
 */
function readProfile(folder: string, { fromUs, toUs, cpuMs }: Span): Pick<CheckProfile, 'self' | 'whole'> {
  const texts = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'));
  const largest = texts.toSorted((one, other) => other.length - one.length)[0] ?? '{}';
  const { nodes, samples, timeDeltas, startTime } = JSON.parse(largest) as Profile;
  const own = new Map<number, number>();
  let atUs = startTime;
  for (const [index, id] of samples.entries()) {
    atUs += timeDeltas[index] ?? 0;
    if (atUs >= fromUs && atUs < toUs) own.set(id, (own.get(id) ?? 0) + (timeDeltas[index + 1] ?? 0));
  }
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const isIdle = (id: number) => byId.get(id)?.callFrame.functionName === '(idle)';
  const busyUs = [...own].reduce((sum, [id, us]) => sum + (isIdle(id) ? 0 : us), 0);
  const self = new Map<string, number>();
  const whole = new Map<string, number>();
  const add = (times: Map<string, number>, name: string, us: number) =>
    times.set(name, (times.get(name) ?? 0) + (us * cpuMs) / busyUs);
  /** Gives what the node and all below took; a function within itself counts once. */
  const visit = (id: number, above: ReadonlySet<string>): number => {
    const node = byId.get(id);
    if (!node || isIdle(id)) return 0;
    const name = nameOf(node.callFrame);
    add(self, name, own.get(id) ?? 0);
    const inside = new Set(above).add(name);
    const total = (node.children ?? []).reduce((sum, child) => sum + visit(child, inside), own.get(id) ?? 0);
    if (!above.has(name)) add(whole, name, total);
    return total;
  };
  const [root] = nodes;
  if (root) visit(root.id, new Set());
  return { self, whole };
}

function nameOf({ functionName, url, lineNumber }: Profile['nodes'][number]['callFrame']): string {
  const file = url
    .replace(/^.*\/node_modules\//, '')
    .replace(/^file:\/\/.*?\/(?=(?:api|worker|shared|cli)\/)/, '');
  const name = functionName === '' ? `line ${lineNumber + 1}` : functionName;
  return file === '' ? name : `${name} ${file}`;
}

function rowsOf(check: CheckName, sights: readonly CheckProfile[]): string[][] {
  const last = sights.at(-1);
  if (!last) return [];
  const cells = (read: (sight: CheckProfile) => number, digits = 2) =>
    sights.map((sight) => read(sight).toFixed(digits));
  const sum = ({ self }: CheckProfile) => self.values().reduce((total, ms) => total + ms, 0);
  if (isInclusive) printWhole(check, last.whole);
  return [
    ...(Object.keys(last.target) as (keyof TargetCounts)[]).map((key) => [
      check,
      `${key} at the target, number`,
      ...cells(({ target }) => target[key], 1),
    ]),
    [check, 'all functions', ...cells(sum)],
    ...hottest(sights.map(({ self }) => self)).map((name) => [
      check,
      name,
      ...cells(({ self }) => self.get(name) ?? 0),
    ]),
  ];
}

/** The hottest of all sights. */
function hottest(all: readonly FunctionTimes[]): string[] {
  const ranked = all.flatMap((times) => [...times].sort(([, one], [, other]) => other - one).slice(0, shown));
  return [...new Set(ranked.sort(([, one], [, other]) => other - one).map(([name]) => name))];
}

function printWhole(check: CheckName, whole: FunctionTimes): void {
  const ours = [...whole].filter(([name]) => name.includes('/')).sort(([, one], [, other]) => other - one);
  for (const [name, ms] of ours.slice(0, 120))
    console.log(`${check} | with what it called | ${name} | ${ms.toFixed(2)}`);
}
