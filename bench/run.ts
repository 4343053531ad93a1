// npm run bench [all | name …]: measures, and writes docs/performance.md of what is kept in bench/results.
import { fileURLToPath } from 'node:url';
import { type Benches, type BenchEnd, runAll, tellEnding } from './run-all.ts';
import { keepSection, writePage } from './section.ts';

/** In the order of docs/performance.md. */
export const benches: Benches = {
  latency: { load: () => import('./latency.ts') },
  'first-finding': { load: () => import('./first-finding.ts'), limitS: 1200 },
  'cached-get': { load: () => import('./cached-get.ts') },
  capacity: { load: () => import('./capacity.ts'), needs: ['linux'] },
  workers: { load: () => import('./workers.ts'), needs: ['redis', 'store'] },
  fairness: { load: () => import('./fairness.ts'), limitS: 5400 },
  'redis-checks': { load: () => import('./redis-checks.ts'), needs: ['redis', 'store'] },
  memory: { load: () => import('./memory.ts') },
  footprint: { load: () => import('./footprint.ts') },
  writes: { load: () => import('./writes.ts'), needs: ['linux'] },
  store: { load: () => import('./store.ts') },
  retention: { load: () => import('./retention.ts'), limitS: 3600 },
  'hop-timings': { load: () => import('./hop-timings.ts'), needs: ['curl'] },
  'hostile-turns': { load: () => import('./hostile-turns.ts'), limitS: 1800 },
};

/** So long a bench may take; the others need less than six minutes on two quiet cores. */
const limitMs = 1000 * Number(process.env['BENCH_LIMIT_S'] ?? 900);

if (import.meta.main) process.exit(await main(process.argv.slice(2)));

/** @returns the exit status: 1 if a bench failed, 2 if one that was named is unknown or lacks something, 130 if it was interrupted */
async function main(wanted: readonly string[]): Promise<number> {
  const all = Object.keys(benches);
  const unknown = wanted.filter((name) => name !== 'all' && !all.includes(name));
  if (unknown.length > 0) {
    console.error(`There is no ${unknown.join(', ')}. There are: all, ${all.join(', ')}.`);
    return 2;
  }
  const isAll = wanted.length === 0 || wanted.includes('all');
  const stopped = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => stopped.abort());
  const endings = await runAll({
    benches,
    file: fileURLToPath(import.meta.url),
    names: isAll ? all : wanted,
    limitMs,
    signal: stopped.signal,
    onSection: keepSection,
  });
  if (endings.some(({ kind }) => kind === 'measured')) console.log(`written: ${writePage(all)}`);
  tellAll(endings);
  if (stopped.signal.aborted) return 130;
  if (endings.some(({ kind }) => kind === 'failed')) return 1;
  return !isAll && endings.some(({ kind }) => kind === 'lacks') ? 2 : 0;
}

function tellAll(endings: readonly BenchEnd[]): void {
  const seconds = endings.reduce((sum, ending) => sum + ending.seconds, 0);
  console.log(`${endings.length} benches in ${(seconds / 60).toFixed(1)} minutes:`);
  for (const ending of endings) console.log(`  ${tellEnding(ending).split('\n')[0]}`);
  const old = endings.filter(({ kind }) => kind !== 'measured').map(({ name }) => name);
  if (old.length > 0) console.log(`The page has the last figures of ${old.join(', ')}, with their date.`);
}
