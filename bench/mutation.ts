import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { drawMutants, type Mutant } from './mutation-plan.ts';
import type { RunnerLine } from './mutation-runner.ts';
import type { Section } from './section.ts';

const count = Number(process.env['BENCH_MUTANTS'] ?? 300);
const seed = Number(process.env['BENCH_SEED'] ?? 1);
/** BENCH_ONLY names a part of the path: only files with it are changed. */
const only = process.env['BENCH_ONLY'] ?? '';
const root = fileURLToPath(new URL('..', import.meta.url));

/** A test that takes longer is asked only about the mutants that no quick test has noticed. */
const quickMs = 400;
/** A mutant that counts as modules load has a run of the tests for itself; past this it never ends. */
const aloneLimitMs = 300_000;

type MutantOutcome = 'noticed' | 'survived' | 'reached by no test';
type Tried = { readonly mutant: Mutant; readonly outcome: MutantOutcome };

/** Changes one thing at a time in judges and parsers, and counts how many of these mutants the unit tests notice. */
export async function bench(): Promise<Section> {
  const folder = mkdtempSync(join(tmpdir(), 'diag-mutation-'));
  const kept = { mutants: join(folder, 'mutants.json'), results: join(folder, 'results.jsonl') };
  try {
    const mutants = drawMutants(root, { count, seed, only });
    writeFileSync(kept.mutants, JSON.stringify(mutants));
    writeFileSync(kept.results, '');
    await tryTogether(mutants, kept);
    return sectionOf(await settle(mutants, kept));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

type MutantFiles = { readonly mutants: string; readonly results: string };

/** All mutants are in the sources at once; each test that reaches some runs once more for each. First the quick tests, then the slow ones. */
async function tryTogether(mutants: readonly Mutant[], kept: MutantFiles): Promise<void> {
  const files = [...new Set(mutants.map(({ file }) => file))];
  await runTests(['related', '--run', ...files], kept, { DIAG_MUTATION_QUICK_MS: String(quickMs) });
  const lines = readLines(kept);
  const slow = lines.flatMap((line) => ('through' in line && line.slow ? [line.through] : []));
  console.log(`${noticedIn(lines).size} noticed by quick tests; ${slow.length} files have slow ones`);
  if (slow.length === 0) return;
  const words = { DIAG_MUTATION_QUICK_MS: String(quickMs), DIAG_MUTATION_SLOW: '1' };
  await runTests(['run', ...slow], kept, words);
}

/** What each mutant came to. One that only hooks or loading modules reach is in force from the start of a run of its own. */
async function settle(mutants: readonly Mutant[], kept: MutantFiles): Promise<readonly Tried[]> {
  const lines = readLines(kept);
  const noticed = noticedIn(lines);
  const reached = new Set(lines.flatMap((line) => ('reached' in line ? [line.reached] : [])));
  const tried: Tried[] = [];
  for (const mutant of mutants) {
    const outside = lines.flatMap((line) =>
      'outside' in line && line.outside === mutant.id ? [line.file] : [],
    );
    const outcome = noticed.has(mutant.id)
      ? 'noticed'
      : reached.has(mutant.id)
        ? 'survived'
        : outside.length > 0
          ? await tryAlone(mutant, [...new Set(outside)], kept)
          : 'reached by no test';
    if (outcome !== 'noticed') console.log(`${outcome}: ${tell(mutant)}`);
    tried.push({ mutant, outcome });
  }
  return tried;
}

async function tryAlone(mutant: Mutant, files: readonly string[], kept: MutantFiles): Promise<MutantOutcome> {
  const isGreen = await runTests(['run', '--bail=1', ...files], kept, { DIAG_MUTANT: String(mutant.id) });
  return isGreen ? 'survived' : 'noticed';
}

/** @returns whether all of them passed */
async function runTests(
  words: readonly string[],
  { mutants, results }: MutantFiles,
  environment: Readonly<Record<string, string>>,
): Promise<boolean> {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const config = fileURLToPath(new URL('mutation.config.ts', import.meta.url));
  const child = spawn(process.execPath, [vitest, ...words, `--config=${config}`, '--reporter=dot'], {
    cwd: root,
    stdio: 'ignore',
    env: { ...process.env, DIAG_MUTANTS: mutants, DIAG_MUTATION_RESULTS: results, ...environment },
  });
  const isAlone = environment['DIAG_MUTANT'] !== undefined;
  const timer = isAlone ? setTimeout(() => child.kill('SIGKILL'), aloneLimitMs) : undefined;
  const code = await ended(child);
  clearTimeout(timer);
  return code === 0;
}

function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => {
    child.once('close', resolve);
  });
}

function readLines({ results }: MutantFiles): readonly RunnerLine[] {
  const texts = readFileSync(results, 'utf8').split('\n').filter(Boolean);
  return texts.map((text) => JSON.parse(text) as RunnerLine);
}

function noticedIn(lines: readonly RunnerLine[]): ReadonlySet<number> {
  return new Set(lines.flatMap((line) => ('noticed' in line ? [line.noticed] : [])));
}

function tell({ file, line, from, to }: Mutant): string {
  const short = (text: string) => text.replace(/\s+/g, ' ').slice(0, 70);
  return `${file}:${line}  ${short(from)} → ${to === '' ? 'left out' : short(to)}`;
}

/** worker/checks/ssl-check/judge/suites.ts → worker/checks/ssl-check; worker/web/hsts.ts → worker/web. */
function subjectOf({ file }: Mutant): string {
  return file
    .split('/')
    .slice(0, file.startsWith('worker/checks/') || file.startsWith('worker/probes/') ? 3 : 2)
    .join('/');
}

function sectionOf(tried: readonly Tried[]): Section {
  const row = (name: string, own: readonly Tried[]) => {
    const of = (wanted: MutantOutcome) => own.filter(({ outcome }) => outcome === wanted).length;
    const share = `${((100 * of('noticed')) / Math.max(1, own.length)).toFixed(1)} %`;
    return [name, own.length, of('noticed'), of('survived'), of('reached by no test'), share];
  };
  const subjects = [...new Set(tried.map(({ mutant }) => subjectOf(mutant)))].toSorted();
  const left = tried
    .filter(({ outcome }) => outcome !== 'noticed')
    .map(({ mutant }) => `- ${code(tell(mutant))}`);
  return {
    title: 'Faults that the unit tests notice',
    about: `${tried.length} mutants of judges and parsers, drawn with seed ${seed}: in each of them one thing is changed (an operator is flipped, a condition negated, a constant changed, a call or an early return left out), and the compiler takes it. Each unit test that reaches the changed place runs with it. On ${cpus().length} cores.`,
    columns: ['where', 'mutants', 'noticed', 'survived', 'reached by no test', 'score'],
    rows: [
      ...subjects.map((subject) =>
        row(
          subject,
          tried.filter(({ mutant }) => subjectOf(mutant) === subject),
        ),
      ),
      row('all', tried),
    ],
    limits: `changes that no caller could see count as survivors, and what only tests over sockets notice. Not noticed:\n\n${left.join('\n')}`,
  };
}

const code = (text: string) => `\`${text.replaceAll('`', "'")}\``;
