import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { hasMongo, startMongo } from '../../kit/mongo.ts';
import { findProgram, freePort } from '../../kit/programs.ts';
import { untilListening } from '../../kit/redis.ts';
import { startService } from '../../kit/service-process.ts';
import { makeAuthority } from '../kit/certificates.ts';

const program = findProgram('redis-server');
const root = mkdtempSync(join(tmpdir(), 'diag-'));
afterAll(() => rmSync(root, { recursive: true }));

describe.runIf(program && hasMongo)('a Redis that speaks TLS only, with an authority of its own', () => {
  const place = (name: string) => join(root, name);
  let port = 0;
  let stop = async () => {};
  let mongoUrl = '';
  beforeAll(async () => {
    const authority = await makeAuthority();
    const { key, cert } = await authority.issue(['localhost']);
    for (const [name, text] of Object.entries({ key, cert, authority: authority.cert }))
      writeFileSync(place(name), text);
    const mongo = await startMongo();
    mongoUrl = mongo.url;
    port = await freePort();
    const files = ['--tls-cert-file', place('cert'), '--tls-key-file', place('key')];
    const child = spawn(
      program ?? '',
      ['--port', '0', '--tls-port', String(port), '--tls-auth-clients', 'no', '--save', '', ...files],
      { stdio: 'ignore', cwd: root },
    );
    stop = async () => {
      child.kill('SIGKILL');
      await mongo.stop();
    };
    await untilListening(port);
  });
  afterAll(() => stop());

  const readyzOf = async (authority: string) => {
    const service = await startService({
      program: process.execPath,
      args: ['cli/diag.js', 'worker'],
      environment: {
        REDIS_URL: `rediss://localhost:${port}`,
        MONGODB_URL: mongoUrl,
        NODE_EXTRA_CA_CERTS: authority,
        ADMIN_PORT: '0',
        DATA_DIR: ':memory:',
        WORKER_QUEUES: 'network',
      },
    });
    onTestFinished(() => service.kill('SIGKILL'));
    return async () => {
      const answer = await fetch(`${service.adminUrl}/readyz`);
      return ((await answer.json()) as { checks: { queue: unknown } }).checks.queue;
    };
  };

  test('is reached by rediss:// where the authority is trusted', async () => {
    const queue = await readyzOf(place('authority'));
    await expect.poll(queue).toBe(true);
  });

  test('is not believed where it is not', async () => {
    const queue = await readyzOf('');
    expect(await queue()).not.toBe(true);
  });
});
