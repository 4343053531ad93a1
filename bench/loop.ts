import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { runnerPidOf } from '../test/kit/runner-process.ts';
import { startService } from '../test/kit/service-process.ts';
import { type CheckName, fetchReport, openTarget, paths } from './capacity.ts';
import type { LoopSamples } from './loop-watch.ts';
import type { Section } from './section.ts';
import { inLanes } from './slow-host.ts';
import { percentile } from './statistics.ts';

const checks = Number(process.env['BENCH_CHECKS'] ?? 300);
const warmChecks = 100;
const idleMs = 5000;
const lanes = 24;
/** BENCH_PROFILE names a folder for a CPU profile of the service. */
const profile = process.env['BENCH_PROFILE'];

/** How long the work of an embedded process holds its event loop under all checks at once, as many as its core takes. */
export async function bench(): Promise<Section> {
  const folder = mkdtempSync(join(tmpdir(), 'diag-bench-'));
  const target = await openTarget(join(folder, 'root.pem'));
  const file = join(folder, 'loop.json');
  const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
  const service = await startService({
    program: process.execPath,
    args: [
      '--max-semi-space-size=8',
      ...(profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]),
      '--import',
      here('loop-watch.ts'),
      here('../cli/diag.js'),
      'serve',
    ],
    environment: { ...target.settings, DATA_DIR: join(folder, 'data'), LOOP_WATCH_FILE: file },
  });
  const agent = new Agent({ keepAlive: true, maxSockets: lanes });
  const names = Object.keys(paths) as CheckName[];
  let hosts = 0;
  const ask = async (index: number) => {
    hosts += 1;
    const name = names[index % names.length] ?? 'redirect';
    await fetchReport(agent, `${service.url}/api/tools/${paths[name](`h${hosts}.test`)}`);
  };
  const beginPart = () => {
    service.kill('SIGUSR2');
    process.kill(runnerPidOf(service.child.pid), 'SIGUSR2');
  };
  try {
    beginPart();
    await after(idleMs);
    beginPart();
    await inLanes(warmChecks, lanes, ask);
    beginPart();
    await inLanes(checks, lanes, ask);
    service.kill('SIGTERM');
    await service.closed;
    if (profile !== undefined) console.log(readFileSync(`${file}.runner`, 'utf8'));
    return sectionOf(readParts(file), readParts(`${file}.runner`));
  } finally {
    service.kill('SIGKILL');
    target.process.kill();
    rmSync(folder, { recursive: true });
  }
}

const readParts = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as readonly LoopSamples[];

/** The parts of the life of both processes: start, idle, growing warm, and under load. */
function sectionOf(api: readonly LoopSamples[], runner: readonly LoopSamples[]): Section {
  const [, idle, , loaded] = runner;
  const row = (name: string, ms: readonly number[] = []) => [
    name,
    ...[0.5, 0.95, 0.99, 1].map((share) => percentile(ms, share).toFixed(1)),
    ((100 * ms.filter((one) => one > 10).length) / ms.length).toFixed(1),
  ];
  return {
    title: 'The event loop under full load',
    about: `How late a timer of 5 ms was in the two processes of an embedded service, without work and with ${lanes} checks of all kinds at once. The first three rows count only what work of its own thread held it for. The last two count all that made it late in the process that runs the checks, as the target, which is another process, and the machine's other work take their share of the cores: the thread of the last row does nothing.`,
    columns: ['', 'p50, ms', 'p95, ms', 'p99, ms', 'at most, ms', 'looks over 10 ms, %'],
    rows: [
      row('runs, idle, by its own work', idle?.heldMs),
      row(`runs, ${lanes} checks at once, by its own work`, loaded?.heldMs),
      row(`API and queue, ${lanes} checks at once, by its own work`, api[3]?.heldMs),
      row(`runs, ${lanes} checks at once, in all`, loaded?.lateMs),
      row('an idle thread of the process meanwhile, in all', loaded?.idleLateMs),
    ],
    limits:
      'the 8 ms of work that a turn of the loop takes (worker/probes/turns.ts), with the longest piece of it, reports and garbage collection on top.',
  };
}
