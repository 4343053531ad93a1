import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { startService } from '../../kit/service-process.ts';

const root = mkdtempSync(join(tmpdir(), 'diag-'));
afterAll(() => rmSync(root, { recursive: true }));

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
const modesIn = (folder: string) =>
  Object.fromEntries(
    readdirSync(folder)
      .sort()
      .map((name) => [name, modeOf(join(folder, name))]),
  );

/** Runs the service on this folder until it is ready, and gives the modes that it works with and its log. */
async function serveOn(folder: string) {
  const environment = { DATA_DIR: folder, PORT: '0', ADMIN_PORT: '0', WORKER_QUEUES: 'network' };
  const service = await startService({
    program: process.execPath,
    args: ['cli/diag.js', 'serve'],
    environment,
  });
  onTestFinished(() => service.kill('SIGKILL'));
  const seen = { folder: modeOf(folder), files: modesIn(folder) };
  service.kill('SIGTERM');
  expect(await service.closed).toBe(0);
  return { ...seen, lines: service.lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

const databases = ['access', 'batches', 'idempotency', 'reports', 'tokens', 'watches'];
const privateFiles = Object.fromEntries([
  ...databases.flatMap((name) => ['', '-shm', '-wal'].map((end) => [`${name}.sqlite${end}`, '600'])),
  ['lock.sqlite', '600'],
]);

test('the folder that the service makes, and all in it, is for its own user', async () => {
  const { folder, files, lines } = await serveOn(join(root, 'new'));
  expect({ folder, files }).toEqual({ folder: '700', files: privateFiles });
  expect(lines.filter(({ msg }) => String(msg).includes('DATA_DIR'))).toEqual([]);
});

test('a folder of an earlier version is closed, and one line of the log says so', async () => {
  const path = join(root, 'old');
  await serveOn(path);
  chmodSync(path, 0o755);
  for (const name of readdirSync(path)) chmodSync(join(path, name), 0o644);
  const { folder, files, lines } = await serveOn(path);
  expect({ folder, files }).toEqual({ folder: '700', files: privateFiles });
  expect(lines.filter(({ msg }) => String(msg).includes('DATA_DIR'))).toMatchObject([
    { folder: true, files: expect.arrayContaining(['reports.sqlite', 'tokens.sqlite']) as unknown },
  ]);
});

test('a folder that others use keeps its mode; the databases in it are closed', async () => {
  const path = join(root, 'shared');
  mkdirSync(path);
  chmodSync(path, 0o755);
  writeFileSync(join(path, 'notes.txt'), 'of somebody else');
  chmodSync(join(path, 'notes.txt'), 0o644);
  const { folder, files, lines } = await serveOn(path);
  expect({ folder, files }).toEqual({ folder: '755', files: { ...privateFiles, 'notes.txt': '644' } });
  expect(lines).toContainEqual(
    expect.objectContaining({ level: 40, msg: expect.stringContaining('others') as unknown }),
  );
});

test('diag token makes the folder for its own user, too', async () => {
  const path = join(root, 'token');
  await promisify(execFile)(process.execPath, ['cli/diag.js', 'token', 'list'], {
    env: { PATH: process.env['PATH'] ?? '', DATA_DIR: path },
  });
  expect({ folder: modeOf(path), files: modesIn(path) }).toEqual({
    folder: '700',
    files: expect.objectContaining({ 'tokens.sqlite': '600' }) as unknown,
  });
});
