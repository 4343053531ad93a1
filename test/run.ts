// npm test: what a clone and npm are enough for. npm run test:all: everything. The parts one after another, each with its seconds, and one closing line.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { hasGenerators } from './kit/generators.ts';
import { hasMongo } from './kit/mongo.ts';
import { hasPrevious } from './kit/previous-version.ts';
import { findProgram, isExecutable } from './kit/programs.ts';
import { hasTracingSdk } from './kit/tracing-sdk.ts';

type Counts = {
  readonly passed: number;
  readonly failed: number;
  /** Required, and not run: their names. */
  readonly skipped: readonly string[];
  /** How many were not run for want of something optional. */
  readonly leftOut: number;
  /** The files that took longest, each with its seconds. */
  readonly slowest: readonly string[];
  /** What failed and how, to be said again at the very end: a log's beginning is easily lost. */
  readonly failures: readonly string[];
};

/** Projects that run together, so that the waits of some are filled by the others. */
const fast = [['unit', 'contract', 'api']];
const parts =
  process.argv[2] === 'all'
    ? [...fast, ['servers'], ['lab', 'slow'], ['faults'], ['browser'], ['growth']]
    : fast;
/**
 * Files at a time. Much of these tests is waiting, for a lease, an age, a turn or a restart. Those of servers wait within one process; those
 * of faults start many, and judge what a machine does that has all of them to run.
 */
const workers = new Map([
  // Of the first part a third of the files waits most of its time.
  ['unit', 2 * availableParallelism()],
  ['servers', 4 * availableParallelism()],
  ['faults', availableParallelism() + 2],
]);
/** What a clone may lack. Tests that need it name `mark`; a skip of any other test is a failure on CI. */
const optional = [
  {
    isHere: hasMongo,
    mark: 'hasMongo',
    needs: "a server of MongoDB's protocol (MONGOD_BINARY, MONGODB_URL, or mongod or ferretdb on the PATH)",
  },
  {
    isHere: hasPrevious,
    mark: 'hasPrevious',
    needs: 'the history of the repository (git clone without --depth)',
  },
  {
    isHere: ['/usr/bin/chromium', '/usr/bin/google-chrome'].some(isExecutable),
    mark: 'ofSystem',
    needs: 'a browser of the system (/usr/bin/chromium or /usr/bin/google-chrome)',
  },
  {
    isHere: hasGenerators,
    mark: 'hasGenerators',
    needs: 'generators of clients (npm ci --prefix test/generators --ignore-scripts)',
  },
  {
    isHere: hasTracingSdk,
    mark: 'hasTracingSdk',
    needs: "OpenTelemetry's SDK (npm ci --prefix deploy/tracing --ignore-scripts)",
  },
  {
    isHere: findProgram('systemd-analyze') !== undefined,
    mark: "'systemd-analyze'",
    needs: 'systemd-analyze',
  },
  {
    isHere: process.getuid?.() === 0,
    mark: 'unpackServers',
    needs: 'root, for mail servers that change their user',
  },
];
const absent = optional.filter(({ isHere }) => !isHere);
const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'diag-test-'));

const total = { passed: 0, failed: 0, leftOut: 0 };
const failures: string[] = [];
for (const projects of parts) {
  const part = projects.join(' + ');
  const start = performance.now();
  const { passed, failed, skipped, leftOut, slowest, failures: mine } = await runPart(projects);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`── ${part}: ${passed} passed, ${failed} failed, ${skipped.length} skipped in ${seconds} s`);
  if (slowest.length > 0) console.log(`   slowest: ${slowest.join(', ')}`);
  for (const name of skipped) console.log(`   SKIPPED ${name}`);
  failures.push(...mine.map((failure) => `${part}: ${failure}`));
  total.passed += passed;
  total.leftOut += leftOut;
  // On CI a part that was skipped was not tested: that is a failure.
  total.failed += failed + (process.env['CI'] === 'true' ? skipped.length : 0);
}
rmSync(folder, { recursive: true });
for (const failure of failures) console.log(`FAILED ${failure}`);
if (total.leftOut > 0)
  console.log(`LEFT OUT ${total.leftOut} tests: they need ${absent.map(({ needs }) => needs).join('; ')}`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 && total.passed > 0 ? 0 : 1);

