// npm test: the parts one after another, each with its seconds, and one closing line.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

type Counts = { readonly passed: number; readonly failed: number; readonly skipped: readonly string[] };

const parts = ['unit', 'contract', 'api', 'lab', 'faults', 'browser'];
const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'diag-test-'));

const total = { passed: 0, failed: 0 };
for (const part of parts) {
  const start = performance.now();
  const { passed, failed, skipped } = await runPart(part);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`── ${part}: ${passed} passed, ${failed} failed, ${skipped.length} skipped in ${seconds} s`);
  for (const name of skipped) console.log(`   SKIPPED ${name}`);
  total.passed += passed;
  // On CI a part that was skipped was not tested: that is a failure.
  total.failed += failed + (process.env['CI'] === 'true' ? skipped.length : 0);
}
rmSync(folder, { recursive: true });
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 && total.passed > 0 ? 0 : 1);

async function runPart(part: string): Promise<Counts> {
  const report = join(folder, `${part}.json`);
  const child = spawn(
    process.execPath,
    [vitest, 'run', '--project', part, '--reporter=dot', '--reporter=json', `--outputFile.json=${report}`],
    { stdio: 'inherit' },
  );
  const code = await new Promise<number | null>((resolve) => {
    child.once('close', resolve);
  });
  return readCounts(report, code);
}

function readCounts(report: string, code: number | null): Counts {
  type Assertion = { readonly status: string; readonly fullName: string };
  let suites: readonly { readonly assertionResults: readonly Assertion[] }[];
  try {
    suites = (JSON.parse(readFileSync(report, 'utf8')) as { testResults: typeof suites }).testResults;
  } catch {
    return { passed: 0, failed: 1, skipped: [] }; // the part never came to its report: its own output says why
  }
  const all = suites.flatMap(({ assertionResults }) => assertionResults);
  const count = (status: string) => all.filter((assertion) => assertion.status === status).length;
  // A file that cannot be loaded has no assertions; the exit code still tells of it.
  const failed = count('failed') + (code !== 0 && count('failed') === 0 ? 1 : 0);
  const skipped = all
    .filter(({ status }) => status === 'pending' || status === 'skipped' || status === 'todo')
    .map(({ fullName }) => fullName);
  return { passed: count('passed'), failed, skipped };
}
