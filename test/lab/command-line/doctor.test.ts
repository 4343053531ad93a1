import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer as createWebServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { hasRedis, startRedis } from '../../kit/redis.ts';

/** The line of `diag doctor` of this name, and its exit status. */
async function examine(name: string, settings: Readonly<Record<string, string>>) {
  const env = {
    PATH: process.env['PATH'] ?? '',
    DATA_DIR: ':memory:',
    TARGET_ALLOW_CIDRS: '127.0.0.0/8',
    ...settings,
  };
  const child = execFile(process.execPath, ['cli/diag.js', 'doctor'], { env });
  let said = '';
  child.stdout?.on('data', (text: string) => {
    said += text;
  });
  const [status] = (await once(child, 'close')) as [number];
  return { status, line: said.split('\n').find((line) => line.includes(`  ${name} `)) ?? '' };
}

async function listen(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

test('another program on PORT is no service of ours: it must go, or we do', async () => {
  const port = await listen(createWebServer((_request, response) => response.end('<p>hello</p>')));
  const { status, line } = await examine('server', { PORT: String(port) });
  expect([status, line]).toEqual([5, expect.stringContaining(`a web server uses port ${port}`)]);
  expect(line).toContain('npm start');
}, 60_000);

test('where nothing listens, the service is only not started', async () => {
  const server = createServer();
  const port = await listen(server);
  server.close();
  const { line } = await examine('server', { PORT: String(port) });
  expect(line).toMatch(/^none .*start it with npm start$/);
}, 60_000);

test.runIf(hasRedis)(
  'a MONGODB_URL that leads to a Redis is told as what it is',
  async () => {
    const redis = await startRedis();
    onTestFinished(() => redis.stop());
    const { host } = new URL(redis.url);
    const { status, line } = await examine('mongodb', {
      REDIS_URL: redis.url,
      MONGODB_URL: `mongodb://${host}/diag`,
    });
    expect([status, line]).toEqual([5, expect.stringContaining('a Redis answers there, not MongoDB')]);
  },
  60_000,
);
