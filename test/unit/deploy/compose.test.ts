import { expect, test } from 'vitest';
import { readConfig, settingNames } from '#shared/settings/config';
import { type ComposeFile, type ComposeService, environmentOf, readComposeFile } from '../../kit/compose.ts';
import { readYamlFile } from '../../kit/yaml.ts';

const { services, networks } = readComposeFile();
const ours = ['api', 'worker', 'browser'] as const;

/** Settings that the file decides, because the container's inside depends on them. */
const fixed = new Set<string>([
  'HOST',
  'PORT',
  'ADMIN_HOST',
  'DATA_DIR',
  'WORKER_QUEUES',
  'REDIS_URL_FILE',
  'MONGODB_URL_FILE',
]);

/** Settings that a service does not have, and why. */
const withheld: Readonly<Record<string, readonly (typeof ours)[number][]>> = {
  // The two admin ports have defaults of their own, and nobody outside the networks sees them.
  ADMIN_PORT: ['api', 'worker', 'browser'],
  // They hold passwords, and come as files.
  REDIS_URL: ['api', 'worker', 'browser'],
  MONGODB_URL: ['api', 'worker', 'browser'],
  // An API process works on no queue.
  WORKER_QUEUES: ['api'],
  // The password of the mail server: page loads send none.
  MAIL_URL: ['browser'],
  MAIL_URL_FILE: ['browser'],
  MAIL_FROM: ['browser'],
  // Keys of other services: only a worker of page loads uses them.
  CRUX_API_KEY: ['api', 'worker'],
  CRUX_API_KEY_FILE: ['api', 'worker'],
  PSI_API_KEY: ['api', 'worker'],
  PSI_API_KEY_FILE: ['api', 'worker'],
};

/** A value that no default is equal to: what arrives was passed on. */
const marker = 'written-by-the-operator';

test.for(ours)('%s is given every setting that the service knows', (name) => {
  const service = services[name];
  const given = environmentOf(
    service ?? { image: '' },
    Object.fromEntries(settingNames.map((each) => [each, marker])),
  );
  const expected = settingNames.filter((each) => !withheld[each]?.includes(name));
  expect(settingNames.filter((each) => each in given)).toEqual(expected);
  const decided = expected.filter((each) => given[each] !== marker);
  expect(decided).toEqual(expected.filter((each) => fixed.has(each)));
});

test.for(ours)('%s starts with valid settings when .env is empty', (name) => {
  const given = environmentOf(services[name] ?? { image: '' }, {});
  const here = { DATA_DIR: ':memory:', REDIS_URL_FILE: '', MONGODB_URL_FILE: '' };
  expect(readConfig({ ...given, ...here })).toMatchObject({
    HOST: '0.0.0.0',
    AUTH_MODE: 'open',
  });
});

test('every service rotates its log', () => {
  const limits = Object.values(services).map(({ logging }) => logging?.options);
  expect(limits.filter((options) => !options?.['max-size'] || !options['max-file'])).toEqual([]);
});

test('Redis refuses writes before its container runs out of memory', () => {
  const command = services['redis']?.command?.join(' ');
  expect(command).toContain('--maxmemory 384mb --maxmemory-policy noeviction');
  expect(services['redis']).toMatchObject({ mem_limit: '512m' });
});

const networksOf = (name: string) => services[name]?.networks ?? [];
const shared = (one: string, other: string) =>
  networksOf(one).filter((name) => networksOf(other).includes(name));

test('the container that runs pages reaches the queue, the store and the resolver, and no other process of ours', () => {
  expect(shared('browser', 'api')).toEqual([]);
  expect(shared('browser', 'worker')).toEqual([]);
  for (const name of ['redis', 'mongo', 'unbound'])
    expect(shared('browser', name)).toEqual(['browser-backend']);
});

test('queue, store and API have no way out, and only the API and the dashboards publish a port', () => {
  const isInside = (name: string) => networks[name]?.internal === true;
  for (const name of ['redis', 'mongo'])
    expect(networksOf(name).filter((each) => !isInside(each))).toEqual([]);
  expect(networksOf('api')).toEqual(['backend', 'front']);
  expect(Object.keys(services).filter((name) => services[name]?.['ports'])).toEqual(['api', 'grafana']);
  const ports = ['api', 'grafana'].flatMap((name) => services[name]?.['ports'] ?? []);
  expect(ports.filter((each) => !String(each).startsWith('127.0.0.1:'))).toEqual([]);
});

test('no service has the passwords of another', () => {
  const mounts = Object.entries(services).flatMap(([name, { volumes = [] }]) =>
    volumes.filter((volume) => /^[\w-]*secrets:/.test(volume)).map((volume) => `${name} ${volume}`),
  );
  expect(mounts.sort()).toEqual([
    'api secrets:/secrets:ro',
    'browser secrets:/secrets:ro',
    'mongo mongo-secrets:/secrets:ro',
    'redis redis-secrets:/secrets:ro',
    'secrets mongo-secrets:/mongo',
    'secrets redis-secrets:/redis',
    'secrets secrets:/app',
    'worker secrets:/secrets:ro',
  ]);
});

test('the file for traces gives every process the SDK, and publishes Jaeger on loopback', () => {
  const traced = (readYamlFile('deploy/tracing/compose.yml')[0] as ComposeFile).services;
  expect(Object.keys(traced)).toEqual(['api', 'worker', 'browser', 'jaeger']);
  for (const name of ['api', 'worker', 'browser']) {
    const { NODE_OPTIONS = '' } = environmentOf(traced[name] as ComposeService, {});
    expect(NODE_OPTIONS).toContain('--import /tracing/register.js');
    expect(traced[name]?.volumes).toEqual(['./deploy/tracing:/tracing:ro']);
  }
  expect(traced['jaeger']?.['ports']).toEqual(['127.0.0.1:${JAEGER_PORT:-16686}:16686']);
});
