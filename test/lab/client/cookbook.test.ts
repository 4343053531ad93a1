import { execFile } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, expect, test } from 'vitest';
import { makeToken } from '#shared/stores/tokens/make-token';
import { openService } from '../../api/kit.ts';
import { findProgram } from '../../kit/programs.ts';
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

// The service of these examples is the reader's own; here it is the test's.
const examples = [
  'README.md',
  'client/README.md',
  'docs/client.md',
  'docs/batches.md',
  'docs/watches.md',
].flatMap((path) =>
  [...readFileSync(path, 'utf8').matchAll(/^ *```(sh|ts)\n([\s\S]*?)```/gm)]
    .filter(([, language, text = '']) => language === 'ts' || text.startsWith('curl -H'))
    .map(([, language = '', text = '']) => ({
      path,
      language,
      text: text
        .replace('http://127.0.0.1:3000', environment.DIAG_SERVER)
        .replace('curl', 'curl -sS --fail-with-body'),
    })),
);

test('every example of the other pages runs', async () => {
  const wish = { name: 'examples', scopes: ['tools', 'watch'] as const, limits: {}, expiresAt: null };
  const { text: TOKEN, token } = makeToken(wish, Date.now());
  await service.backend.tokenStore.insert(token);
  for (const { path, language, text } of examples) {
    const [program, args] = programs[language]?.(text) ?? ['false', []];
    const { code, stdout, stderr } = await run(program, args, { TOKEN });
    expect([path, text, code, stderr, code === 0 ? '' : stdout]).toEqual([path, text, 0, '', '']);
  }
  expect(examples.map(({ path }) => path)).toEqual([
    'README.md',
    'client/README.md',
    'docs/client.md',
    'docs/client.md',
    'docs/batches.md',
    'docs/watches.md',
  ]);
}, 60_000);

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

const documents = [...readFileSync('docs/cookbook.md', 'utf8').matchAll(/```yaml\n([\s\S]*?)```/g)].map(
  ([, text = '']) => text,
);
const yamlWith = (word: string) => documents.find((text) => text.includes(word)) ?? '';
/** The lines of a block below a key, as the shell gets them. */
const commandsIn = (text: string) =>
  [...text.matchAll(/^ +(?:- |entry: )((?:npm|npx) .+)$/gm)].map(([, line = '']) => line);

test.for([
  ['GitLab', 'artifacts:', 2],
  ['pre-commit', 'language: system', 1],
] as const)('the commands of the recipe for %s run', async ([, word, count]) => {
  // An installed package is there by its install step; npx finds it, and fetches nothing.
  command('npm', '[ "$1" = install ] || exit 99');
  command('npx', '[ "$1 $2 $3" = "--no -- diag" ] || exit 99\nshift 3\nexec diag "$@"');
  writeFileSync(join(folder, 'urls.txt'), 'http://good.test/\nhttp://other.test/\n');
  const lines = commandsIn(yamlWith(word));
  expect(lines).toHaveLength(count);
  for (const line of lines) {
    const { code } = await run('bash', ['--norc', '-eo', 'pipefail', '-c', line], service.lab.settings());
    // 1: the threshold is missed, as these targets have no HTTPS.
    expect([line, [0, 1].includes(code)]).toEqual([line, true]);
  }
});

test('a program that runs agents starts the recipe for one', async () => {
  command('npx', '[ "$1 $2 $3" = "--no -- diag" ] || exit 99\nshift 3\nexec diag "$@"');
  const [, text = ''] = /```json\n([\s\S]*?)```/.exec(readFileSync('docs/cookbook.md', 'utf8')) ?? [];
  type Servers = { mcpServers: { diag: { command: string; args: string[] } } };
  const { diag } = (JSON.parse(text.replace('https://diag.example', environment.DIAG_SERVER)) as Servers)
    .mcpServers;
  const agent = new Client({ name: 'test', version: '1' });
  await agent.connect(new StdioClientTransport({ ...diag, env: environment, cwd: folder }), {
    timeout: 60_000,
  });
  const asked = { name: 'redirect-check', arguments: { url: 'http://good.test/' } };
  expect(JSON.stringify(await agent.callTool(asked, { timeout: 60_000 }))).toContain('http://good.test/');
  await agent.close();
});

const promtool = findProgram('promtool');

test.runIf(promtool)('Prometheus takes the configuration and the alerts of the recipe', async () => {
  writeFileSync(join(folder, 'prometheus.yml'), yamlWith('scrape_configs:'));
  writeFileSync(join(folder, 'alerts.yml'), yamlWith('groups:'));
  expect((await run(promtool ?? '', ['check', 'config', 'prometheus.yml'])).code).toBe(0);
  expect((await run(promtool ?? '', ['check', 'rules', 'alerts.yml'])).code).toBe(0);
});

test('nobody is told to run the stranger that npm has under the name diag', () => {
  for (const path of [...globSync('{docs,client}/**/*.md'), 'README.md', 'action.yml', 'CONTRIBUTING.md'])
    expect([path, /npx (?:-y |--yes )?diag\b/.test(readFileSync(path, 'utf8'))]).toEqual([path, false]);
});

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
