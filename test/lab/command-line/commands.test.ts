import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { catalogue } from '#shared/catalogue/registry';
import { openLab } from '../kit/lab.ts';

const folder = mkdtempSync(join(tmpdir(), 'diag-'));
let isMended = false;
const mended: RequestListener = (_request, response) => {
  response.setHeader('Content-Type', 'text/html');
  if (isMended) response.setHeader('X-Content-Type-Options', 'nosniff');
  response.end('<!doctype html><title>a</title><p>page');
};
const lab = await openLab({
  sites: {
    'http://good.test': (_request, response) => void response.end('good'),
    'http://mended.test': (request, response) => mended(request, response),
    'https://mended.test': (request, response) => mended(request, response),
  },
});
afterAll(async () => {
  await lab.close();
  rmSync(folder, { recursive: true });
});

type Ended = { readonly code: number; readonly stdout: string; readonly stderr: string };

/** Runs a command of diag beside the lab. */
async function diag(
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const env = { PATH: process.env['PATH'] ?? '', ...lab.settings({ DATA_DIR: folder, ...settings }) };
  try {
    return { ...(await promisify(execFile)(process.execPath, ['cli/diag.js', ...args], { env })), code: 0 };
  } catch (error) {
    return error as Ended;
  }
}

/** A file with this text. */
function fileOf(name: string, content: object | null | string): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const site = 'http://good.test/';
const emptyOf = (check: string) => ({
  v: 1,
  check,
  target: 'good.test',
  options: {},
  reportId: null,
  checkedAtMs: 0,
  durationMs: 0,
  freshForS: null,
  keepForS: null,
  evidence: {},
});

test.for([
  ['a file of evidence that is not there', ['assess', '/nonexistent'], /\/nonexistent/],
  ['a folder in its place', ['assess', folder], /directory/],
  ['a file that is no JSON', ['assess', fileOf('text', 'hello')], /not a file of evidence/],
  ['a file without anything', ['assess', fileOf('null', null)], /not a file of evidence/],
  ['evidence of an unknown check', ['assess', fileOf('unknown', emptyOf('nosuch'))], /no check "nosuch"/],
  [
    'evidence without what its report says of the run',
    ['assess', fileOf('bare', { v: 1, check: 'redirect-check', evidence: {} })],
    /not a file of evidence of redirect-check/,
  ],
  [
    'a place for evidence that is not there',
    ['redirect-check', site, '--local', '--evidence', '/nonexistent/x'],
    /--evidence: .*\/nonexistent/,
  ],
  ['a folder in its place', ['redirect-check', site, '--local', '--evidence', folder], /--evidence: /],
  ['no target', ['redirect-check'], /Name a target/],
  ['an empty target', ['dns-check', 'good.test', ''], /A target is empty/],
  ['an empty target beside stdin', ['dns-check', ' ', '-f', '-'], /A target is empty/],
  ['an empty target of a watch', ['watch', 'create', 'dns-check', '', '--every', '1d'], /A target is empty/],
  ['evidence without --local', ['redirect-check', site, '--evidence', 'x'], /--local/],
  ['two wishes of freshness', ['redirect-check', site, '--fresh', '--cached-only'], /Give one of/],
  ['an account that is not there', ['token', 'create', '--name', 'x', '--account', 'nosuch'], /no account/],
  ['an empty name', ['token', 'create', '--name', ''], /--name/],
  ['a blank name', ['token', 'create', '--name', ' '], /--name/],
  ['a line break in the name', ['token', 'create', '--name', 'a\nb'], /--name/],
] as const)('%s: exit status 2, one line on stderr, nothing on stdout', async ([, args, why]) => {
  const { code, stdout, stderr } = await diag(args);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(why);
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
});

test.for(catalogue.map(({ name }) => name))('empty evidence is none of %s', async (check) => {
  const { code, stdout, stderr } = await diag(['assess', fileOf(`empty-${check}`, emptyOf(check))]);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(`not a file of evidence of ${check}`);
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
});

test('a domain needs no command: its health is checked, with the options of that check', async () => {
  const { code, stdout } = await diag(['good.test', '--parts', 'dns', '--local', '-o', 'json']);
  expect([code, JSON.parse(stdout)]).toEqual([
    0,
    expect.objectContaining({
      check: 'domain-health',
      target: expect.objectContaining({ domain: 'good.test' }),
    }),
  ]);
});

