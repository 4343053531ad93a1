import { afterAll, expect, test } from 'vitest';
import { makeToken } from '#shared/stores/tokens/make-token';
import { openService, redirectPath } from '../../api/kit.ts';

const sites = {
  'http://a.test': (_request: unknown, response: { end(text: string): void }) => response.end('page'),
};
const service = await openService({ sites, settings: { LIMIT_TOKEN_SCANS: '600/60' } });
afterAll(() => service.close());

async function drawAccount() {
  const wish = { name: 'x', scopes: ['tools', 'reports:read'] as const, limits: {}, expiresAt: null };
  const { text, token } = makeToken({ ...wish, scopes: [...wish.scopes] }, Date.now());
  await service.backend.tokenStore.insert(token);
  const headers = { authorization: `Bearer ${text}` };
  const read = (query: string) => fetch(`http://127.0.0.1:${service.port}/api/reports?${query}`, { headers });
  return { read, ask: async (path: string) => (await service.get(redirectPath(path), headers)).text };
}

const linesOf = (text: string) => text.split('\n').filter((line) => line !== '');

test('whole reports of the own account, newest first, byte for byte as they were answered', async () => {
  const own = await drawAccount();
  const other = await drawAccount();
  const given: string[] = [];
  for (let index = 0; index < 120; index++) given.push(await own.ask(`http://a.test/s${index}`));
  await other.ask('http://a.test/other');
  const answer = await own.read('format=ndjson');
  expect(answer.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
  const lines = linesOf(await answer.text());
  expect(lines.length).toBe(120);
  expect(new Set(lines)).toEqual(new Set(given.map((text) => text.trim())));
  expect(linesOf(await (await other.read('format=ndjson')).text()).length).toBe(1);
});

test('filters by check, target and time; CSV has one head', async () => {
  const { read, ask } = await drawAccount();
  for (const name of ['x', 'y']) await ask(`http://a.test/${name}`);
  const count = async (query: string) => linesOf(await (await read(query)).text()).length;
  const target = encodeURIComponent('http://a.test/x');
  expect(await count(`format=ndjson&target=${target}`)).toBe(1);
  expect(await count('format=ndjson&check=dns-check')).toBe(0);
  expect(await count('format=ndjson&since=2000-01-01')).toBe(2);
  expect(await count('format=ndjson&until=2000-01-01T00:00:00Z')).toBe(0);
  expect(await count('format=ndjson&since=2999-01-01')).toBe(0);
  const csv = await (await read('format=csv')).text();
  expect(csv.match(/"check","target"/g)).toHaveLength(1);
});

test.for([
  ['format=pdf', 'format'],
  ['format=ndjson&since=yesterday', 'since'],
  ['format=ndjson&limit=5', 'limit'],
])('%s is refused, and says why', async ([query = '', name]) => {
  const answer = await (await drawAccount()).read(query);
  const body = (await answer.json()) as { code: string; errors: { name: string }[] };
  expect([answer.status, body.code, body.errors.map((fault) => fault.name)]).toEqual([
    400,
    'invalid_request',
    [name],
  ]);
});

test('no token, no stream', async () => {
  const answer = await fetch(`http://127.0.0.1:${service.port}/api/reports?format=ndjson`);
  expect(answer.status).toBe(401);
});
