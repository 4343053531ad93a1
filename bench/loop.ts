import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startService } from '../test/kit/service-process.ts';
import { type CheckName, fetchReport, openTarget, paths } from './capacity.ts';
import type { Section } from './section.ts';
import { inLanes } from './slow-host.ts';

const checks = Number(process.env['BENCH_CHECKS'] ?? 300);
const warmChecks = 100;
const lanes = 24;
/** BENCH_PROFILE names a folder for a CPU profile of the service. */
const profile = process.env['BENCH_PROFILE'];

type Watched = {
  readonly heldMs: readonly number[];
  readonly long: readonly { readonly atUs: number; readonly ms: number }[];
};

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
  try {
    await inLanes(warmChecks, lanes, ask);
    service.kill('SIGUSR2');
    await inLanes(checks, lanes, ask);
    service.kill('SIGTERM');
    await service.closed;
    if (profile !== undefined) console.log(readFileSync(file, 'utf8'));
    return tell(JSON.parse(readFileSync(file, 'utf8')) as Watched);
  } finally {
    service.kill('SIGKILL');
    target.process.kill();
    rmSync(folder, { recursive: true });
  }
}

function tell({ heldMs, long }: Watched): Section {
  const sorted = heldMs.toSorted((one, other) => one - other);
  const at = (share: number) =>
    (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1);
  const figures = [at(0.5), at(0.95), at(0.99), at(1), String(long.length)];
  console.log(
    `the loop is held for p50 ${figures[0]}, p95 ${figures[1]}, p99 ${figures[2]}, at most ${figures[3]} ms; ${long.length} of ${heldMs.length} looks found more than 10 ms`,
  );
  return {
    title: 'The event loop under full load',
    about: `How late a timer of 5 ms comes through work of the same thread, in an embedded process with ${lanes} checks of all kinds at once, ms. CPU of other processes is left out.`,
    columns: ['', 'p50', 'p95', 'p99', 'at most', 'over 10 ms'],
    rows: [['held, ms', ...figures]],
    limits:
      'many small pieces of work in one turn of the loop; in a profile of the turns above 14 ms, garbage collection was the largest (12 %), then judging and SQLite (7 to 8 % each).',
  };
}
