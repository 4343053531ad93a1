import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { openService } from '../../api/kit.ts';
import { readYamlFile } from '../../kit/yaml.ts';

const answer = (_request: unknown, response: { end(text: string): void }) => response.end('page');
const service = await openService({
  sites: { 'http://good.test': answer, 'https://good.test': answer, 'http://other.test': answer },
  settings: { RATE_LIMIT: 'off' },
});
const folder = mkdtempSync(join(tmpdir(), 'diag-cookbook-'));
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

mkdirSync(join(folder, 'bin'));
command('diag', `exec '${process.execPath}' '${process.cwd()}/cli/diag.js' "$@"`);
command('mail', 'cat > mail.txt');
const environment = {
  PATH: `${folder}/bin:${process.env['PATH']}`,
  DIAG_SERVER: `http://127.0.0.1:${service.port}`,
};

function command(name: string, text: string): void {
  const path = join(folder, 'bin', name);
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
}

async function run(program: string, args: readonly string[], more: Readonly<Record<string, string>> = {}) {
  try {
    const env = { ...environment, ...more };
    return { code: 0, ...(await promisify(execFile)(program, args, { cwd: folder, env })) };
  } catch (error) {
    return error as { code: number; stdout: string; stderr: string };
  }
}

const blocks = [
  ...readFileSync('docs/cookbook.md', 'utf8').matchAll(/```(sh|python|ts)\n([\s\S]*?)```/g),
].map(([, language = '', text = '']) => ({ language, text }));
const client = join(process.cwd(), 'client/diagnostics.ts');
const programs: { readonly [language: string]: (text: string) => readonly [string, readonly string[]] } = {
  sh: (text) => ['bash', ['--norc', '-euo', 'pipefail', '-c', text]],
  python: (text) => ['python3', ['-c', text]],
  ts: (text) => {
    const path = join(folder, 'recipe.mts');
    writeFileSync(path, text.replace('diagnostic-tools-client', client));
    return [process.execPath, [path]];
  },
};

test('every recipe of the cookbook runs, in the order of the page', async () => {
  for (const { language, text } of blocks) {
    const [program, args] = programs[language]?.(text) ?? ['false', []];
    const { code, stderr } = await run(program, args);
    expect([text, code, stderr.includes('Error')]).toEqual([text, 0, false]);
  }
  expect(blocks.map(({ language }) => language)).toEqual([
    'sh',
    'sh',
    'sh',
    'ts',
    'sh',
    'python',
    'sh',
    'sh',
  ]);
  expect(readFileSync(join(folder, 'diag.prom'), 'utf8')).toMatch(
    /^diag_checked_timestamp_seconds\{domain="good.test"\} \d/m,
  );
  expect(readFileSync(join(folder, 'mail.txt'), 'utf8')).toContain('good.test');
  expect(readFileSync(join(folder, 'reports.ndjson'), 'utf8').trim().split('\n')).toHaveLength(2);
}, 120_000);

test('a scan of a list takes ten lines of TypeScript at most, and one of shell', () => {
  const lines = (language: string, word: string) =>
    blocks
      .find((block) => block.language === language && block.text.includes(word))
      ?.text.split('\n')
      .filter((line) => line.includes(word) || language === 'ts')
      .filter((line) => line.trim() !== '').length;
  expect(lines('ts', 'each')).toBeLessThanOrEqual(10);
  expect(lines('sh', '--resume')).toBe(1);
});

type Action = {
  readonly runs: { readonly steps: readonly { readonly id?: string; readonly run?: string }[] };
};

test.for([
  ['good targets', 'critical', 0],
  ['a threshold that is missed', 'info', 1],
] as const)(
  'the action with %s: its own script writes SARIF, JUnit and the summary',
  async ([, failOn, expected]) => {
    const [action] = readYamlFile('action.yml') as Action[];
    const script = action?.runs.steps.find(({ id }) => id === 'check')?.run ?? '';
    const output = join(folder, `output-${failOn}`);
    const summary = join(folder, `summary-${failOn}`);
    const { code } = await run('bash', ['--norc', '-eo', 'pipefail', '-c', script], {
      CHECK: 'redirect-check',
      TARGETS: 'http://good.test/\nhttp://other.test/',
      DIAG_TOKEN: '',
      FAIL_ON: failOn,
      RUNNER_TEMP: folder,
      GITHUB_ACTION_PATH: process.cwd(),
      GITHUB_OUTPUT: output,
      GITHUB_STEP_SUMMARY: summary,
    });
    expect(code).toBe(expected);
    const paths = Object.fromEntries(
      readFileSync(output, 'utf8')
        .trim()
        .split('\n')
        .map((line) => line.split('=') as [string, string]),
    ) as { sarif: string; junit: string };
    expect(JSON.parse(readFileSync(paths.sarif, 'utf8'))).toMatchObject({ version: '2.1.0', runs: [{}, {}] });
    expect(readFileSync(paths.junit, 'utf8').match(/<testsuite /g)).toHaveLength(2);
    expect(existsSync(summary) && readFileSync(summary, 'utf8')).toContain('good.test');
  },
);
