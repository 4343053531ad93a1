// npm test: the parts one after another, each with its seconds, and one closing line.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

type Counts = {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: readonly string[];
  /** What failed and how, to be said again at the very end: a log's beginning is easily lost. */
  readonly failures: readonly string[];
};

/** Projects that run together, so that the waits of some are filled by the others. */
const parts = [['unit', 'contract', 'api'], ['lab'], ['faults'], ['browser'], ['slow']];
const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'diag-test-'));

const total = { passed: 0, failed: 0 };
const failures: string[] = [];
for (const projects of parts) {
  const part = projects.join(' + ');
  const start = performance.now();
  const { passed, failed, skipped, failures: mine } = await runPart(projects);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`── ${part}: ${passed} passed, ${failed} failed, ${skipped.length} skipped in ${seconds} s`);
  for (const name of skipped) console.log(`   SKIPPED ${name}`);
  failures.push(...mine.map((failure) => `${part}: ${failure}`));
  total.passed += passed;
  // On CI a part that was skipped was not tested: that is a failure.
  total.failed += failed + (process.env['CI'] === 'true' ? skipped.length : 0);
}
rmSync(folder, { recursive: true });
for (const failure of failures) console.log(`FAILED ${failure}`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 && total.passed > 0 ? 0 : 1);

// Nearly all of a fault test is waiting, for a lease, an age or a restart: one more file at a time than elsewhere.
async function runPart(projects: readonly string[]): Promise<Counts> {
  const report = join(folder, `${projects.join('-')}.json`);
  const child = spawn(
    process.execPath,
    [
      vitest,
      'run',
      ...projects.map((name) => `--project=${name}`),
      ...(projects.includes('faults') ? [`--maxWorkers=${availableParallelism() + 2}`] : []),
      '--reporter=dot',
      '--reporter=json',
      `--outputFile.json=${report}`,
    ],
    { stdio: 'inherit' },
  );
  const code = await new Promise<number | null>((resolve) => {
    child.once('close', resolve);
  });
  return readCounts(report, code);
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
    readonly assertionResults: readonly Assertion[];
  };
  let suites: readonly Suite[];
  try {
    suites = (JSON.parse(readFileSync(report, 'utf8')) as { testResults: readonly Suite[] }).testResults;
  } catch {
    // The part never came to its report: its own output says why.
    return { passed: 0, failed: 1, skipped: [], failures: ['no report was written'] };
  }
  const all = suites.flatMap(({ assertionResults }) => assertionResults);
  const count = (status: string) => all.filter((assertion) => assertion.status === status).length;
  // A file that cannot be loaded has no assertions; the exit code still tells of it.
  const failed = count('failed') + (code !== 0 && count('failed') === 0 ? 1 : 0);
  const skipped = all
    .filter(({ status }) => status === 'pending' || status === 'skipped' || status === 'todo')
    .map(({ fullName }) => fullName);
  const broken = all
    .filter(({ status }) => status === 'failed')
    .map(
      ({ fullName, failureMessages }) => `${fullName}\n${(failureMessages ?? []).join('\n').slice(0, 2000)}`,
    );
  const unloaded = suites
    .filter(({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0)
    .map(({ name, message }) => `${name}\n${message.slice(0, 2000)}`);
  return { passed: count('passed'), failed, skipped, failures: [...broken, ...unloaded] };
}
