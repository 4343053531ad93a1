import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { openService } from '../../api/kit.ts';
import { openFaultyProxy, problem } from '../client/faulty-proxy.ts';
import { diag, startDiag } from './kit.ts';

const visits = new Map<string, number>();
const hosts = Array.from({ length: 60 }, (_, index) => `host${index}.test`);
const sites = Object.fromEntries(
  hosts.map((host) => [
    `http://${host}`,
    (_request: unknown, response: { end(text: string): void }) => {
      visits.set(host, (visits.get(host) ?? 0) + 1);
      // Slow enough that a batch has targets under way when it is killed.
      setTimeout(() => response.end('page'), 50);
    },
  ]),
);
const service = await openService({ sites, settings: { LIMIT_ANON_SCANS: '50/2' } });
const proxy = await openFaultyProxy(service.port);
const folder = mkdtempSync(join(tmpdir(), 'diag-batch-'));
const environment = { DIAG_SERVER: proxy.url };
afterAll(async () => {
  await proxy.stop();
  await service.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => visits.clear());

function fileOf(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

function urlsOf(path: string): string[] {
  return hosts.map((host) => `http://${host}/${path}`);
}

const targetsIn = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { target: { url: string } }).target.url)
    .sort();

test('a batch that is killed goes on where it was: no target is asked twice, none is lost', async () => {
  const list = fileOf('kill.txt', urlsOf('kill').join('\n'));
  const state = join(folder, 'kill.ndjson');
  const args = ['redirect-check', '-f', list, '-o', 'ndjson', '--resume', state, '--concurrency', '4'];
  const first = startDiag(args, { environment });
  await expect.poll(() => first.lines.length).toBeGreaterThan(10);
  first.child.kill('SIGKILL');
  expect((await first.ended).code).toBeNull();
  expect(first.lines.length).toBeLessThan(hosts.length);
  // As a kill within a write leaves it.
  writeFileSync(state, `${readFileSync(state, 'utf8')}{"target":"http://ho`);
  const second = await diag(args, { environment });
  expect([second.code, targetsIn(second.stdout)]).toEqual([0, urlsOf('kill').sort()]);
  expect(hosts.map((host) => visits.get(host))).toEqual(hosts.map(() => 1));
  const sent = proxy.seen.length;
  const third = await diag(args, { environment });
  expect(targetsIn(third.stdout)).toEqual(urlsOf('kill').sort());
  // A run that is done only asks for its limits.
  expect(proxy.seen.slice(sent)).toEqual(['GET /api/me']);
});

test('a state of other questions is refused', async () => {
  const state = join(folder, 'other.ndjson');
  const ask = (check: string, target: string) => diag([check, target, '--resume', state], { environment });
  expect((await ask('redirect-check', 'http://host0.test/state')).code).toBe(0);
  const { code, stderr } = await ask('dns-check', 'host0.test');
  expect([code, stderr]).toEqual([2, expect.stringContaining('is not the state of a run of dns-check')]);
});

test('a list as people keep it: CSV, Windows line ends, comments, names for URLs, IDN, doubles, a bad line', async () => {
  const text =
    '\ufeffdomain,owner\r\n# ours\r\n\r\nhttp://host1.test/list,me\r\n"http://host2.test/list","you"\r\nhttp://host1.test/list\r\nno url\r\nhttp://bücher.test/\r\n';
  const list = fileOf('list.csv', text);
  const { code, stdout, stderr } = await diag(['redirect-check', '-f', list, '-o', 'ndjson'], {
    environment,
  });
  expect(code).toBe(3);
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { target: unknown; problem?: { code: string } });
  expect(lines.map(({ target, problem: why }) => why?.code ?? target)).toEqual(
    expect.arrayContaining([
      { url: 'http://host1.test/list' },
      { url: 'http://host2.test/list' },
      'invalid_request',
      { url: 'http://xn--bcher-kva.test/' },
    ]),
  );
  expect(lines.length).toBe(4);
  expect(stderr).toContain('no url: url: "no url"');
  expect(stderr).toMatch(/4 targets .*\n1 unreachable, 1 not checked\n/);
});

