import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startService } from '../../kit/service-process.ts';
import { openLab } from '../kit/lab.ts';

/** A list in a file of its own. */
function listOf(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'diag-deny-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'list');
  writeFileSync(path, text);
  return path;
}

test('a list with a bad line ends the start with 78, and says which line', () => {
  const env = {
    PATH: process.env['PATH'] ?? '',
    TARGET_DENY_NAMES_FILE: listOf('a.example\nhttps://b.example/\n'),
  };
  const { status, stderr } = spawnSync(process.execPath, ['cli/diag.js', 'serve'], { env, encoding: 'utf8' });
  expect([status, stderr]).toEqual([78, expect.stringMatching(/TARGET_DENY_NAMES_FILE: line 2: /)]);
});

test('a list that is spoilt later leaves the last good one in force: degraded, one error, and well again with it', async () => {
  const path = listOf('denied.test\n');
  const lab = await openLab({ sites: { 'http://a.test': (_request, response) => void response.end('a') } });
  const service = await startService({
    program: process.execPath,
    args: ['cli/diag.js', 'serve'],
    environment: lab.settings({ TARGET_DENY_NAMES_FILE: path, LOG_LEVEL: 'info' }),
  });
  onTestFinished(async () => {
    service.kill('SIGKILL');
    await lab.close();
  });
  const readyz = async () => (await (await fetch(`${service.adminUrl}/readyz`)).json()) as object;
  const statusOf = async (host: string) =>
    (await fetch(`${service.url}/api/tools/redirect-check?url=${encodeURIComponent(`http://${host}/`)}`))
      .status;
  await expect.poll(readyz, { timeout: 20_000 }).toMatchObject({ status: 'ready' });
  writeFileSync(path, '');
  await expect.poll(readyz, { timeout: 20_000 }).toMatchObject({
    status: 'degraded',
    degraded: { denied: expect.stringContaining('empty file') as unknown },
  });
  expect([await statusOf('denied.test'), await statusOf('a.test')]).toEqual([422, 200]);
  const told = () => service.lines.filter((line) => line.includes('could not reload the deny list'));
  await expect.poll(() => told().length, { timeout: 20_000 }).toBe(1);
  writeFileSync(path, 'a.test\n');
  await expect.poll(readyz, { timeout: 20_000 }).toMatchObject({ status: 'ready' });
  await expect.poll(() => statusOf('a.test'), { timeout: 20_000 }).toBe(422);
  expect(told()).toHaveLength(1);
}, 120_000);
