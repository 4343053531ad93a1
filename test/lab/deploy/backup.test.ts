import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { startService } from '../../kit/service-process.ts';
import { openLab } from '../kit/lab.ts';

const root = mkdtempSync(join(tmpdir(), 'diag-'));
let requests = 0;
const lab = await openLab({
  sites: {
    'http://good.test': (_request, response) => {
      requests += 1;
      response.end('good');
    },
  },
});
afterAll(async () => {
  await lab.close();
  rmSync(root, { recursive: true });
});

async function serveOn(folder: string) {
  const service = await startService({
    program: process.execPath,
    args: ['cli/diag.js', 'serve'],
    environment: lab.settings({ LOG_LEVEL: 'info', DATA_DIR: folder, AUTH_MODE: 'token' }),
  });
  onTestFinished(() => service.kill('SIGKILL'));
  return service;
}

/** Runs `diag` on a data folder, and gives its exit status and what it said. */
async function diag(
  folder: string,
  ...args: string[]
): Promise<{ readonly status: number; readonly words: string }> {
  const env = { PATH: process.env['PATH'] ?? '', DATA_DIR: folder };
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, ['cli/diag.js', ...args], { env });
    return { status: 0, words: `${stdout}${stderr}` };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { status: code, words: `${stdout}${stderr}` };
  }
}

const target = 'http://good.test/';

test('a copy made beside a running service gives a report, token, watch, batch, session and record on another machine', async () => {
  const data = join(root, 'data');
  const running = await serveOn(data);
  const { words } = await diag(
    data,
    'token',
    'create',
    '--name',
    'a',
    '--scopes',
    'tools,reports:read,watch',
  );
  const token = /dtk_\w+/.exec(words)?.[0] ?? '';
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const get = async (base: string, path: string, more: Record<string, string> = headers) => {
    const answer = await fetch(`${base}${path}`, { headers: more });
    return { status: answer.status, text: await answer.text() };
  };
  const post = async (path: string, body: object) => {
    const answer = await fetch(`${running.url}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    const made = (await answer.json()) as Record<string, unknown>;
    expect(JSON.stringify(answer.ok ? {} : made)).toBe('{}');
    return made;
  };
  const tool = `/api/tools/redirect-check?url=${encodeURIComponent(target)}`;
  const report = await get(running.url, tool);
  const { batchId } = await post('/api/batches', { check: 'redirect-check', targets: [target] });
  const { watchId } = await post('/api/watches', {
    check: 'redirect-check',
    targets: [target],
    everySeconds: 86_400,
  });
  // Its first turn is at once; what is compared comes behind it.
  await expect
    .poll(() => get(running.url, `/api/watches/${String(watchId)}/targets`), { timeout: 30_000 })
    .toMatchObject({ text: expect.stringContaining('"state":"ok"') as string });
  const signIn = await fetch(`${running.url}/session`, {
    method: 'POST',
    headers: { origin: running.url },
    body: new URLSearchParams({ token }),
    redirect: 'manual',
  });
  const cookie = { cookie: signIn.headers.getSetCookie()[0]?.split(';')[0] ?? '' };
  const paths = [
    tool,
    '/api/reports',
    `/api/batches/${String(batchId)}`,
    `/api/watches/${String(watchId)}`,
  ] as const;
  const seenBy = async (base: string) => ({
    answers: await Promise.all(paths.map((path) => get(base, path))),
    session: (await get(base, '/session', cookie)).text.includes('Sign out'),
  });
  await expect
    .poll(async () => (await get(running.url, paths[2])).text, { timeout: 10_000 })
    .toContain('"state":"done"');
  // The record of runs is written each second.
  await expect
    .poll(async () => (await diag(data, 'access', '--host', 'good.test')).words, { timeout: 10_000 })
    .toContain('redirect-check');
  const before = await seenBy(running.url);
  expect(before.answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(before.session).toBe(true);
  const record = await diag(data, 'access', '--host', 'good.test');

  const [copies, restored] = [join(root, 'copies'), join(root, 'restored')];
  expect(await diag(data, 'backup', copies)).toMatchObject({ status: 0 });
  expect(await diag(data, 'backup', copies)).toMatchObject({ status: 2 });
  expect(readdirSync(copies).sort()).toEqual(
    ['access', 'batches', 'idempotency', 'reports', 'tokens', 'watches'].map((name) => `${name}.sqlite`),
  );
  // A running service keeps its data.
  expect(await diag(data, 'restore', copies)).toMatchObject({ status: 78 });
  running.kill('SIGKILL');
  await running.closed;

  const seen = requests;
  expect(await diag(restored, 'restore', copies)).toMatchObject({ status: 0 });
  const other = await serveOn(restored);
  expect(await seenBy(other.url)).toEqual(before);
  expect(report.text).toBe(before.answers[0]?.text);
  expect(await diag(restored, 'access', '--host', 'good.test')).toEqual(record);
  expect(requests).toBe(seen);
}, 60_000);

test('what was there is kept, and a damaged copy or one of a newer version changes nothing', async () => {
  const [data, copies] = [join(root, 'old'), join(root, 'old-copies')];
  await diag(data, 'token', 'create', '--name', 'first');
  await diag(data, 'backup', copies);
  expect((await diag(data, 'backup', '/proc/no-folder')).words).toMatch(/^copy: \/proc\/no-folder/m);
  await diag(data, 'token', 'create', '--name', 'second');
  const change = (act: (path: string) => void) => act(join(copies, 'tokens.sqlite'));
  change((path) => {
    const database = new DatabaseSync(path);
    database.exec('PRAGMA user_version = 99');
    database.close();
  });
  expect(await diag(data, 'restore', copies)).toMatchObject({
    status: 78,
    words: expect.stringContaining('newer') as unknown,
  });
  change((path) => {
    const database = new DatabaseSync(path);
    database.exec('PRAGMA user_version = 2');
    database.close();
  });
  const whole = readFileSync(join(copies, 'tokens.sqlite'));
  change((path) => writeFileSync(path, Buffer.alloc(8192, 7)));
  expect(await diag(data, 'restore', copies)).toMatchObject({ status: 78 });
  expect((await diag(data, 'token', 'list')).words).toContain('second');
  change((path) => writeFileSync(path, whole));
  expect(await diag(data, 'restore', copies)).toMatchObject({ status: 0 });
  expect((await diag(data, 'token', 'list')).words).not.toContain('second');
  const kept = readdirSync(data).find((name) => name.startsWith('before-restore-')) ?? '';
  expect((await diag(join(data, kept), 'token', 'list')).words).toContain('second');
}, 60_000);
