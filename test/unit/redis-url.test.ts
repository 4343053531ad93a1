import { expect, test } from 'vitest';
import { parseRedisUrl } from '#shared/settings/redis-url';

const node = (host: string, port: number) => ({ host, port });

test.for([
  ['redis://localhost', { kind: 'single', nodes: [node('localhost', 6379)], access: {} }],
  [
    'rediss://diag:p%40ss%3A1@r.example:6380/2',
    {
      kind: 'single',
      nodes: [node('r.example', 6380)],
      access: { username: 'diag', password: 'p@ss:1', db: 2, tls: {} },
    },
  ],
  ['redis://:word@[::1]:7000', { nodes: [node('::1', 7000)], access: { password: 'word' } }],
  ['redis://diag:p@ss@r.example', { nodes: [node('r.example', 6379)], access: { password: 'p@ss' } }],
  [
    'redis+sentinel://a.example,b.example:26380/main/3?sentinelPassword=s%26',
    {
      kind: 'sentinel',
      nodes: [node('a.example', 26_379), node('b.example', 26_380)],
      access: { db: 3 },
      watched: { name: 'main', sentinelPassword: 's&' },
    },
  ],
] as const)('%s is read', ([text, place]) => {
  expect(parseRedisUrl(text)).toMatchObject(place);
});

test.for([
  '',
  'redis://',
  'redis://a,b',
  'redis://a/queue',
  'redis://%ZZ:word@a',
  'redis+cluster://a,b',
  'redis+sentinel://a,,b/main',
  'redis+sentinel://a',
  'redis+sentinel://a/main/x',
  'http://a',
])('"%s" has none of the forms', (text) => {
  expect(parseRedisUrl(text)).toBeUndefined();
});
