import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { makeToken } from '#shared/stores/tokens/make-token';
import { openService } from '../test/api/kit.ts';
import { findProgram } from '../test/kit/programs.ts';
import type { Section } from './section.ts';

/** Made-up requests and chains of them repeat until this time is over. */
const seconds = Number(process.env['SCHEMATHESIS_S'] ?? 240);
const seed = Number(process.env['SCHEMATHESIS_SEED'] ?? 1);
const settings = fileURLToPath(new URL('schemathesis/', import.meta.url));

/** Lets schemathesis ask a running service everything that its OpenAPI document allows and forbids. */
export async function bench(): Promise<Section> {
  // A lab's resolver knows no names: nothing of what is made up leaves the machine.
  const service = await openService({ settings: { RATE_LIMIT: 'off', WORKER_QUEUES: 'network', MCP: 'on' } });
  const wish = {
    name: 'schemathesis',
    scopes: ['tools', 'reports:read', 'watch'],
    limits: {},
    expiresAt: null,
  } as const;
  const { text: token, token: stored } = makeToken(wish, Date.now());
  await service.backend.tokenStore.insert(stored);
  const printed = await run(`http://127.0.0.1:${service.port}/openapi.json`, token);
  await service.close();
  console.log(printed);
  return {
    title: 'What schemathesis finds',
    about: `schemathesis asks a service that has no browser for ${seconds} s: examples, edge cases, made-up requests and chains of them, valid and invalid. \`bench/schemathesis/\` says which answers a valid request may get, and leaves out what OpenAPI cannot say: IDNA, and parameters that ask for each other or forbid each other.`,
    columns: ['what', 'figure'],
    rows: readPrinted(printed),
    limits: 'its time; another SCHEMATHESIS_SEED makes up other requests.',
  };
}

async function run(document: string, token: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'diag-schemathesis-'));
  const args = [
    ['--config-file', join(settings, 'schemathesis.toml'), 'run', document],
    ['--header', `Authorization: Bearer ${token}`, '--seed', String(seed), '--max-time', String(seconds)],
    ['--request-timeout', '70', '--continue-on-failure', '--no-shrink', '--no-color'],
    ['--max-examples', '40', '--report', 'ndjson', '--report-dir', folder],
  ].flat();
  const env = { ...process.env, SCHEMATHESIS_HOOKS: join(settings, 'hooks.py') };
  const program = findProgram('schemathesis') ?? 'schemathesis';
  try {
    // It ends with 1 where it has found something.
    const ended = promisify(execFile)(program, args, { cwd: folder, env, maxBuffer: 1e8 });
    return await ended.then(
      ({ stdout }) => stdout,
      (error: { stdout?: string }) => error.stdout ?? String(error),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function readPrinted(text: string): Section['rows'] {
  const version = /Schemathesis v(\S+)/.exec(text)?.[1];
  const selected = /Selected: (\d+)\//.exec(text)?.[1];
  const generated = /(\d+) generated/.exec(text)?.[1];
  if (!version || !selected || !generated)
    throw new Error(`schemathesis has not run: ${text.slice(0, 2000)}`);
  return [
    ['version', version],
    ['operations', selected],
    ['requests', generated],
    ['faults found', /={3,} FAILURES/.test(text) ? (/=+ (\d+) failures?/.exec(text)?.[1] ?? '?') : '0'],
  ];
}