test('a list from stdin, and a table without colours where there is no terminal', async () => {
  const input = 'host3.test\nhost4.test\n';
  const { code, stdout } = await diag(['dns-check', '-f', '-'], { environment, input });
  expect(code).toBe(0);
  expect(
    stdout
      .split('\n')
      .map((line) => line.slice(0, 10).trim())
      .sort(),
  ).toEqual(['', 'TARGET', 'host3.test', 'host4.test']);
  expect(stdout).not.toContain('\u001b');
});

test.for([
  ['json', (text: string) => (JSON.parse(text) as unknown[]).length, 2],
  ['sarif', (text: string) => (JSON.parse(text) as { runs: unknown[] }).runs.length, 2],
  ['junit', (text: string) => text.match(/<testsuite /g)?.length, 2],
  ['md', (text: string) => text.match(/^---$/gm)?.length, 1],
  ['csv', (text: string) => text.match(/"check","target"/g)?.length, 1],
  ['html', (text: string) => text.match(/<tr><td>/g)?.length, 2],
] as const)('%s of two targets is one document', async ([output, count, expected]) => {
  const urls = ['http://host5.test/form', 'http://host6.test/form'];
  const { code, stdout } = await diag(['redirect-check', ...urls, '-o', output, '-q'], { environment });
  expect([code, count(stdout)]).toEqual([0, expected]);
});

test.for([
  [
    'junit',
    /<testsuite name="redirect-check no url" [^>]*errors="1"[^>]*>\n *<testcase [^>]*><error message="url: [^"]+" type="invalid_request"\/>/,
  ],
  [
    'sarif',
    /"executionSuccessful":false,"toolExecutionNotifications":\[\{"descriptor":\{"id":"invalid_request"\},"level":"error","message":\{"text":"no url was not checked: /,
  ],
  ['md', /^# Redirects: `no url`\n\n\*\*Not checked:\*\* /m],
  ['csv', /"no url","","not checked"/],
  ['html', /<bdi>no url<\/bdi>/],
] as const)('%s of a list has the target that could not be checked', async ([output, told]) => {
  const urls = ['http://host5.test/form', 'no url'];
  const { code, stdout } = await diag(['redirect-check', ...urls, '-o', output, '-q'], { environment });
  expect(code).toBe(3);
  expect(stdout).toMatch(told);
});

test('a page over all targets, and thresholds as exit status', async () => {
  const page = join(folder, 'summary.html');
  const urls = ['http://host7.test/sum', 'http://host8.test/sum'];
  const run = await diag(['redirect-check', ...urls, '--summary', page, '--min-score', '100'], {
    environment,
  });
  expect(run.code).toBe(1);
  expect(readFileSync(page, 'utf8')).toMatch(
    new RegExp(`<a href="${proxy.url}/r/[0-9a-f]{32}"><bdi>http://host7.test/sum</bdi></a>`),
  );
  const [, shown = ''] = /href="([^"]+)"/.exec(readFileSync(page, 'utf8')) ?? [];
  expect((await fetch(shown, { headers: { accept: 'text/html' } })).status).toBe(200);
  const fine = await diag(['redirect-check', ...urls, '--fail-on', 'critical'], { environment });
  expect(fine.code).toBe(0);
});

test('a reader that goes away ends the run in silence', async () => {
  const list = fileOf('head.txt', urlsOf('head').join('\n'));
  const command = `${process.execPath} cli/diag.js redirect-check -f ${list} -o ndjson -q | head -1 | wc -l; echo "\${PIPESTATUS[0]}"`;
  const env = { PATH: process.env['PATH'] ?? '', ...environment };
  const { stdout, stderr } = await promisify(execFile)('bash', ['--norc', '-c', command], { env });
  expect([stdout, stderr]).toEqual(['1\n0\n', '']);
});

test.for([
  ['a server that is not there', { DIAG_SERVER: 'http://127.0.0.1:1' }, 5, /cannot be reached.*\nStart one/],
  ['a wrong token', { ...environment, DIAG_TOKEN: 'dtk_wrong' }, 4, /token/],
  ['an address that is none', { DIAG_SERVER: 'nowhere' }, 2, /--server/],
] as const)('%s has its own exit status', async ([, given, expected, why]) => {
  const { code, stdout, stderr } = await diag(['dns-check', 'host0.test'], { environment: given });
  expect([code, stdout]).toEqual([expected, '']);
  expect(stderr).toMatch(why);
});

test('a server that is not there is told as retried, unless -q', async () => {
  const gone = { environment: { DIAG_SERVER: 'http://127.0.0.1:1' } };
  const told = await diag(['dns-check', 'host0.test'], gone);
  expect(told.stderr.match(/retrying/g)).toHaveLength(1);
  expect((await diag(['dns-check', 'host0.test', '-q'], gone)).stderr).not.toContain('retrying');
});

test('a batch without a token says which setting has it, before anything is asked', async () => {
  const before = proxy.seen.length;
  const { code, stderr } = await diag(['dns-check', 'host0.test', '--batch'], { environment });
  expect([code, stderr]).toEqual([4, '--batch needs a token: set DIAG_TOKEN, or give --token-file.\n']);
  expect(proxy.seen.length).toBe(before);
});

test('a service that is full for a moment is asked again', async () => {
  proxy.inject(problem(503, 'overloaded', { 'Retry-After': '1' }));
  expect((await diag(['redirect-check', 'http://host9.test/full'], { environment })).code).toBe(0);
});

test('an interrupted run ends with 130, and its state goes on', async () => {
  const list = fileOf('int.txt', urlsOf('int').join('\n'));
  const state = join(folder, 'int.ndjson');
  const args = ['redirect-check', '-f', list, '-o', 'ndjson', '--resume', state, '--concurrency', '2'];
  const run = startDiag(args, { environment });
  await expect.poll(() => run.lines.length).toBeGreaterThan(5);
  run.child.kill('SIGINT');
  expect((await run.ended).code).toBe(130);
  expect(targetsIn((await diag(args, { environment })).stdout)).toEqual(urlsOf('int').sort());
});

test('without a service: every check, domain-health too, from this machine', async () => {
  const local = service.lab.settings();
  const args = ['domain-health', 'host10.test', '--local', '-o', 'json'];
  const { code, stdout } = await diag(args, { environment: local });
  expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ check: 'domain-health' })]);
});

