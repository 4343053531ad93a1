import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type MongoProxy, openMongoProxy, refusal } from '../kit/mongo-proxy.ts';
import { hasMongo, startMongo, type TestMongo } from '../kit/mongo.ts';
import { freePort, findProgram } from '../kit/programs.ts';
import { hasRedis, startRedis, type TestRedis, untilListening } from '../kit/redis.ts';
import { startService } from '../kit/service-process.ts';
import { diag } from '../lab/command-line/kit.ts';

describe.skipIf(!hasRedis || !hasMongo || !findProgram('redis-server'))('a process is started with', () => {
  let redis: TestRedis;
  let mongo: TestMongo;
  let refusing: MongoProxy;
  let unwritable: MongoProxy;
  let mute: Server;
  let right: Record<string, string>;
  const ports = { none: 0, guarded: 0, mute: 0 };
  let kill = () => false;
  const folder = mkdtempSync(join(tmpdir(), 'diag-wrong-'));

  beforeAll(async () => {
    [redis, mongo] = await Promise.all([startRedis(), startMongo()]);
    [refusing, unwritable] = await Promise.all([openMongoProxy(mongo.url), openMongoProxy(mongo.url)]);
    const isHello = (name: string) => /^(?:hello|ismaster|ping|endSessions)$/i.test(name);
    refusing.decide(({ name }) => (isHello(name) ? 'pass' : { answer: refusal(18, 'AuthenticationFailed') }));
    unwritable.decide(({ name }) =>
      ['insert', 'update', 'createIndexes'].includes(name) ? { answer: refusal(13, 'Unauthorized') } : 'pass',
    );
    [ports.none, ports.guarded, ports.mute] = [await freePort(), await freePort(), await freePort()];
    const words = ['--port', String(ports.guarded), '--save', '', '--dir', folder, '--requirepass', 'right'];
    const users = ['--user', ...'plain on >plain ~* &* +@all -@scripting'.split(' ')];
    const child = spawn(findProgram('redis-server') ?? '', [...words, ...users], { stdio: 'ignore' });
    kill = () => child.kill('SIGKILL');
    mute = createServer((socket) => void socket.on('error', () => undefined)).listen(ports.mute, '127.0.0.1');
    await untilListening(ports.guarded);
    right = {
      REDIS_URL: redis.url,
      MONGODB_URL: mongo.url,
      PORT: '0',
      ADMIN_PORT: '0',
      DATA_DIR: folder,
      DNS_SERVERS: `127.0.0.1:${ports.none}`,
      LOG_LEVEL: 'info',
    };
  }, 60_000);
  afterAll(async () => {
    kill();
    mute?.close();
    await Promise.all([refusing?.close(), unwritable?.close()]);
    await Promise.all([redis?.stop(), mongo?.stop()]);
    rmSync(folder, { recursive: true, force: true });
  });

  type Wrong = {
    readonly name: string;
    readonly set: () => readonly [string, string];
    readonly cause: RegExp;
  };
  const redisAt = (place: string) => () => ['REDIS_URL', place] as const;
  const cases: readonly Wrong[] = [
    {
      name: 'a Redis where nothing listens',
      set: () => ['REDIS_URL', `redis://127.0.0.1:${ports.none}`],
      cause: /nothing listens there/,
    },
    { name: 'a Redis of an unknown name', set: redisAt('redis://no-such-host.invalid:6379'), cause: /DNS/ },
    {
      name: 'a Redis without its password',
      set: () => ['REDIS_URL', `redis://127.0.0.1:${ports.guarded}`],
      cause: /wants a password/,
    },
    {
      name: 'a Redis with a wrong password',
      set: () => ['REDIS_URL', `redis://:wrong-word@127.0.0.1:${ports.guarded}`],
      cause: /refuses the user or the password/,
    },
    {
      name: 'a Redis whose user may run no scripts',
      set: () => ['REDIS_URL', `redis://plain:plain@127.0.0.1:${ports.guarded}`],
      cause: /lacks a right/,
    },
    {
      name: 'a Redis without that database',
      set: () => ['REDIS_URL', `${redis.url}/99`],
      cause: /no database of that number/,
    },
    {
      name: 'a Redis that speaks no TLS',
      set: () => ['REDIS_URL', redis.url.replace('redis:', 'rediss:')],
      cause: /TLS/,
    },
    {
      name: 'a Redis that says nothing',
      set: () => ['REDIS_URL', `redis://127.0.0.1:${ports.mute}`],
      cause: /does not answer in time/,
    },
    {
      name: 'a MongoDB where nothing listens',
      set: () => ['MONGODB_URL', `mongodb://127.0.0.1:${ports.none}/diag`],
      cause: /nothing listens there/,
    },
    {
      name: 'a MongoDB of an unknown name',
      set: () => ['MONGODB_URL', 'mongodb://no-such-host.invalid/diag'],
      cause: /DNS/,
    },
    {
      name: 'a MongoDB that refuses the password',
      set: () => ['MONGODB_URL', refusing.url],
      cause: /refuses the user or the password/,
    },
    {
      name: 'a MongoDB whose user may only read',
      set: () => ['MONGODB_URL', unwritable.url],
      cause: /may not do that in this database/,
    },
    {
      name: 'a MongoDB that speaks no TLS',
      set: () => ['MONGODB_URL', `${mongo.url}?tls=true`],
      cause: /TLS/,
    },
    {
      name: 'a MongoDB that says nothing',
      set: () => ['MONGODB_URL', `mongodb://127.0.0.1:${ports.mute}/diag`],
      cause: /does not answer in time/,
    },
  ];
  test.for(cases)(
    '$name: one error names setting, server and cause, and doctor says the same',
    async ({ name, set, cause }) => {
      const [setting, url] = set();
      const environment = { ...right, [setting]: url };
      const startedAt = Date.now();
      const service = await startService({
        program: process.execPath,
        args: ['cli/diag.js', 'api'],
        environment,
      });
      const read = () => service.lines.map((line) => JSON.parse(line) as Record<string, unknown>);
      const errors = () => read().filter(({ level }) => level === 50);
      // Without a request, and once; doctor looks meanwhile.
      const asked = diag(['doctor'], { environment });
      await expect.poll(() => errors().length, { timeout: 30_000 }).toBeGreaterThan(0);
      console.log(
        `${name}: ${Date.parse(String(errors()[0]?.['time'])) - startedAt} ms from the start to the error`,
      );
      const server = url.replace(/^\w+:\/\/(?:[^@]*@)?/, '').replace(/[/?].*$/, '');
      const { code, stdout } = await asked;
      service.kill('SIGKILL');
      expect(errors()).toMatchObject([
        { setting, server: expect.stringContaining(server), cause: expect.stringMatching(cause) },
      ]);
      const line = stdout
        .split('\n')
        .find((each) => new RegExp(`^broken +${setting === 'REDIS_URL' ? 'redis' : 'mongodb'} `).test(each));
      expect(line).toMatch(cause);
      expect(line).toContain(setting);
      expect(line).toContain(server);
      expect(code).toBe(5);
      // What the URL quotes of the password stays there.
      expect(service.lines.join() + stdout).not.toContain('wrong-word');
    },
  );

  test('the right servers: no error, and doctor finds nothing wrong with them', async () => {
    const service = await startService({
      program: process.execPath,
      args: ['cli/diag.js', 'api'],
      environment: right,
    });
    await delay(2000);
    expect(service.lines.filter((line) => line.includes('"level":50'))).toEqual([]);
    const own = { ...right, PORT: new URL(service.url).port };
    for (let times = 0; times < 3; times += 1) {
      const { stdout } = await diag(['doctor'], { environment: own });
      for (const part of ['redis', 'mongodb', 'backend', 'server'])
        expect(stdout).toMatch(new RegExp(`^ok +${part} `, 'm'));
      expect(stdout).toMatch(/^broken +dns .*nothing listens there/m);
    }
    service.kill('SIGKILL');
  });
});
