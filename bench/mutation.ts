import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findSites, type Site } from './mutation-sites.ts';
import type { Section } from './section.ts';

const mutants = Number(process.env['BENCH_MUTANTS'] ?? 300);
const seed = Number(process.env['BENCH_SEED'] ?? 1);
/** BENCH_ONLY names a part of the path: only files below it are changed. */
const only = process.env['BENCH_ONLY'] ?? '';
const root = fileURLToPath(new URL('..', import.meta.url));
/** A change that makes a test run for ever is found by that. */
const longestMs = 180_000;

/** What is changed, and the tests that should notice: those of the same subject, as a developer runs them. */
const subjects: readonly (readonly [files: string, tests: readonly string[]])[] = [
  ['worker/checks/dns-check', ['test/unit/dns-check']],
  ['worker/checks/redirect-check', ['test/unit/redirect-check', 'test/unit/web']],
  ['worker/checks/security-header-check', ['test/unit/security-header-check', 'test/unit/web']],
  ['worker/checks/ssl-check', ['test/unit/ssl-check']],
  ['worker/checks/pagespeed-check', ['test/unit/pagespeed-check']],
  ['worker/checks/domain-health', ['test/unit/domain-health']],
  ['worker/certificates', ['test/unit/certificates', 'test/unit/ssl-check']],
  ['worker/dns', ['test/unit/dns-check']],
  ['worker/web', ['test/unit/web', 'test/unit/redirect-check', 'test/unit/security-header-check']],
  ['shared/targets', ['test/unit/target.test.ts', 'test/unit/target.property.test.ts', 'test/unit/address']],
];

/** Gathering asks and decides nothing; a report's own fields are compared by golden files. */
const isJudge = (file: string) => !/\/(gather|report)(\/|\.ts)|\/index\.ts$/.test(file);

type Mutant = { readonly file: string; readonly tests: readonly string[]; readonly site: Site };
type Outcome = 'noticed' | 'survived' | 'tests fail without it';

/** Changes one operator at a time in judges and parsers, and counts how many of these faults the unit tests notice: `node bench/mutation.ts`. */
export async function bench(): Promise<Section> {
  const copy = mkdtempSync(join(tmpdir(), 'diag-mutation-'));
  try {
    for (const name of [
      'shared',
      'worker',
      'api',
      'cli',
      'client',
      'demo',
      'bench',
      'test',
      'docs',
      'deploy',
    ])
      cpSync(join(root, name), join(copy, name), { recursive: true });
    for (const name of ['package.json', 'tsconfig.json', 'vitest.config.ts', 'rules.lock.json'])
      cpSync(join(root, name), join(copy, name));
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    return sectionOf(await tryAll(copy, sample(findMutants(), mutants)));
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function findMutants(): Mutant[] {
  return subjects.flatMap(([folder, tests]) =>
    globSync(`${folder}/**/*.ts`, { cwd: root })
      .filter((file) => isJudge(file) && file.includes(only))
      .sort()
      .flatMap((file) =>
        findSites(readFileSync(join(root, file), 'utf8')).map((site) => ({ file, tests, site })),
      ),
  );
}

/** So many of them, the same ones for the same seed. */
function sample<T>(all: readonly T[], count: number): T[] {
  const left = [...all];
  const taken: T[] = [];
  let state = seed;
  while (taken.length < count && left.length > 0) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    taken.push(...left.splice(state % left.length, 1));
  }
  return taken;
}

type Tried = { readonly mutant: Mutant; readonly outcome: Outcome };

async function tryAll(copy: string, chosen: readonly Mutant[]): Promise<readonly Tried[]> {
  const broken = new Set<string>();
  for (const tests of new Set(chosen.map((mutant) => mutant.tests.join(' '))))
    if (!(await passes(copy, tests.split(' ')))) broken.add(tests);
  const tried: Tried[] = [];
  for (const mutant of chosen) {
    const outcome = broken.has(mutant.tests.join(' ')) ? 'tests fail without it' : await tryOne(copy, mutant);
    tried.push({ mutant, outcome });
    if (outcome !== 'noticed') console.log(`${outcome}: ${describe(mutant)}`);
  }
  return tried;
}

async function tryOne(copy: string, { file, tests, site }: Mutant): Promise<Outcome> {
  const path = join(copy, file);
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.slice(0, site.at) + site.to + text.slice(site.at + site.from.length));
  try {
    return (await passes(copy, tests)) ? 'survived' : 'noticed';
  } finally {
    writeFileSync(path, text);
  }
}

async function passes(copy: string, tests: readonly string[]): Promise<boolean> {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const child = spawn(
    process.execPath,
    [vitest, 'run', '--project=unit', '--bail=1', '--reporter=dot', ...tests],
    { cwd: copy, stdio: 'ignore', env: { ...process.env, FUZZ_RUNS: '100' } },
  );
  const timer = setTimeout(() => child.kill('SIGKILL'), longestMs);
  const code = await ended(child);
  clearTimeout(timer);
  return code === 0;
}

function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => {
    child.once('close', resolve);
  });
}

function describe({ file, site }: Mutant): string {
  return `${file}:${site.line}  ${site.from.trim()} → ${site.to.trim()}`;
}

function sectionOf(tried: readonly Tried[]): Section {
  const rows = subjects.flatMap(([folder]) => {
    const own = tried.filter(({ mutant }) => mutant.file.startsWith(`${folder}/`));
    const noticed = own.filter(({ outcome }) => outcome === 'noticed').length;
    const share = own.length === 0 ? '–' : `${Math.round((100 * noticed) / own.length)} %`;
    return own.length === 0 ? [] : [[folder, String(own.length), String(noticed), share]];
  });
  const noticed = tried.filter(({ outcome }) => outcome === 'noticed').length;
  rows.push([
    'all',
    String(tried.length),
    String(noticed),
    `${((100 * noticed) / tried.length).toFixed(1)} %`,
  ]);
  return {
    title: 'Faults that the unit tests notice',
    about: `One operator, constant or verdict at a time is changed in a judge or a parser (${tried.length} of them, seed ${seed}); the unit tests of the same subject run each time.`,
    columns: ['folder', 'faults', 'noticed', 'share'],
    rows,
    limits: 'changes that alter nothing a caller sees: they count as not noticed.',
  };
}

if (import.meta.main) for (const row of (await bench()).rows) console.log(row.join(' | '));