test('rows stand in the order of the list, a target without a report has one, and lines of ndjson come as they end', async () => {
  const urls = ['http://host3.test/order', 'no url', 'http://host1.test/order', 'http://host2.test/order'];
  const list = fileOf('order.txt', urls.join('\n'));
  const { stdout } = await diag(['redirect-check', '-f', list, '-o', 'csv', '-q'], { environment });
  const [head = '', ...rows] = stdout.trim().split('\r\n');
  const at = head.split(',').indexOf('"target"');
  const targets = rows.map((row) => row.split(',')[at]?.replaceAll('"', ''));
  expect([...new Set(targets)]).toEqual(urls);
  expect(rows.find((row) => row.includes('no url'))).toContain('"not checked"');
});

test.for([
  {
    name: 'a value that the check does not take',
    args: ['pagespeed-check', 'http://host1.test/', '--runs', '9'],
    status: 2,
  },
  {
    name: 'another value',
    args: ['pagespeed-check', 'http://host1.test/', '--strategy', 'tablet'],
    status: 2,
  },
])('$name ends with $status before anything is asked', async ({ args, status }) => {
  const before = proxy.seen.length;
  expect((await diag(args, { environment })).code).toBe(status);
  expect(proxy.seen.length).toBe(before);
});

test('options are written in kebab-case, as their help says', async () => {
  const { stdout } = await diag(['dns-check', '--help'], { environment });
  expect(stdout).toContain('--dkim-selector <value>');
  expect(stdout).not.toContain('--dkimSelector');
});
