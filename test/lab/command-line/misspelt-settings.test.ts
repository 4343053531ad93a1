import { expect, test } from 'vitest';
import { diag, startDiag } from './kit.ts';

const environment = {
  PORT: '0',
  ADMIN_PORT: '0',
  DATA_DIR: ':memory:',
  WORKER_QUEUES: 'network',
  LOG_LEVEL: 'warn',
  HOST_CONCURENCY: '9-not-for-a-log',
  REDIS_PORT: 'tcp://10.0.0.7:6379',
};

test('a process warns once of a misspelt setting, without its value, and starts', async () => {
  const { child, lines, ended } = startDiag(['serve'], { environment });
  const warned = () => lines.filter((line) => line.includes('variable is not a setting'));
  await expect.poll(warned).toHaveLength(1);
  child.kill('SIGKILL');
  await ended;
  expect(JSON.parse(warned()[0] ?? '')).toMatchObject({
    level: 40,
    variable: 'HOST_CONCURENCY',
    setting: 'HOST_CONCURRENCY',
  });
  expect(lines.join()).not.toContain('9-not-for-a-log');
});

test('diag api without its settings names the ones that are nearly right', async () => {
  const { code, stderr } = await diag(['api'], {
    environment: { MONGODB_URI: 'mongodb://a', REDIS_URI: 'r' },
  });
  expect(stderr).toContain('MONGODB_URI: is not a setting. Did you mean MONGODB_URL?');
  expect(stderr).toContain('REDIS_URI: is not a setting. Did you mean REDIS_URL?');
  expect(code).toBe(78);
});

test.for([
  ['names a misspelt setting', environment, /^warn +settings .*HOST_CONCURENCY.* HOST_CONCURRENCY\?$/m],
  ['finds no fault in other variables', { REDIS_PORT: 'tcp://10.0.0.7:6379' }, /^ok +settings /m],
] as const)('diag doctor %s', async ([, given, line]) => {
  const { stdout } = await diag(['doctor'], { environment: { DNS_SERVERS: '127.0.0.1:1', ...given } });
  expect(stdout).toMatch(line);
});
