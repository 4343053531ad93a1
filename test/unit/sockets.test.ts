import { execFile } from 'node:child_process';
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';

// Sockets are denied by default: what could open one is planted in every folder, and the linter has to refuse each.

const modules = ['net', 'tls', 'dgram', 'dns', 'dns/promises', 'http', 'https', 'http2'].flatMap((name) => [
  `node:${name}`,
  name,
]);
const libraries = ['got', 'undici', 'ws', 'ioredis'];
const globals = ['fetch', 'WebSocket', 'EventSource'];

/** Ways to a socket, each the text of a file. */
const plants = [
  ...[...modules, ...libraries].map(
    (name) => `import * as opened from '${name}';\nexport const a = opened;\n`,
  ),
  ...globals.map((name) => `export const a = ${name};\n`),
  ...globals.map((name) => `export const a = globalThis.${name};\n`),
  `export const a = process.getBuiltinModule('node:net');\n`,
];
const folders = [
  ...new Set(globSync('{shared,api,worker,client,cli}/**/*.ts').map((file) => dirname(file))),
].filter((folder) => !/^worker\/probes(\/|$)/.test(folder) && folder !== 'api/pages/web');

const planted = mkdtempSync(join(tmpdir(), 'diag-sockets-'));
afterAll(() => rmSync(planted, { recursive: true }));

type Refusal = { readonly filename: string; readonly code?: string };

test(`${plants.length} ways to a socket are refused in each folder`, async () => {
  cpSync('.oxlintrc.json', join(planted, '.oxlintrc.json'));
  cpSync('lint', join(planted, 'lint'), { recursive: true });
  const files = folders.flatMap((folder) => {
    mkdirSync(join(planted, folder), { recursive: true });
    return plants.map((text, at) => {
      const file = join(folder, `planted-${at}.ts`);
      writeFileSync(join(planted, file), text);
      return file;
    });
  });
  const oxlint = join(process.cwd(), 'node_modules/oxlint/bin/oxlint');
  const ran = promisify(execFile)(process.execPath, [oxlint, '--format=json'], {
    cwd: planted,
    maxBuffer: 64e6,
  });
  const { stdout } = await ran.catch((error: { readonly stdout: string }) => error);
  const { diagnostics } = JSON.parse(stdout) as { readonly diagnostics: readonly Refusal[] };
  const refused = new Set(
    diagnostics.filter(({ code }) => code?.includes('no-restricted')).map(({ filename }) => filename),
  );
  expect(files.filter((file) => !refused.has(file))).toEqual([]);
});

test('no module that opens sockets is loaded by a name that the linter does not read', () => {
  const names = [...modules, ...libraries].join('|');
  const loads = new RegExp(String.raw`(?:\bimport|\brequire|getBuiltinModule)\(\s*['"\`](?:${names})['"\`]`);
  const wrong = globSync('{shared,api,worker,client,cli}/**/*.{ts,js}')
    .filter((file) => !file.startsWith('worker/probes/') && file !== 'cli/diag.js')
    .filter((file) => loads.test(readFileSync(file, 'utf8')));
  expect(wrong).toEqual([]);
});
