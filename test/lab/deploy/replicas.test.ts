import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { hasMongo, startMongo } from '../../kit/mongo.ts';
import { findProgram, freePort } from '../../kit/programs.ts';
import { hasRedis, startRedis } from '../../kit/redis.ts';
import { type ServiceProcess, startService } from '../../kit/service-process.ts';
import { startServer } from '../ssl-check/tools.ts';

const nginx = findProgram('nginx');

/** The command of the unit for one instance, from this folder. */
function commandOf(port: number, adminPort: number): string[] {
  const unit = readFileSync('deploy/systemd/diag-api@.service', 'utf8');
  const [, line = ''] = /^ExecStart=(.*)$/m.exec(unit) ?? [];
  // The instance's own admin port may be taken here: a free one stands for it.
  return line
    .replace('1%i', `${adminPort}`)
    .replace('%i', `${port}`)
    .replace('/opt/diagnostic-tools/node_modules/.bin/node', process.execPath)
    .split(' ');
}

/** The proxy as docs/operating.md has it, over plain HTTP. */
async function startProxy(ports: readonly [number, number]): Promise<string> {
  const docs = readFileSync('docs/operating.md', 'utf8');
  const [, block = ''] = /```nginx\n([^]*?)```/.exec(docs) ?? [];
  const port = await freePort();
  const config = block
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port};`)
    .replace('127.0.0.1:3001', `127.0.0.1:${ports[0]}`)
    .replace('127.0.0.1:3002', `127.0.0.1:${ports[1]}`);
  const folder = mkdtempSync(join(tmpdir(), 'diag-nginx-'));
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${kind}_temp;`,
  );
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; master_process off; pid nginx.pid; error_log stderr crit; events {}
http { access_log off; ${temporary.join(' ')}
${config}}`,
  );
  const server = await startServer(['nginx', '-p', `${folder}/`, '-c', `${folder}/nginx.conf`], port, folder);
  onTestFinished(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return `http://127.0.0.1:${port}`;
}

test.skipIf(!hasRedis || !hasMongo || !nginx)(
  'two API processes behind a proxy: one that drains, and one that is killed, cost no caller an answer',
  async () => {
    const [redis, mongo, ...ports] = await Promise.all([
      startRedis(),
      startMongo(),
      ...Array.from({ length: 4 }, freePort),
    ]);
    onTestFinished(async () => void (await Promise.all([redis.stop(), mongo.stop()])));
    const [first = 0, second = 0, ...adminPorts] = ports;
    const url = await startProxy([first, second]);
    const backend = { REDIS_URL: redis.url, MONGODB_URL: mongo.url };
    const [firstAdmin = 0, secondAdmin = 0] = adminPorts;
    let one = await startReplica(commandOf(first, firstAdmin), { ...backend, PUBLIC_URL: url });
    const other = await startReplica(commandOf(second, secondAdmin), { ...backend, PUBLIC_URL: url });

    let isDone = false;
    const statuses: number[] = [];
    const agent = new Agent({ keepAlive: true, maxSockets: 8 });
    onTestFinished(() => agent.destroy());
    const load = async () => {
      while (!isDone) statuses.push(await ask(`${url}/api/findings`, agent));
    };
    const loads = Array.from({ length: 8 }, load);
    const untilMore = async (count: number) => {
      const now = statuses.length;
      await expect.poll(() => statuses.length).toBeGreaterThan(now + count);
    };
    await untilMore(100);
    one.kill('SIGTERM');
    expect(await one.closed).toBe(0);
    await untilMore(100);
    one = await startReplica(commandOf(first, firstAdmin), { ...backend, PUBLIC_URL: url });
    await untilMore(100);
    other.kill('SIGKILL');
    await other.closed;
    await untilMore(100);
    isDone = true;
    await Promise.all(loads);
    expect(new Set(statuses)).toEqual(new Set([200]));
    // Links are those of the callers, whichever process answers.
    expect(await (await fetch(`${url}/openapi.json`)).text()).toContain(url);
    // The address is the caller's, not the proxy's.
    expect(one.lines.filter((line) => line.includes('X-Forwarded-For'))).toEqual([]);
  },
);

async function startReplica(
  [program = '', ...args]: readonly string[],
  settings: Readonly<Record<string, string>>,
): Promise<ServiceProcess> {
  const own = { NODE_ENV: 'production', DRAIN_SECONDS: '2', TRUST_PROXY: '1', RATE_LIMIT: 'off' };
  const service = await startService({
    program,
    args,
    environment: { ...own, ...settings, LOG_LEVEL: 'info' },
  });
  onTestFinished(() => service.kill('SIGKILL'));
  return service;
}

function ask(url: string, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode ?? 0));
    }).once('error', reject);
  });
}
