import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { readComposeFile } from '../../kit/compose.ts';
import { hasMongo, startMongo } from '../../kit/mongo.ts';
import { findProgram, freePort } from '../../kit/programs.ts';
import { untilListening } from '../../kit/redis.ts';
import { startService } from '../../kit/service-process.ts';
import { openLab } from '../kit/lab.ts';

const program = findProgram('redis-server') ?? '';
const root = mkdtempSync(join(tmpdir(), 'diag-'));
afterAll(() => rmSync(root, { recursive: true }));

/** Runs the script of the compose file's first service on new folders. */
function makeSecrets(name: string) {
  const folders = ['app', 'redis', 'mongo'].map((each) => join(root, name, each));
  for (const folder of folders) mkdirSync(folder, { recursive: true });
  const run = () => execFileSync('sh', ['deploy/secrets/make-secrets.sh', ...folders]);
  run();
  return { run, read: (path: string) => readFileSync(join(root, name, path), 'utf8') };
}

test('each deployment draws its own passwords, and a second start keeps them', () => {
  const [one, other] = [makeSecrets('one'), makeSecrets('other')];
  const url = one.read('app/redis-url');
  expect(url).toMatch(/^redis:\/\/diag:[0-9a-f]{48}@redis:6379$/);
  expect(one.read('app/mongodb-url')).toBe(
    `mongodb://diag:${one.read('mongo/diag-password')}@mongo:27017/diag`,
  );
  expect(other.read('app/redis-url')).not.toBe(url);
  one.run();
  expect(one.read('app/redis-url')).toBe(url);
});

test('no password stands in the compose file or in the file of Redis users', () => {
  const { read } = makeSecrets('hashes');
  expect(read('redis/users.acl')).not.toContain(new URL(read('app/redis-url')).password);
  expect(readFileSync('docker-compose.yml', 'utf8')).not.toMatch(/\/\/[^/\s"']+:[^/\s"']+@/);
});

describe.runIf(program !== '')('a Redis with the options of the compose file', () => {
  const { read } = makeSecrets('server');
  const password = new URL(read('app/redis-url')).password;
  let port = 0;
  let stop = () => {};
  beforeAll(async () => {
    port = await freePort();
    const folder = join(root, 'data');
    mkdirSync(folder);
    const [, ...options] = readComposeFile().services['redis']?.command ?? [];
    const here = options.map((option) => option.replace('/secrets/', `${join(root, 'server/redis')}/`));
    const place = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder];
    const child = spawn(program, [...place, ...here], { stdio: 'ignore' });
    stop = () => void child.kill('SIGKILL');
    await untilListening(port);
  });
  afterAll(() => stop());

  const ask = async (user: string | undefined, [name, ...args]: readonly [string, ...string[]]) => {
    const login = user === undefined ? {} : { username: user, password };
    const redis = new Redis({ port, ...login, enableReadyCheck: false, maxRetriesPerRequest: 0 });
    redis.on('error', () => undefined); // told by the command's own answer
    onTestFinished(() => redis.disconnect());
    return redis.call(name, ...args).then(String, (error: Error) => error.message);
  };

  test.for([
    [undefined, ['PING'], 'PONG'],
    [undefined, ['GET', 'diag:done'], 'NOPERM'],
    [undefined, ['INFO'], 'NOPERM'],
    ['diag', ['SET', 'diag:x', '1'], 'OK'],
    ['diag', ['CONFIG', 'GET', 'maxmemory-policy'], 'noeviction'],
    ['diag', ['CONFIG', 'GET', 'maxmemory'], String(384 * 1024 * 1024)],
    ['diag', ['SET', 'other', '1'], 'NOPERM'],
    ['diag', ['EVAL', "return redis.call('SET', 'other', '1')", '0'], "can't access"],
    ['diag', ['PUBLISH', 'other', '1'], 'NOPERM'],
    ['diag', ['CONFIG', 'SET', 'maxmemory', '1'], 'NOPERM'],
    ['diag', ['FLUSHALL'], 'NOPERM'],
    ['diag', ['KEYS', '*'], 'NOPERM'],
    ['diag', ['ACL', 'LIST'], 'NOPERM'],
    ['diag', ['SHUTDOWN'], 'NOPERM'],
    ['nobody', ['PING'], 'WRONGPASS'],
  ] as const)('user %s: %j is answered %s', async ([user, command, answer]) => {
    expect(await ask(user, command)).toContain(answer);
  });

  test.runIf(hasMongo)('serves an API and a worker that read its address from a file', async () => {
    const [mongo, lab] = await Promise.all([
      startMongo(),
      openLab({ sites: { 'http://good.test': (_request, response) => void response.end('good') } }),
    ]);
    onTestFinished(async () => void (await Promise.all([mongo.stop(), lab.close()])));
    const file = join(root, 'redis-url');
    writeFileSync(file, `${read('app/redis-url').replace('redis:6379', `127.0.0.1:${port}`)}\n`);
    const settings = { REDIS_URL_FILE: file, MONGODB_URL: mongo.url, LOG_LEVEL: 'info' };
    const start = (name: string) =>
      startService({
        program: process.execPath,
        args: ['cli/diag.js', name],
        environment: lab.settings(settings),
      });
    const members = await Promise.all([start('api'), start('worker')]);
    onTestFinished(() => members.forEach(({ kill }) => kill('SIGKILL')));
    const [api] = members;
    await expect.poll(async () => (await fetch(`${api?.adminUrl}/readyz`)).status).toBe(200);
    const url = `${api?.url}/api/tools/redirect-check?url=http%3A%2F%2Fgood.test%2F`;
    await expect.poll(async () => (await fetch(url)).status).toBe(200);
    const complaints = members.flatMap(({ lines }) =>
      lines.filter((line) => /NOPERM|NOAUTH|WRONGPASS/.test(line)),
    );
    expect(complaints).toEqual([]);
  });
});
