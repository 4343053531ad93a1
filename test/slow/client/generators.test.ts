import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'rolldown';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeToken } from '#shared/stores/tokens/make-token';
import { openService, type Service } from '../../api/kit.ts';
import { generators, hasGenerators } from '../../kit/generators.ts';

// Each generator reads the document that the service serves; its client compiles in a strict project, and asks the service.

const url = 'http://good.test/';
const folder = mkdtempSync(join(tmpdir(), 'diag-generators-'));
const run = promisify(execFile);
let service: Service;
let server: string;
let document: string;

beforeAll(async () => {
  service = await openService({
    sites: { 'http://good.test': (_request, response) => void response.end('<p>good') },
  });
  server = `http://127.0.0.1:${service.port}`;
  document = join(folder, 'openapi.json');
  writeFileSync(document, await (await fetch(`${server}/openapi.json`)).text());
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

/** What each is called with; it writes into `made`. */
const commands = {
  'openapi-typescript': (made: string) => [document, '-o', join(made, 'schema.ts')],
  'hey-api': (made: string) => ['-i', document, '-o', made, '-c', '@hey-api/client-fetch'],
  orval: (made: string) => ['--input', document, '--output', join(made, 'client.ts'), '--client', 'fetch'],
  'swagger-typescript-api': (made: string) => ['generate', '-p', document, '-o', made, '-n', 'api.ts'],
};
const programs: Partial<Record<string, string>> = { 'hey-api': 'openapi-ts' };

const compilerOptions = {
  strict: true,
  noUncheckedIndexedAccess: true,
  target: 'esnext',
  lib: ['esnext', 'dom', 'dom.iterable'],
  types: [],
  module: 'nodenext',
  moduleResolution: 'nodenext',
  noEmit: true,
  allowImportingTsExtensions: true,
};

/** A project with the generated client and the program that uses it. */
function makeProject(name: string): string {
  const project = join(folder, name);
  mkdirSync(project);
  for (const [from, to] of [
    [`programs/${name}.ts`, 'program.ts'],
    ['programs/globals.d.ts', 'globals.d.ts'],
  ] as const)
    copyFileSync(join(generators, from), join(project, to));
  symlinkSync(join(generators, 'node_modules'), join(project, 'node_modules'));
  writeFileSync(join(project, 'package.json'), '{"private":true,"type":"module"}');
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['.'] }));
  return project;
}

async function drawToken(): Promise<string> {
  const wish = { name: 'generated', scopes: ['tools'] as const, limits: {}, expiresAt: null };
  const { text, token } = makeToken(wish, Date.now());
  await service.backend.tokenStore.insert(token);
  return text;
}

/** Bundles the program, and runs it as a process of its own. @returns what it told */
async function runProgram(project: string): Promise<unknown> {
  const given = { server, url, token: await drawToken() };
  const names = Object.entries(given).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  await build({
    cwd: project,
    input: 'program.ts',
    platform: 'node',
    logLevel: 'silent',
    output: {
      file: join(project, 'bundle.mjs'),
      banner: `const ${names.join(', ')}, told = {};`,
      footer: 'console.log(JSON.stringify(told));',
    },
  });
  return JSON.parse((await run(process.execPath, ['bundle.mjs'], { cwd: project })).stdout);
}

describe.skipIf(!hasGenerators)('a client that a generator makes of the OpenAPI document', () => {
  test.for(Object.entries(commands))(
    'by %s compiles strictly and asks the service',
    async ([name, argsOf]) => {
      const project = makeProject(name);
      const bin = (program: string) => join(project, 'node_modules/.bin', program);
      const options = { cwd: project, maxBuffer: 1e8 };
      await run(process.execPath, [bin(programs[name] ?? name), ...argsOf(join(project, 'made'))], options);
      const compiled = await run(process.execPath, [bin('tsc'), '-p', '.'], options).catch(
        (error: unknown) => error,
      );
      expect(compiled).toMatchObject({ stdout: '', stderr: '' });
      expect(await runProgram(project)).toEqual({
        report: { state: expect.stringMatching(/^(?:complete|partial)$/), hops: 1 },
        problem: { status: 400, code: 'invalid_request' },
        batch: 1,
      });
    },
  );
});
