import { expect, test } from 'vitest';
import { readConfig, settingNames } from '../../../shared/config.ts';
import { environmentOf, readComposeFile } from '../../kit/compose.ts';

const { services } = readComposeFile();
const ours = ['api', 'worker', 'browser'] as const;

/** Settings that the file decides, because the container's inside depends on them. */
const fixed = new Set([
  'HOST',
  'PORT',
  'ADMIN_HOST',
  'DATA_DIR',
  'REDIS_URL',
  'MONGODB_URL',
  'WORKER_QUEUES',
]);

/** Settings that a service does not have, and why. */
const withheld: Readonly<Record<string, readonly (typeof ours)[number][]>> = {
  // The two admin ports have defaults of their own, and nobody outside the networks sees them.
  ADMIN_PORT: ['api', 'worker', 'browser'],
  // Only an API process and a worker of page loads have a use for these.
  WORKER_QUEUES: ['api'],
  CRUX_API_KEY: ['api', 'worker'],
  PSI_API_KEY: ['api', 'worker'],
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
  expect(expected.filter((each) => given[each] !== marker)).toEqual(
    expected.filter((each) => fixed.has(each)),
  );
});

test.for(ours)('%s starts with valid settings when .env is empty', (name) => {
  const given = environmentOf(services[name] ?? { image: '' }, {});
  expect(readConfig({ ...given, DATA_DIR: ':memory:' })).toMatchObject({
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
