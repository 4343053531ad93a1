import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { makeToken } from '#shared/stores/tokens/make-token';
import { openService, type Service } from '../test/api/kit.ts';
import type { Section } from './section.ts';

const programs = fileURLToPath(new URL('generators/', import.meta.url));
const url = 'http://good.test/';

/** The steps from a document to an answer; each is a command, run in a folder that has `openapi.json`. */
type Steps = { readonly [step in 'generates' | 'compiles' | 'asks']: readonly string[] };

const generators: { readonly [name: string]: Steps } = {
  'openapi-python-client': {
    generates: [
      'openapi-python-client',
      'generate',
      '--path',
      'openapi.json',
      '--output-path',
      'made',
      '--meta',
      'none',
    ],
    compiles: ['python3', '-m', 'compileall', '-q', 'made'],
    asks: ['python3', 'main.py'],
  },
  'oapi-codegen': {
    generates: [
      'sh',
      '-c',
      'go mod init clients && mkdir made && oapi-codegen -generate types,client -package made -o made/made.go openapi.json && go mod tidy',
    ],
    compiles: ['go', 'build', '-o', 'ask', '.'],
    asks: ['./ask'],
  },
};

/** Lets generators of other languages make a client of the document that a service serves, and asks the service with it. */
export async function bench(): Promise<Section> {
  const service = await openService({
    sites: { 'http://good.test': (_request, response) => void response.end('<p>good') },
  });
  const rows: [string, string, string, string, string][] = [];
  try {
    const env = await settingsOf(service);
    for (const [name, steps] of Object.entries(generators)) rows.push([name, ...(await measure(steps, env))]);
  } finally {
    await service.close();
  }
  return {
    title: 'Clients in Python and Go',
    about:
      'Each generator reads the document that a service serves. Its client is compiled, and asks for a report, for a target that is refused, and for a batch. Four generators of TypeScript do the same in `npm test`.',
    columns: ['generator', 'generates', 'compiles', 'asks', 'what it got'],
    rows,
    limits: 'what the first steps download.',
  };
}

async function settingsOf(service: Service): Promise<Record<string, string>> {
  const wish = { name: 'generated', scopes: ['tools'] as const, limits: {}, expiresAt: null };
  const { text, token } = makeToken(wish, Date.now());
  await service.backend.tokenStore.insert(token);
  return { SERVER: `http://127.0.0.1:${service.port}`, TARGET_URL: url, TOKEN: text };
}

/** @returns how long each step took, or that it failed, and what the client got */
async function measure(
  steps: Steps,
  env: Readonly<Record<string, string>>,
): Promise<[string, string, string, string]> {
  const folder = mkdtempSync(join(tmpdir(), 'diag-generator-'));
  for (const file of ['main.py', 'main.go']) copyFileSync(join(programs, file), join(folder, file));
  writeFileSync(join(folder, 'openapi.json'), await (await fetch(`${env['SERVER']}/openapi.json`)).text());
  const run = async (step: keyof Steps): Promise<{ readonly told: string; readonly text: string }> => {
    const [program = '', ...args] = steps[step];
    const start = performance.now();
    const options = { cwd: folder, env: { ...process.env, ...env }, maxBuffer: 1e8 };
    try {
      const { stdout } = await promisify(execFile)(program, args, options);
      return { told: `${((performance.now() - start) / 1000).toFixed(1)} s`, text: stdout };
    } catch (error) {
      console.log(String(error));
      return { told: 'fails', text: '' };
    }
  };
  try {
    const generates = await run('generates');
    const compiles = await run('compiles');
    const asks = await run('asks');
    return [generates.told, compiles.told, asks.told, asks.text.trim()];
  } finally {
    rmSync(folder, { recursive: true });
  }
}