test('a misspelt command is no target', async () => {
  const { code, stderr } = await diag(['dns-chek', 'good.test']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('Did you mean dns-check?')]);
});

test('the help has the commands in groups', async () => {
  const { stdout } = await diag(['--help']);
  expect(stdout.match(/^[A-Z][a-z ]+:$/gm)).toEqual([
    'Options:',
    'Check:',
    'Lists and schedules:',
    'Stored reports:',
    'Service:',
    'Operate:',
    'Examples:',
  ]);
});

test.for([
  ['domain-health', '--parts', 'tsl', 'dns, ssl, headers, performance, mail'],
  ['pagespeed-check', '--category', 'sea', 'performance, accessibility, best-practices, seo'],
] as const)('%s %s: its help names the choices, and so does the refusal of another', async (row) => {
  const [check, option, wrong, choices] = row;
  expect((await diag([check, '--help'])).stdout.replaceAll(/\s+/g, ' ')).toContain(choices);
  const { code, stdout, stderr } = await diag([check, 'good.test', option, wrong]);
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(choices)]);
});

test('a table has the line to paste, alone on its line', async () => {
  const { stdout } = await diag(['security-header-check', site, '--local']);
  expect(stdout).toMatch(/\n    nginx:\n    # [^\n]+\n    return 301 https:\/\/\$host\$request_uri;\n/);
});

test('evidence is refused before the run, and leaves nothing behind', async () => {
  const before = lab.dns.questions.length;
  await diag(['redirect-check', site, '--local', '--evidence', '/nonexistent/x']);
  expect(lab.dns.questions.length).toBe(before);
  expect((await diag(['token', 'list', '-o', 'json'])).stdout).toBe('[]\n');
});

test('a run keeps its evidence, which gives the same report', async () => {
  const path = join(folder, 'kept.json');
  const run = await diag(['redirect-check', site, '--local', '--evidence', path]);
  expect(run).toMatchObject({ code: 0, stderr: '' });
  expect(existsSync(path)).toBe(true);
  expect((await diag(['assess', path])).stdout).toBe(run.stdout);
});

test('a report is printed also where its evidence cannot be written at last', async () => {
  const full = ['redirect-check', site, '--local', '--evidence', '/dev/full'];
  const { code, stdout, stderr } = await diag(full);
  expect(JSON.parse(stdout)).toMatchObject({ check: 'redirect-check' });
  expect(stderr).toMatch(/^--evidence: ENOSPC.*\n$/);
  expect(code).toBe(2);
});

test('a token shares the account of another', async () => {
  const first = JSON.parse((await diag(['token', 'create', '--name', 'one', '-o', 'json'])).stdout) as {
    account: string;
  };
  const second = await diag(['token', 'create', '--name', 'two', '--account', first.account, '-o', 'json']);
  expect(JSON.parse(second.stdout)).toMatchObject({ account: first.account });
});

test('no token is drawn that nobody could use', async () => {
  const args = ['token', 'create', '--name', 'x'];
  expect(await diag(args, { DATA_DIR: ':memory:' })).toMatchObject({ code: 2, stdout: '' });
});

test('a store that is away is one line and exit status 5', async () => {
  const pair = { REDIS_URL: 'redis://127.0.0.1:1', MONGODB_URL: 'mongodb://127.0.0.1:1' };
  const { code, stdout, stderr } = await diag(['token', 'list'], pair);
  expect([code, stdout]).toEqual([5, '']);
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
});

test('--version is that of the package', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect(await diag(['--version'])).toMatchObject({ code: 0, stdout: `${version}\n` });
});

test('--recheck says whether a finding is fixed, and each finding the command that asks it', async () => {
  const ask = () =>
    diag(['security-header-check', 'http://mended.test/', '--local', '--recheck', 'xcto-missing']);
  const first = await ask();
  expect(first.stdout).toContain('Still there: “X-Content-Type-Options is missing”.');
  expect(first.stdout).toContain(
    '  Then: diag security-header-check http://mended.test/ --recheck xcto-missing\n',
  );
  isMended = true;
  expect((await ask()).stdout).toContain('Fixed: “X-Content-Type-Options is missing” is not found any more.');
  const both = await diag(['dns-check', 'good.test', '--recheck', 'dnssec-unsigned', '--fresh']);
  expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('Give one of')]);
}, 60_000);
