import { expect, onTestFinished, test } from 'vitest';
import { environmentOf, readComposeFile } from '../../kit/compose.ts';
import { startService } from '../../kit/service-process.ts';

const { api } = readComposeFile().services;

/** What the container has and this machine does not. */
const here = { HOST: '127.0.0.1', PORT: '0', ADMIN_PORT: '0', DATA_DIR: ':memory:', DNS_SERVERS: '' };

test.for([
  ['', 422],
  ['token', 401],
] as const)('AUTH_MODE=%s in .env reaches the API: a check is answered %i', async ([mode, status]) => {
  const environment = {
    ...environmentOf(api ?? { image: '' }, { AUTH_MODE: mode }),
    ...here,
    REDIS_URL_FILE: '',
    MONGODB_URL_FILE: '',
    WORKER_QUEUES: 'network',
  };
  const service = await startService({
    program: process.execPath,
    args: ['cli/diag.js', 'serve'],
    environment,
  });
  onTestFinished(() => service.kill('SIGKILL'));
  const answer = await fetch(`${service.url}/api/tools/redirect-check?url=http%3A%2F%2F127.0.0.1%2F`);
  expect(answer.status).toBe(status);
  service.kill('SIGTERM');
  expect(await service.closed).toBe(0);
});
