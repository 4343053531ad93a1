import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { Report } from '#shared/model/report';

const folder = mkdtempSync(join(tmpdir(), 'diag-diff-'));
afterAll(() => rmSync(folder, { recursive: true }));

const golden = JSON.parse(readFileSync('test/fixtures/golden/ssl-check.json', 'utf8')) as Report;
const [first] = golden.findings;
if (!first) throw new Error('the golden report has findings');
const of = (domain: string, change: Partial<Report> & { readonly port?: number } = {}) => ({
  ...golden,
  target: { domain },
  ...change,
});
const without = golden.findings.slice(1);
const mended = { findings: without, passed: [...golden.passed, first.code] };
const unseen = {
  findings: without,
  notTested: [...golden.notTested, { code: first.code, reason: 'it was late' }],
};

function fileOf(name: string, lines: readonly unknown[]): string {
  const path = join(folder, name);
  writeFileSync(
    path,
    lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''),
  );
  return path;
}

function diff(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['cli/diag.js', 'diff', ...args], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] ?? '', DIAG_SERVER: 'http://127.0.0.1:9' },
  });
  return { status, stdout, stderr };
}

const monday = fileOf('monday.ndjson', [
  of('fixed.test'),
  of('late.test'),
  of('same.test'),
  { index: 3, outcome: 'done', report: of('new.test', mended), problem: null },
  { target: 'refused.test', problem: { code: 'target_not_allowed' } },
  of('gone.test'),
]);
const tuesday = fileOf('tuesday.ndjson', [
  of('new.test'),
  of('same.test'),
  of('late.test', unseen),
  of('other.test'),
  of('fixed.test', mended),
]);

test('two runs of one list are compared target by target, without a server, and new findings fail', () => {
  const { status, stdout, stderr } = diff(monday, tuesday);
  expect([status, stderr]).toEqual([1, '']);
  const told = stdout.split(/^(?=\S+\.test {2})/m).map((part) => part.split('\n').slice(0, 3));
  expect(told.map(([head = '']) => head.split('  ')[0])).toEqual(['new.test', 'late.test', 'fixed.test']);
  expect(told.map(([, list]) => list)).toEqual(['New:', 'Not tested this time:', 'Fixed:']);
  expect(stdout).toContain(
    '4 targets in both files, 3 with a change: 1 new findings, 1 fixed. 1 only in the second file, 1 only in the first.',
  );
});

test('as JSON there is a difference for each target', () => {
  const lines = diff(monday, tuesday, '-o', 'ndjson').stdout.trim().split('\n');
  const all = JSON.parse(diff(monday, tuesday, '-o', 'json').stdout) as { target: { domain: string } }[];
  expect(lines.map((line) => JSON.parse(line) as object)).toEqual(all);
  expect(all.map(({ target }) => target.domain)).toEqual([
    'new.test',
    'same.test',
    'late.test',
    'fixed.test',
  ]);
});

test.for([
  ['another check', [of('same.test', { check: 'dns-check' })], /line 1: it is a report of dns-check/],
  ['another port', [of('same.test', { port: 8443 })], /line 1: same\.test was checked with other options/],
  ['no JSON', ['{'], /line 1: it is no JSON/],
  ['no report', [{ a: 1 }], /line 1: it is no report/],
] as const)('%s is a usage error that names the line', ([, lines, words]) => {
  const { status, stderr } = diff(monday, fileOf('wrong.ndjson', lines));
  expect([status, stderr]).toEqual([2, expect.stringMatching(words)]);
});

test('a file that is not there, and a file beside an id, are usage errors', () => {
  expect(diff(monday, join(folder, 'none.ndjson')).status).toBe(2);
  expect(diff(monday, '0'.repeat(32))).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('two files') as string,
  });
});
