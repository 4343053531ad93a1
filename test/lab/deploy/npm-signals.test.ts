import { delimiter } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { hasMongo, startMongo } from '../../kit/mongo.ts';
import { findProgram } from '../../kit/programs.ts';
import { hasRedis, startRedis } from '../../kit/redis.ts';
import { type ServiceProcess, startService } from '../../kit/service-process.ts';

// As on an operator's machine: npm runs on the Node that is installed there, not on the project's own.
const path = (process.env['PATH'] ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .join(delimiter);
const npm = findProgram('npm');

async function startByNpm(
  script: string,
  more: Readonly<Record<string, string>> = {},
): Promise<ServiceProcess> {
  const environment = {
    PATH: path,
    HOME: process.env['HOME'] ?? '',
    PORT: '0',
    ADMIN_PORT: '0',
    DATA_DIR: ':memory:',
    WORKER_QUEUES: 'network',
    ...more,
  };
  // Of a process group of its own, so that a test can signal the group.
  const service = await startService({
    program: npm ?? '',
    args: ['run', script],
    environment,
    isGroup: true,
  });
  onTestFinished(() => service.kill('SIGKILL'));
  return service;
}

async function isListening(url: string): Promise<boolean> {
  return fetch(url).then(
    () => true,
    () => false,
  );
}

const stopsOf = ({ lines }: ServiceProcess) => lines.filter((line) => line.includes('"msg":"stopping"'));

// `closed` resolves once nothing holds the output any more: a Node process that was left behind would hold it.
test.runIf(npm)('SIGTERM to npm start ends Node in order and closes its ports', async () => {
  const service = await startByNpm('start');
  expect(await isListening(`${service.url}/api/findings`)).toBe(true);
  service.child.kill('SIGTERM');
  expect(await service.closed).toBe(0);
  expect(stopsOf(service)).toHaveLength(1);
  expect(await isListening(`${service.url}/api/findings`)).toBe(false);
  expect(await isListening(`${service.adminUrl}/livez`)).toBe(false);
});

test.runIf(npm)(
  'a signal to the whole group, which npm passes on as well, is one request to stop',
  async () => {
    const service = await startByNpm('start');
    service.kill('SIGINT');
    expect(await service.closed).toBe(0);
    expect(stopsOf(service)).toHaveLength(1);
    expect(await isListening(`${service.adminUrl}/livez`)).toBe(false);
  },
);

test.runIf(npm && hasRedis && hasMongo)(
  'SIGTERM to npm run api and to npm run worker ends Node in order',
  async () => {
    const [redis, mongo] = await Promise.all([startRedis(), startMongo()]);
    onTestFinished(async () => void (await Promise.all([redis.stop(), mongo.stop()])));
    const backend = { REDIS_URL: redis.url, MONGODB_URL: mongo.url };
    for (const script of ['api', 'worker'] as const) {
      const service = await startByNpm(script, backend);
      expect(await isListening(`${service.adminUrl}/livez`)).toBe(true);
      service.child.kill('SIGTERM');
      expect(await service.closed).toBe(0);
      expect(stopsOf(service)).toHaveLength(1);
      expect(await isListening(`${service.adminUrl}/livez`)).toBe(false);
    }
  },
);
