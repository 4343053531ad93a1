import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type BenchEnd, runAll } from '../../../bench/run-all.ts';
import { benches } from './table-of-benches.ts';

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const file = here('table-of-benches.ts');
let folder = '';
let pidFile = '';
const before = { PID_FILE: process.env['PID_FILE'], TMPDIR: process.env['TMPDIR'] };
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'diag-run-all-'));
  pidFile = join(folder, 'pid');
  Object.assign(process.env, { PID_FILE: pidFile, TMPDIR: folder });
});
afterEach(() => {
  for (const [name, value] of Object.entries(before))
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  rmSync(folder, { recursive: true });
});

type Wish = { readonly limitMs?: number; readonly signal?: AbortSignal };

async function run(names: readonly string[], { limitMs = 60_000, signal }: Wish = {}) {
  const kept: string[] = [];
  const endings = await runAll({
    benches,
    file,
    names,
    limitMs,
    signal: signal ?? new AbortController().signal,
    onSection: (name) => kept.push(name),
  });
  return { kept, endings };
}

const why = (ending: BenchEnd | undefined) => (ending && 'why' in ending ? ending.why : '');

/** Whether the long process of a bench is there, once it has told its id. */
function isLongProcessThere(): boolean {
  try {
    process.kill(Number(readFileSync(pidFile, 'utf8')), 0);
    return true;
  } catch {
    return false;
  }
}

test('a bench that fails says why, and the others go on', async () => {
  const { kept, endings } = await run(['throws', 'ends', 'measures']);
  expect(endings.map(({ kind }) => kind)).toEqual(['failed', 'failed', 'measured']);
  expect(why(endings[0])).toContain('the reason');
  expect(why(endings[1])).toContain('ended with 3');
  expect(kept).toEqual(['measures']);
});

test('what a bench leaves behind, processes and files, is gone at its end', async () => {
  const { kept } = await run(['forgets']);
  expect(kept).toEqual(['forgets']);
  await expect.poll(isLongProcessThere).toBe(false);
  expect(readdirSync(folder)).toEqual(['pid']);
});

test('a bench that does not end is ended with all that it has started', async () => {
  const { endings } = await run(['hangs'], { limitMs: 2000 });
  expect(endings.map(({ kind }) => kind)).toEqual(['failed']);
  expect(why(endings[0])).toContain('BENCH_LIMIT_S');
  await expect.poll(isLongProcessThere).toBe(false);
});

test('an interruption ends the bench that runs and starts no other', async () => {
  const stopped = new AbortController();
  const running = run(['hangs', 'measures'], { signal: stopped.signal });
  await expect.poll(isLongProcessThere).toBe(true);
  stopped.abort();
  const { kept, endings } = await running;
  expect(endings.map(({ name }) => name)).toEqual(['hangs']);
  expect(kept).toEqual([]);
  await expect.poll(isLongProcessThere).toBe(false);
});

test('a bench ends with all that it has started when the process that runs it is killed', async () => {
  const runner = `
    import { runAll } from ${JSON.stringify(here('../../../bench/run-all.ts'))};
    import { benches } from ${JSON.stringify(file)};
    const signal = new AbortController().signal;
    await runAll({ benches, file: ${JSON.stringify(file)}, names: ['hangs'], limitMs: 60_000, signal, onSection() {} });`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', runner], { stdio: 'ignore' });
  await expect.poll(isLongProcessThere).toBe(true);
  child.kill('SIGKILL');
  await expect.poll(isLongProcessThere).toBe(false);
});
