import { expect, test } from 'vitest';
import { ConfigError, readConfig } from '../../shared/config.ts';

test('without any variable every setting has its default', () => {
  expect(readConfig({})).toMatchObject({
    HOST: '127.0.0.1',
    PORT: 3000,
    AUTH_MODE: 'open',
    REPORT_IDS: true,
    HOST_CONCURRENCY: 4,
    QUEUE_SECONDS: 600,
    LIMIT_ANON_SCANS: { points: 60, windowS: 60 },
    WORKER_QUEUES: ['network', 'browser'],
  });
});

test('an empty variable counts as unset', () => {
  expect(readConfig({ PORT: '', REDIS_URL: '' })).toMatchObject({ PORT: 3000 });
});

test.for([
  ['PORT', '65536'],
  ['PORT', '80a'],
  ['LIMIT_ANON_SCANS', '60'],
  ['LIMIT_ANON_SCANS', '0/60'],
  ['TRUST_PROXY', 'true'],
  ['TRUST_PROXY', 'proxy.test'],
  ['WAIT_SECONDS', '56'],
  ['AUTH_MODE', 'closed'],
  ['REPORT_IDS', 'no'],
  ['TARGET_PORTS', '80,x'],
  ['TARGET_PORTS', '90-80'],
  ['TARGET_PORT_MAP', '80'],
  ['TARGET_ALLOW_CIDRS', '10.0.0.0/33'],
  ['TARGET_DENY_CIDRS', '127.1'],
  ['PUBLIC_URL', 'example.com'],
  ['LOG_LEVEL', 'loud'],
  ['WORKER_QUEUES', 'network,mail'],
  ['NODE_EXTRA_CA_CERTS', '/nowhere/ca.pem'],
  ['HOST_CONCURRENCY', '0'],
] as const)('%s=%s is refused by name', ([name, value]) => {
  expect(() => readConfig({ [name]: value })).toThrow(new RegExp(`${name}: `));
}); // prettier-ignore

test('all bad settings are named at once', () => {
  const read = () => readConfig({ PORT: 'x', AUTH_MODE: 'y', REDIS_URL: 'redis://localhost' });
  expect(read).toThrow(ConfigError);
  expect(read).toThrow(/PORT: .*[\s\S]*AUTH_MODE: /);
});

test('Redis and MongoDB are set together or not at all', () => {
  expect(() => readConfig({ REDIS_URL: 'redis://localhost' })).toThrow(/REDIS_URL and MONGODB_URL/);
  expect(readConfig({ REDIS_URL: 'redis://localhost', MONGODB_URL: 'mongodb://localhost' })).toMatchObject({
    REDIS_URL: 'redis://localhost',
  });
});

test('lists, ranges and maps are read', () => {
  expect(
    readConfig({
      TARGET_PORTS: '80, 8000-8100',
      TARGET_PORT_MAP: '80=45080,443=45443',
      TRUST_PROXY: '2',
      TARGET_ALLOW_SUFFIXES: '.Test, example',
    }),
  ).toMatchObject({
    TARGET_PORTS: [
      [80, 80],
      [8000, 8100],
    ],
    TARGET_PORT_MAP: new Map([
      [80, 45_080],
      [443, 45_443],
    ]),
    TRUST_PROXY: 2,
    TARGET_ALLOW_SUFFIXES: ['test', 'example'],
  });
}); // prettier-ignore
