import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { openService } from './kit.ts';

const folder = mkdtempSync(join(tmpdir(), 'diag-'));
const service = await openService({ settings: { DATA_DIR: folder } });
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

/** Runs `diag token …` on the service's data. */
async function token(...args: string[]): Promise<{ stdout: string; stderr: string; code: number }> {
  const env = { PATH: process.env['PATH'] ?? '', DATA_DIR: folder };
  try {
    return {
      ...(await promisify(execFile)(process.execPath, ['cli/diag.js', 'token', ...args], { env })),
      code: 0,
    };
  } catch (error) {
    return error as { stdout: string; stderr: string; code: number };
  }
}

const me = async (text: string) => service.get('/api/me', { authorization: `Bearer ${text.trim()}` });

test('a token is drawn, used, rotated and revoked beside the running service, each at once', async () => {
  const { stdout: text, stderr } = await token(
    'create',
    '--name',
    'batch',
    '--scans',
    '7/60',
    '--expires',
    '90d',
  );
  expect(text).toMatch(/^dtk_[0-9A-Za-z]{36}\n$/);
  expect(stderr).toContain('not shown again');
  expect((await me(text)).body).toMatchObject({ name: 'batch', limits: { scans: { limit: 7 } } });
  const [listed] = JSON.parse((await token('list', '-o', 'json')).stdout) as {
    id: string;
    account: string;
  }[];
  expect(listed).toMatchObject({ name: 'batch', state: 'live', scopes: 'tools,reports:read' });
  expect((await token('list')).stdout).not.toContain(text.trim());

  const rotated = JSON.parse((await token('rotate', listed?.id ?? '', '-o', 'json')).stdout) as {
    id: string;
    token: string;
    account: string;
  };
  expect(rotated.account).toBe(listed?.account);
  expect((await me(text)).status).toBe(401);
  expect((await me(rotated.token)).status).toBe(200);

  const kept = await token('rotate', rotated.id, '--keep-for', '1h');
  expect((await me(rotated.token)).status).toBe(200);
  expect((await me(kept.stdout)).status).toBe(200);
  expect((await token('revoke', rotated.id)).code).toBe(0);
  expect((await me(rotated.token)).status).toBe(401);
});

test.for([
  ['scopes that are none', ['create', '--name', 'x', '--scopes', 'admin']],
  ['a limit that is none', ['create', '--name', 'x', '--requests', 'many']],
  ['an expiry that has passed', ['create', '--name', 'x', '--expires', '2020-01-01']],
  ['an id that is unknown', ['revoke', 'nobody']],
  ['no name', ['create']],
] as const)('%s: exit status 2, a word on stderr, nothing on stdout', async ([, args]) => {
  const { code, stdout, stderr } = await token(...args);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr.length).toBeGreaterThan(10);
});
