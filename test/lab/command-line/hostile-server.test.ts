import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import {
  goldenReport,
  hostileText as evil,
  openHostileServer,
  says,
  unseen,
} from '../client/hostile-server.ts';
import { diag } from './kit.ts';

const server = await openHostileServer();
const folder = mkdtempSync(join(tmpdir(), 'diag-hostile-'));
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

const evilFinding = {
  code: evil,
  severity: evil,
  title: evil,
  detail: evil,
  scoreEffect: 0,
  evidence: [{ [evil]: evil }],
  fix: { text: evil },
  references: [{ title: evil, url: evil }],
};
/** A report whose every text is hostile. */
const report = goldenReport({
  target: { url: evil },
  state: evil,
  grade: evil,
  checkedAt: evil,
  reportId: evil,
  findings: [evilFinding],
  passed: [evil],
  notTested: [{ code: evil, reason: evil }],
});
const row = {
  reportId: evil,
  check: evil,
  target: evil,
  checkedAt: evil,
  score: 1,
  grade: evil,
  state: evil,
};
const difference = { code: evil, severity: evil, title: evil };
const side = { score: 1, grade: evil };
const diff = {
  check: evil,
  from: side,
  to: side,
  rulesChanged: false,
  findings: {
    added: [difference],
    fixed: [difference],
    changed: [{ code: evil, differs: [evil] }],
    unchanged: 1,
  },
};
const rule = { code: evil, check: evil, severity: evil, points: 1, title: evil };
const fault = { in: evil, name: evil, detail: evil };
const problem = { code: evil, title: evil, detail: evil, requestId: evil, policy: evil, errors: [fault] };

const one = ['redirect-check', 'http://a.test/'];
const cases: {
  readonly name: string;
  readonly args: readonly string[];
  readonly body: unknown;
  readonly status?: number;
}[] = [
  { name: 'a report', args: one, body: report },
  { name: 'a report as json', args: [...one, '-o', 'json'], body: report },
  { name: 'a report as ndjson', args: [...one, '-o', 'ndjson'], body: report },
  { name: 'a report as csv', args: [...one, '-o', 'csv'], body: report },
  { name: 'a report as md', args: [...one, '-o', 'md'], body: report },
  { name: 'a report as sarif', args: [...one, '-o', 'sarif'], body: report },
  { name: 'a report as junit', args: [...one, '-o', 'junit'], body: report },
  { name: 'a problem', args: one, body: problem, status: 422 },
  { name: 'a refused token', args: one, body: problem, status: 401 },
  { name: 'a problem as json', args: [...one, '-o', 'json'], body: problem, status: 422 },
  { name: 'a stored report', args: ['report', 'a'], body: report },
  { name: 'a stored report as json', args: ['report', 'a', '-o', 'json'], body: report },
  { name: 'an export that the server wrote', args: ['export', 'a', '--format', 'md'], body: evil },
  { name: 'a difference', args: ['diff', 'a', 'b'], body: diff },
  { name: 'a difference as json', args: ['diff', 'a', 'b', '-o', 'json'], body: diff },
  { name: 'the history', args: ['history'], body: { reports: [row], next: null } },
  { name: 'the history as ndjson', args: ['history', '-o', 'ndjson'], body: { reports: [row], next: null } },
  { name: 'the rules', args: ['findings'], body: { findings: [rule] } },
  { name: 'what is no JSON', args: one, body: evil },
  { name: 'a page that leads elsewhere', args: one, body: evil, status: 302 },
];
test.for(cases)(
  '$name: nothing of a hostile server steers the terminal',
  { timeout: 30_000 },
  async ({ args, body, status = 200 }) => {
    server.answer(says(body, status));
    const { code, stdout, stderr } = await diag([...args, '--server', server.url]);
    const printed = (stdout + stderr).replaceAll('\r\n', '\n').replaceAll('\n', '').replaceAll('\t', '');
    expect(unseen.exec(printed)).toBeNull();
    expect(printed).not.toMatch(/TypeError|RangeError|node:internal|\.ts:\d/);
    expect([0, 1, 2, 3, 4, 5]).toContain(code);
    expect(printed.length).toBeGreaterThan(0);
  },
);

test('many targets: table, summary and progress', { timeout: 30_000 }, async () => {
  const me = {
    kind: 'anonymous',
    scopes: [],
    limited: false,
    limits: Object.fromEntries(
      ['requests', 'scans'].map((name) => [
        name,
        { limit: 1, windowSeconds: 1, remaining: 1, resetSeconds: 1 },
      ]),
    ),
    costs: {},
  };
  server.answer((request, response) => {
    if (request.url === '/api/me') return says(me)(request, response);
    const isRefused = request.url?.includes('b.test') === true;
    return (isRefused ? says(problem, 422) : says(report))(request, response);
  });
  const { stdout, stderr } = await diag([
    'redirect-check',
    'http://a.test/',
    'http://b.test/',
    '--server',
    server.url,
  ]);
  expect(unseen.exec((stdout + stderr).replaceAll('\n', ''))).toBeNull();
  expect(stdout.split('\n')).toHaveLength(4);
});

test(
  'a field of the check itself that is not what it should be is told in one sentence',
  { timeout: 30_000 },
  async () => {
    server.answer(says(goldenReport({ hops: 'none' })));
    const { code, stderr } = await diag([...one, '-o', 'html', '--server', server.url]);
    expect(stderr).not.toMatch(/TypeError|\.ts:\d/);
    expect([0, 5]).toContain(code);
  },
);

test('a file gets every byte of an export', { timeout: 30_000 }, async () => {
  server.answer(says(evil));
  const out = join(folder, 'export.md');
  writeFileSync(out, '');
  await diag(['export', 'a', '--format', 'md', '--out', out, '--server', server.url]);
  expect(readFileSync(out, 'utf8')).toBe(evil);
});