async function runPart(projects: readonly string[]): Promise<Counts> {
  const report = join(folder, `${projects.join('-')}.json`);
  const child = spawn(
    process.execPath,
    [
      vitest,
      'run',
      ...projects.map((name) => `--project=${name}`),
      ...projects.flatMap((name) => (workers.has(name) ? [`--maxWorkers=${workers.get(name)}`] : [])),
      '--reporter=dot',
      '--reporter=json',
      `--outputFile.json=${report}`,
    ],
    // A log that is kept needs no colours.
    { stdio: 'inherit', env: process.stdout.isTTY ? process.env : { ...process.env, NO_COLOR: '1' } },
  );
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  const end = await Promise.race([closed, isStuck(report)]);
  if (end === 'stuck') {
    console.log(
      `   ${projects.join(' + ')} had told its counts, and did not end: something that a test started is left`,
    );
    child.kill('SIGKILL');
  }
  return readCounts(report, end === 'stuck' ? 1 : end);
}

/** Resolves a minute after a part has written its report. */
async function isStuck(report: string): Promise<'stuck'> {
  while (!existsSync(report)) await sleep(1000, undefined, { ref: false });
  return sleep(60_000, 'stuck', { ref: false });
}

function readCounts(report: string, code: number | null): Counts {
  type Assertion = {
    readonly status: string;
    readonly fullName: string;
    readonly failureMessages?: readonly string[];
  };
  type Suite = {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    /** Unix time, ms. */
    readonly startTime: number;
    readonly endTime: number;
    readonly assertionResults: readonly Assertion[];
  };
  let suites: readonly Suite[];
  try {
    suites = (JSON.parse(readFileSync(report, 'utf8')) as { testResults: readonly Suite[] }).testResults;
  } catch {
    // The part never came to its report: its own output says why.
    return {
      passed: 0,
      failed: 1,
      skipped: [],
      leftOut: 0,
      slowest: [],
      failures: ['no report was written'],
    };
  }
  const all = suites.flatMap(({ assertionResults }) => assertionResults);
  const count = (status: string) => all.filter((assertion) => assertion.status === status).length;
  const idle = suites.map((suite) => ({
    isOptional: absent.some(({ mark }) => readFileSync(suite.name, 'utf8').includes(mark)),
    names: suite.assertionResults
      .filter(({ status }) => status === 'pending' || status === 'skipped' || status === 'todo')
      .map(({ fullName }) => fullName),
  }));
  const skipped = idle.filter(({ isOptional }) => !isOptional).flatMap(({ names }) => names);
  const leftOut = idle.filter(({ isOptional }) => isOptional).flatMap(({ names }) => names).length;
  const broken = all
    .filter(({ status }) => status === 'failed')
    .map(
      ({ fullName, failureMessages }) => `${fullName}\n${(failureMessages ?? []).join('\n').slice(0, 2000)}`,
    );
  // A file that cannot be loaded, or whose tables have no rows.
  const empty = suites
    .filter(({ assertionResults }) => assertionResults.length === 0)
    .map(({ name, message }) => `${name}\n${message.slice(0, 2000) || 'it has no tests'}`);
  const failures = [...broken, ...empty];
  // What vitest says of the whole, such as an error outside of any test, is in its own output.
  const failed = Math.max(failures.length, code === 0 ? 0 : 1);
  return { passed: count('passed'), failed, skipped, leftOut, slowest: listSlowest(suites), failures };
}

function listSlowest(suites: readonly { name: string; startTime: number; endTime: number }[]): string[] {
  const root = fileURLToPath(new URL('.', import.meta.url));
  return suites
    .map(({ name, startTime, endTime }) => ({ name, seconds: (endTime - startTime) / 1000 }))
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, 8)
    .map(({ name, seconds }) => `${name.replace(root, '')} ${seconds.toFixed(0)} s`);
}
