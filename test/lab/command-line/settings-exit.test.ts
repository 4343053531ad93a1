import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'diag-'));
afterAll(() => rmSync(folder, { recursive: true }));

const taken = createServer().listen(0, '127.0.0.1');
await once(taken, 'listening');
const takenPort = String((taken.address() as AddressInfo).port);
afterAll(() => void taken.close());

/** Names a folder of its own, with something in it that should not be there. */
function folderWith(name: string, put: (path: string) => void): string {
  const own = join(folder, name);
  mkdirSync(own);
  put(own);
  return own;
}

function writeNewerSchema(path: string): void {
  const database = new DatabaseSync(join(path, 'reports.sqlite'));
  database.exec('PRAGMA user_version = 99');
  database.close();
}

const oddFolder = folderWith('odd', (path) => mkdirSync(join(path, 'reports.sqlite')));
const foreignFolder = folderWith('foreign', (path) =>
  writeFileSync(join(path, 'reports.sqlite'), 'x'.repeat(5000)),
);
const newerFolder = folderWith('newer', writeNewerSchema);

/** Runs a command of diag until it ends by itself; null where it does not within 10 s. */
async function run(args: readonly string[], settings: Readonly<Record<string, string>>) {
  const defaults = {
    PORT: '0',
    ADMIN_PORT: '0',
    DATA_DIR: ':memory:',
    WORKER_QUEUES: 'network',
    LOG_LEVEL: 'silent',
  };
  const child: ChildProcess = spawn(process.execPath, ['cli/diag.js', ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...defaults, ...settings },
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
  let stderr = '';
  child.stderr?.on('data', (bytes: Buffer) => {
    stderr += bytes.toString();
  });
  const [code] = (await once(child, 'close')) as [number | null];
  clearTimeout(timer);
  return { code, lines: stderr.trimEnd().split('\n') };
}

const unknownHost = 'nosuch.host.invalid';
const pair = { REDIS_URL: 'redis://127.0.0.1:1', MONGODB_URL: 'mongodb://127.0.0.1:1' };

test.for([
  ['HOST', 'has no address', { HOST: unknownHost }, /nosuch\.host\.invalid/],
  ['HOST', 'is of another machine', { HOST: '192.0.2.1' }, /192\.0\.2\.1/],
  ['ADMIN_HOST', 'has no address', { ADMIN_HOST: unknownHost }, /nosuch\.host\.invalid/],
  ['PORT', 'is taken', { PORT: takenPort }, /in use by another program\. Try PORT=\d+ npm start/],
  ['ADMIN_PORT', 'is taken', { ADMIN_PORT: takenPort }, /in use by another program\. Try ADMIN_PORT=\d+/],
  ['DATA_DIR', 'is where nothing can be made', { DATA_DIR: '/proc/nope' }, /cannot be made/],
  ['DATA_DIR', 'is below a file', { DATA_DIR: join(import.meta.filename, 'x') }, /no folder/],
  ['DATA_DIR', 'has a folder for a file', { DATA_DIR: oddFolder }, /reports\.sqlite/],
  ['DATA_DIR', 'has another file of this name', { DATA_DIR: foreignFolder }, /not a database/],
  ['DATA_DIR', 'is of a newer version', { DATA_DIR: newerFolder }, /newer version/],
  ['MONGODB_URL', 'has no such port', { ...pair, MONGODB_URL: 'mongodb://127.0.0.1:99999/' }, /./],
  [
    'MONGODB_URL',
    'has an unknown option',
    { ...pair, MONGODB_URL: 'mongodb://127.0.0.1:1/?nosuch=1' },
    /nosuch/,
  ],
  ['REDIS_URL', 'is none, nor is the other', { REDIS_URL: 'notaurl', MONGODB_URL: 'alsonot' }, /redis:/],
] as const)(
  'where %s %s, the process ends with 78 and a line that names it',
  async ([name, , settings, why]) => {
    const { code, lines } = await run(['serve'], settings);
    const named = lines.filter((line) => line.trimStart().startsWith(`${name}: `));
    expect(named.join()).toMatch(why);
    expect(named).toHaveLength(1);
    expect(lines.filter((line) => /^\s+at |node:internal/.test(line))).toEqual([]);
    expect(code).toBe(78);
  },
);

test.for([
  ['token', 'list'],
  ['evidence', '5f0c1e0b7a9d4c3e8b2a6d1f4e7c9a0b'],
])('diag %s names the folder that cannot be made, too', async (args) => {
  expect(await run(args, { DATA_DIR: '/proc/nope' })).toMatchObject({
    code: 78,
    lines: [expect.stringContaining('DATA_DIR')],
  });
});
