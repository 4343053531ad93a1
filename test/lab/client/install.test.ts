import { execFile } from 'node:child_process';
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'rolldown';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { makeOpenapi } from '../../../api/descriptions/document.ts';
import { startService } from '../../kit/service-process.ts';
import { openLab } from '../kit/lab.ts';

// What npm run pack leaves, as a user installs it: each package alone in an empty project.
// npm unpacks some 200 packages, on a machine that may be busy.
const installWithinMs = 400_000;
const folder = mkdtempSync(join(tmpdir(), 'diag-install-'));
const projects = { client: join(folder, 'client'), tool: join(folder, 'tool') };
const lab = await openLab({
  sites: {
    'http://good.test': (_request, response) =>
      void response.setHeader('content-type', 'text/html').end('<p>good'),
  },
});
afterAll(async () => {
  await lab.close();
  rmSync(folder, { recursive: true });
});

const environment = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '' };
type Project = keyof typeof projects;

async function run(project: Project, program: string, args: readonly string[]): Promise<string> {
  const env = { ...environment, ...lab.settings() };
  return (await promisify(execFile)(program, args, { cwd: projects[project], env, maxBuffer: 1e8 })).stdout;
}

/** Sizes of all files and folders, as `du --apparent-size` adds them up. */
function countBytes(path: string): number {
  const found = lstatSync(path);
  const within = found.isDirectory() ? readdirSync(path) : [];
  return within.reduce((sum, name) => sum + countBytes(join(path, name)), found.size);
}

beforeAll(async () => {
  await promisify(execFile)(process.execPath, ['cli/pack/main.ts', folder]);
  for (const [name, cwd] of Object.entries(projects)) {
    mkdirSync(cwd);
    writeFileSync(join(cwd, 'package.json'), '{"private":true,"type":"module"}');
    const args = ['install', '--prefer-offline', '--no-audit', '--no-fund', `../${name}.tgz`];
    await promisify(execFile)('npm', args, { cwd, maxBuffer: 1e8 });
  }
}, installWithinMs);

test('the OpenAPI document lies beside the packages', () => {
  expect(JSON.parse(readFileSync(join(folder, 'openapi.json'), 'utf8'))).toEqual(makeOpenapi());
});

test.for([
  ['client', 'diagnostic-tools-client', 100 * 1024],
  ['tool', 'diagnostic-tools', 60 * 1024 * 1024],
] as const)('npm i of the %s (%s) takes at most %i bytes, and runs no script', ([project, name, bytes]) => {
  const cwd = projects[project];
  const size = countBytes(join(cwd, 'node_modules', name));
  console.log({ project, size });
  expect(size).toBeLessThan(bytes);
  expect(readFileSync(join(cwd, 'package-lock.json'), 'utf8')).not.toContain('hasInstallScript');
  // All that the tool needs is in its own tarball: what overrides replace here comes back for nobody.
  const installed = readdirSync(join(cwd, 'node_modules')).filter((one) => !one.startsWith('.'));
  expect(installed).toEqual([name]);
});

test('an installed diag checks from this machine', { timeout: 300_000 }, async () => {
  const args = ['--no', '--', 'diag', 'redirect-check', 'http://good.test/', '--local', '-o', 'json'];
  expect(JSON.parse(await run('tool', 'npx', args))).toMatchObject({
    check: 'redirect-check',
    state: 'complete',
  });
});

test(
  'an installed diag serves with its documentation, and the installed client asks it',
  { timeout: 300_000 },
  async () => {
    const diag = join(projects.tool, 'node_modules/.bin/diag');
    const settings = lab.settings({ LOG_LEVEL: 'info' });
    const service = await startService({ program: diag, args: ['serve'], environment: settings });
    onTestFinished(() => service.kill('SIGKILL'));
    writeFileSync(
      join(projects.client, 'ask.js'),
      `import { openDiagnostics } from 'diagnostic-tools-client';
const client = openDiagnostics({ server: '${service.url}', cache: { folder: 'cache' } });
console.log((await client.redirectCheck('http://good.test/')).state);
`,
    );
    expect(await run('client', 'node', ['ask.js'])).toBe('complete\n');
    expect(readdirSync(join(projects.client, 'cache'))).toHaveLength(1);
    expect((await fetch(`${service.url}/docs`)).status).toBe(200);
    service.kill('SIGTERM');
    expect(await service.closed).toBe(0);
  },
);

test('the types of the installed client hold in a project of its own', async () => {
  writeFileSync(
    join(projects.client, 'typed.ts'),
    `import { openDiagnostics } from 'diagnostic-tools-client';
const client = openDiagnostics({ server: 'http://127.0.0.1' });
export const selectors = async () => (await client.dnsCheck('a.test', { dkimSelector: ['a'] })).score satisfies number | null;
// @ts-expect-error there is no such tool
client.nosuch;
`,
  );
  const strict = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'esnext'];
  const tsc = join(process.cwd(), 'node_modules/.bin/tsc');
  const typed = run('client', tsc, [...strict, '--lib', 'esnext,dom', '--types', '', 'typed.ts']);
  await expect(typed).resolves.toBe('');
});

test.for(['browser', 'neutral', 'node'] as const)(
  'a bundle of the client for a %s platform is one file, and loads nothing',
  async (platform) => {
    writeFileSync(
      join(projects.client, 'page.js'),
      `import { openDiagnostics } from 'diagnostic-tools-client';
globalThis.client = openDiagnostics({ server: location.origin });
`,
    );
    const { output } = await build({
      cwd: projects.client,
      input: 'page.js',
      platform,
      write: false,
      output: { file: 'bundle.js', format: 'esm', minify: true },
    });
    const [{ code }, ...others] = output;
    expect(others).toEqual([]);
    expect(code).not.toMatch(/\bimport\b|\brequire\(/);
    expect(Buffer.byteLength(code)).toBeLessThan(22_000);
  },
);
