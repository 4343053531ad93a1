import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService } from '../../kit/service-process.ts';
import { openLab } from '../kit/lab.ts';

// npm unpacks some 300 packages, on a machine that may be busy.
const installWithinMs = 400_000;
const folder = mkdtempSync(join(tmpdir(), 'diag-install-'));
const lab = await openLab({
  sites: { 'http://good.test': (_request, response) => void response.end('good') },
});
afterAll(async () => {
  await lab.close();
  rmSync(folder, { recursive: true });
});

const environment = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '' };
const packageFolder = join(folder, 'node_modules/diagnostic-tools');

async function run(program: string, args: readonly string[]): Promise<string> {
  const env = { ...environment, ...lab.settings() };
  return (await promisify(execFile)(program, args, { cwd: folder, env, maxBuffer: 1e8 })).stdout;
}

/** npm asks a registry, which has the authority of this machine and not that of the lab. */
async function runNpm(args: readonly string[], cwd = folder): Promise<void> {
  await promisify(execFile)('npm', args, { cwd, maxBuffer: 1e8 });
}

beforeAll(async () => {
  await runNpm(['pack', '--pack-destination', folder], process.cwd());
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '';
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  await runNpm(['install', '--prefer-offline', '--no-audit', '--no-fund', `./${tarball}`]);
}, installWithinMs);

test('packing leaves nothing behind in the clone', () => {
  expect(existsSync('dist')).toBe(false);
});

test('an installed diag checks from this machine', async () => {
  const args = ['--no', '--', 'diag', 'redirect-check', 'http://good.test/', '--local', '-o', 'json'];
  expect(JSON.parse(await run('npx', args))).toMatchObject({ check: 'redirect-check', state: 'complete' });
});

test('an installed diag serves, and the installed client asks it', async () => {
  const diag = join(folder, 'node_modules/.bin/diag');
  const settings = lab.settings({ LOG_LEVEL: 'info' });
  const service = await startService({ program: diag, args: ['serve'], environment: settings });
  writeFileSync(
    join(folder, 'ask.js'),
    `import { openDiagnostics } from 'diagnostic-tools/client';
const client = openDiagnostics({ server: '${service.url}' });
console.log((await client.redirectCheck('http://good.test/')).state);
`,
  );
  expect(await run('node', ['ask.js'])).toBe('complete\n');
  service.kill('SIGTERM');
  expect(await service.closed).toBe(0);
});

test('the types of the installed client hold in a project of its own', async () => {
  writeFileSync(
    join(folder, 'typed.ts'),
    `import { openDiagnostics } from 'diagnostic-tools/client';
const client = openDiagnostics({ server: 'http://127.0.0.1' });
export const selectors = async () => (await client.dnsCheck('a.test', { dkimSelector: ['a'] })).score satisfies number | null;
// @ts-expect-error there is no such tool
client.nosuch;
`,
  );
  const options = [
    '--noEmit',
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'esnext',
    '--lib',
    'esnext,dom',
  ];
  const tsc = join(process.cwd(), 'node_modules/.bin/tsc');
  await expect(run(tsc, [...options, '--types', '', 'typed.ts'])).resolves.toBe('');
});

test('the client needs nothing, and is small', async () => {
  const client = join(packageFolder, 'dist/client');
  const names = readdirSync(client).filter((name) => name.endsWith('.js'));
  const texts = await Promise.all(names.map((name) => readFile(join(client, name), 'utf8')));
  const imported = texts.flatMap((text) =>
    [...text.matchAll(/from '([^'.][^']*)'/g)].map(([, name]) => name),
  );
  // Only the cache in a folder, which browsers never load.
  expect(new Set(imported)).toEqual(new Set(['node:crypto', 'node:fs/promises', 'node:path']));
  const gzipBytes = gzipSync(texts.join('')).length;
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '';
  const tarballBytes = (await stat(join(folder, tarball))).size;
  console.log({ gzipBytes, tarballBytes });
  expect(gzipBytes).toBeLessThan(13_000);
  expect(tarballBytes).toBeLessThan(1_100_000);
});
