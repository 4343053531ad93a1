import { connect } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { clientHeaders } from '../kit/client-headers.ts';
import { type Answer, openService, redirectPath } from './kit.ts';

const service = await openService({
  sites: { 'http://a.test': (_request, response) => response.writeHead(204).end() },
  settings: { CORS_ORIGINS: 'https://page.test', LIMIT_ANON_REQUESTS: '10000/60' },
});
const { get, send, log } = service;
afterAll(() => service.close());

const path = redirectPath('http://a.test/');
/** The same question in a spelling that is read anew each time: it goes through the app. */
const longWay = `${path}&`;
await get(path);

const routes = () =>
  log.flatMap(({ message, fields }) => (message === 'request' ? [Reflect.get(fields, 'route')] : []));
/** The fields without those that differ from answer to answer. */
const fieldsOf = ({ headers }: Answer) => {
  const { 'x-request-id': _id, date: _date, ratelimit, ...rest } = headers;
  return {
    ...rest,
    'cache-control': rest['cache-control']?.replace(/\d+$/, ''),
    'cache-status': String(rest['cache-status']).replace(/\d+$/, ''),
    ratelimit: typeof ratelimit,
  };
};

/** Asks by both ways, and says whether the first was the lane. */
async function askBoth(method: string, headers: Record<string, string>) {
  const long = await send(method, longWay, headers);
  const fast = await send(method, path, headers);
  await expect.poll(() => routes().length).toBeGreaterThan(1);
  return { long, fast, isOnLane: routes().at(-1) === 'memory' };
}

beforeEach(() => {
  (log as unknown[]).length = 0;
});

describe.for(Object.entries(clientHeaders))('%s', ([, headers]) => {
  test.for(['GET', 'HEAD'])('%s stays on the lane, and both ways answer alike', async (method) => {
    const { long, fast, isOnLane } = await askBoth(method, { ...headers });
    expect(isOnLane).toBe(true);
    expect(fast).toMatchObject({ status: 200, text: long.text });
    expect(fieldsOf(fast)).toEqual(fieldsOf(long));
  });

  test('any of our tags gets 304 on the lane', async () => {
    const plain = String((await get(path, {})).headers.etag);
    const gzipped = plain.replace(/"$/, '-gzip"');
    for (const tag of [plain, gzipped, `W/${gzipped}`, `"other", ${plain}`, '*']) {
      const { long, fast, isOnLane } = await askBoth('GET', { ...headers, 'if-none-match': tag });
      expect([tag, fast.status, fast.text, isOnLane]).toEqual([tag, 304, '', true]);
      expect(fieldsOf(fast)).toEqual(fieldsOf(long));
    }
    expect((await get(path, { ...headers, 'if-none-match': '"other"' })).status).toBe(200);
  });
});

test.for([
  ['HTTP/1.0', 'HTTP/1.0', ''],
  ['Connection: close', 'HTTP/1.1', 'Connection: close\r\n'],
])('%s gets one whole answer, and the end of its connection', async ([, version, field]) => {
  const socket = connect(service.port, '127.0.0.1');
  socket.write(`GET ${path} ${version}\r\nHost: 127.0.0.1\r\n${field}\r\n`);
  const [head = '', body = ''] = (await textOf(socket)).split('\r\n\r\n');
  expect(routes()).toEqual(['memory']);
  expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(head).toMatch(/^Connection: close$/m);
  expect(head).not.toMatch(/^(Keep-Alive|Transfer-Encoding):/m);
  expect(Number(/^Content-Length: (\d+)$/m.exec(head)?.[1])).toBe(Buffer.byteLength(body));
});

test('requests in one packet are answered in turn', async () => {
  const socket = connect(service.port, '127.0.0.1');
  const ask = (id: string, more = '') =>
    `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Request-Id: ${id}\r\n${more}\r\n`;
  socket.write(ask('a') + ask('b') + ask('c', 'Connection: close\r\n'));
  const told = await textOf(socket);
  expect([...told.matchAll(/^X-Request-Id: (\w)\r$/gm)].map(([, id]) => id)).toEqual(['a', 'b', 'c']);
});

test.for([
  ['another origin that may', { origin: 'https://page.test' }],
  ['another origin that may not', { origin: 'https://other.test' }],
  ['Prefer, which is about waiting', { prefer: 'respond-async, wait=1' }],
  ['only-if-cached', { 'cache-control': 'only-if-cached' }],
  ['an X-Forwarded-For that is not trusted', { 'x-forwarded-for': '192.0.2.1' }],
] as const)('%s stays on the lane, and both ways answer alike', async ([, headers]) => {
  const { long, fast, isOnLane } = await askBoth('GET', { ...headers });
  expect([isOnLane, fast.status, fast.text]).toEqual([true, 200, long.text]);
  expect(fieldsOf(fast)).toEqual(fieldsOf(long));
});

test.for([
  ['its own freshness', { 'cache-control': 'max-age=0' }, 200],
  ['no cache', { 'cache-control': 'no-cache' }, 200],
  ['another type', { accept: 'text/html' }, 406],
  ['a foreign Host', { host: 'evil.test' }, 400],
] as const)('a GET with %s leaves the lane', async ([, headers, status]) => {
  const { fast, isOnLane } = await askBoth('GET', { ...headers });
  expect([isOnLane, fast.status]).toEqual([false, status]);
});

test.for(['GET', 'HEAD'])('a %s beyond the limit is refused alike by both ways', async (method) => {
  const limited = await openService({
    sites: { 'http://a.test': (_request, response) => response.writeHead(204).end() },
    settings: { LIMIT_ANON_REQUESTS: '2/60' },
  });
  await limited.get(path);
  await limited.get(path);
  const [fast, long] = [await limited.send(method, path), await limited.send(method, longWay)];
  expect([fast.status, long.status]).toEqual([429, 429]);
  const { requestId: _fast, ...told } = fast.body;
  const { requestId: _long, ...expected } = long.body;
  expect(told).toEqual(expected);
  // The id has the same length in both.
  expect(fieldsOf(fast)).toEqual(fieldsOf(long));
  const lines = () => limited.log.filter(({ message }) => message === 'request').slice(-2);
  await expect.poll(() => lines().length).toBe(2);
  const fields = lines().map((line) => ({ ...line.fields, requestId: '', tookMs: 0 }));
  expect(fields[0]).toEqual(fields[1]);
  expect(fields[0]).toMatchObject({
    route: '/api/tools/redirect-check',
    status: 429,
    problem: 'rate_limited',
  });
  await limited.close();
});

test('behind a trusted proxy repeats stay on the lane, each caller with its own quota', async () => {
  const proxied = await openService({
    settings: { TRUST_PROXY: '127.0.0.0/8', LIMIT_ANON_REQUESTS: '2/60' },
    withWorker: false,
  });
  const ask = async (forwarded: string) =>
    (await proxied.get('/api/me', { 'x-forwarded-for': forwarded })).status;
  expect(await ask('192.0.2.1')).toBe(200);
  expect(await ask('6.6.6.6, 192.0.2.1, 127.0.0.9')).toBe(200);
  expect(await ask('192.0.2.1')).toBe(429);
  expect(await ask('192.0.2.1, 192.0.2.2')).toBe(200);
  await proxied.close();
});
