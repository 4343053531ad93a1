import { afterAll, describe, expect, test } from 'vitest';
import { openService, redirectPath } from './kit.ts';

const sites = {
  'http://a.test': (_request: unknown, response: { writeHead(status: number): { end(): void } }) =>
    response.writeHead(204).end(),
};

describe('quotas', async () => {
  const service = await openService({
    sites,
    settings: { LIMIT_ANON_REQUESTS: '12/60', LIMIT_ANON_SCANS: '3/60' },
  });
  afterAll(() => service.close());
  const { get } = service;

  test('a run costs a scan, a repeat and a joined GET none; what is left is told', async () => {
    const first = await get(redirectPath('http://a.test/1'));
    expect(first.headers).toMatchObject({ 'ratelimit-policy': '"requests";q=12;w=60, "scans";q=3;w=60' });
    expect(first.headers['ratelimit']).toMatch(/^"requests";r=11;t=\d+, "scans";r=2;t=\d+$/);
    const again = await get(redirectPath('http://a.test/1'));
    expect(again.headers['ratelimit']).toMatch(/^"requests";r=10;t=\d+$/);
    expect((await get('/api/me')).body).toMatchObject({
      kind: 'anonymous',
      limited: true,
      limits: { requests: { limit: 12, remaining: 9 }, scans: { limit: 3, remaining: 2 } },
      costs: { 'redirect-check': 1 },
      jobs: { running: 0, waiting: 0 },
    });
  });

  test('with no scans left a run is refused with Retry-After, and cached reports stay readable', async () => {
    await get(redirectPath('http://a.test/2'));
    await get(redirectPath('http://a.test/3'));
    const refused = await get(redirectPath('http://a.test/4'));
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    expect(refused.body['detail']).toContain('3 scans in 60 s');
    expect(Number(refused.headers['retry-after'])).toBe(refused.body['retryAfterSeconds']);
    expect((await get(redirectPath('http://a.test/1'))).status).toBe(200);
  });

  test('a bad request costs no scan; with no requests left even a repeat is refused', async () => {
    await get('/api/tools/redirect-check');
    for (let index = 0; index < 4; index += 1) await get(redirectPath('http://a.test/1'));
    const refused = await get(redirectPath('http://a.test/1'));
    expect(refused).toMatchObject({ status: 429, headers: { 'cache-control': 'no-store' } });
    expect(refused.body['detail']).toContain('12 requests in 60 s');
  });
});

describe('lines', async () => {
  const service = await openService({
    withWorker: false,
    settings: { HOST_CONCURRENCY: '4', QUEUE_SECONDS: '2' },
  });
  afterAll(() => service.close());

  test('a caller may have eight jobs of one host in line, and is told so with the ninth', async () => {
    for (let index = 0; index < 8; index += 1)
      expect((await service.get(redirectPath(`http://b.test/${index}`, '&wait=0'))).status).toBe(202);
    const refused = await service.get(redirectPath('http://b.test/9', '&wait=0'));
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    expect(refused.body['detail']).toContain('policy "host"');
    expect((await service.get(redirectPath('http://c.test/', '&wait=0'))).status).toBe(202);
  });

  test('a job whose turn never comes expires, says so, and frees its place', async () => {
    const { headers } = await service.get(redirectPath('http://d.test/', '&wait=0'));
    const answer = await service.get(`${headers.location}?wait=10`);
    expect(answer).toMatchObject({ status: 200, body: { state: 'expired' } });
    expect(answer.body['detail']).toContain('Repeat the original GET');
  });
});

test('a token that is not known is a 401 everywhere; another scheme counts as none', async () => {
  const service = await openService({ sites });
  for (const path of [redirectPath('http://a.test/'), '/api/me', '/api/findings', '/problems/not_found']) {
    const answer = await service.get(path, { authorization: 'Bearer dtk_wrong' });
    expect(answer).toMatchObject({ status: 401, body: { code: 'invalid_token' } });
    expect(answer.headers['www-authenticate']).toContain('error="invalid_token"');
    expect((await service.get(path, { authorization: 'Basic dTpw' })).status).toBe(200);
  }
  await service.close();
});

test('the Host of a loopback listener must be one of this machine; CORS is for the origins that are set', async () => {
  const service = await openService({ sites, settings: { CORS_ORIGINS: 'https://page.test' } });
  expect(await service.get('/api/me', { host: 'evil.test' })).toMatchObject({
    status: 400,
    body: { errors: [{ in: 'header', name: 'Host' }] },
  });
  for (const host of ['localhost:1', '127.0.0.1', '[::1]:80'])
    expect((await service.get('/api/me', { host })).status).toBe(200);
  expect(
    (await service.get('/api/me', { origin: 'https://page.test' })).headers['access-control-allow-origin'],
  ).toBe('https://page.test');
  expect(
    (await service.get('/api/me', { origin: 'https://other.test' })).headers['access-control-allow-origin'],
  ).toBeUndefined();
  const preflight = await service.send('OPTIONS', '/api/me', { origin: 'https://page.test' });
  expect(preflight).toMatchObject({
    status: 204,
    headers: { 'access-control-allow-methods': 'GET, HEAD, POST, PATCH, DELETE, OPTIONS' },
  });
  await service.close();
});

test('an X-Forwarded-For that is not trusted is warned about once, naming the setting', async () => {
  const service = await openService({});
  for (let index = 0; index < 3; index += 1) await service.get('/api/me', { 'x-forwarded-for': '6.6.6.6' });
  expect(
    service.log.filter(
      ({ level, fields }) => level === 'warn' && JSON.stringify(fields).includes('TRUST_PROXY'),
    ),
  ).toHaveLength(1);
  await service.close();
});

test('behind one trusted proxy the caller is the address that it names', async () => {
  const service = await openService({ settings: { TRUST_PROXY: '1', LIMIT_ANON_REQUESTS: '2/60' } });
  const ask = (address: string) => service.get('/api/me', { 'x-forwarded-for': `6.6.6.6, ${address}` });
  expect((await ask('7.7.7.7')).status).toBe(200);
  expect((await ask('7.7.7.7')).status).toBe(200);
  expect((await ask('7.7.7.7')).status).toBe(429);
  expect((await ask('8.8.8.8')).status).toBe(200);
  await service.close();
});

describe('IPv6 callers', async () => {
  const service = await openService({
    settings: { TRUST_PROXY: '1', LIMIT_ANON_REQUESTS: '3/60', LIMIT_ANON_SCANS: '2/60' },
    withWorker: false,
  });
  afterAll(() => service.close());
  const passed = async (addresses: readonly string[]) => {
    const asked = addresses.map((address) => service.get('/api/me', { 'x-forwarded-for': address }));
    return (await Promise.all(asked)).filter(({ status }) => status === 200).length;
  };
  /** Addresses of as many /64s in a /48. */
  const sites = (site: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${site}:${(index + 1).toString(16)}::1`);

  test('a /64 is one caller, and a /48 may spend as much as four', async () => {
    expect(await passed(Array.from({ length: 8 }, (_, index) => `2001:db8:1:1::${index}`))).toBe(3);
    expect(await passed(sites('2001:db8:1', 40))).toBe(12 - 3);
  });

  test('a /32 may spend as much as sixteen callers, however many /48s it has', async () => {
    const five = [1, 2, 3, 4, 5].flatMap((site) => sites(`2001:db9:${site}`, 40));
    expect(await passed(five)).toBe(48);
    const refused = await service.get('/api/me', { 'x-forwarded-for': '2001:db9:ffff::1' });
    expect(refused.body['detail']).toContain('48 requests in 60 s that all of 2001:db9::/32 share');
  });

  test('a mapped address counts as its IPv4 address, and IPv4 neighbours share nothing', async () => {
    expect(await passed(['192.0.2.1', '::ffff:192.0.2.1', '::ffff:c000:201', '192.0.2.1'])).toBe(3);
    expect(await passed(Array.from({ length: 30 }, (_, index) => `192.0.2.${index + 10}`))).toBe(30);
  });

  test('scans are shared alike, and what a wider network refuses costs its callers nothing', async () => {
    const ask = (site: string) =>
      service.get(redirectPath(`http://${site.replaceAll(':', '-')}.test/`, '&wait=0'), {
        'x-forwarded-for': `2001:dba:1:${site}::1`,
      });
    const statuses = [];
    for (let index = 0; index < 10; index += 1) statuses.push((await ask(String(index))).status);
    expect(statuses).toEqual([...Array<number>(8).fill(202), 429, 429]);
    const left = await service.get('/api/me', { 'x-forwarded-for': '2001:dba:1:9::1' });
    expect(left.body).toMatchObject({ limits: { scans: { remaining: 0 } } });
  });
});

test('the descriptions are served, and the page needs nothing from elsewhere', async () => {
  const service = await openService({});
  const document = await service.get('/openapi.json');
  expect(document).toMatchObject({ status: 200, body: { openapi: '3.1.1' } });
  // Its patterns name such characters. A reader must see them.
  expect(document.text.match(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu)?.filter((one) => one !== '\n') ?? []).toEqual(
    [],
  );
  const zipped = await service.get('/openapi.json', { 'accept-encoding': 'gzip' });
  expect(zipped.headers['content-encoding']).toBe('gzip');
  const tag = String(zipped.headers['etag']);
  expect((await service.get('/openapi.json', { 'if-none-match': `W/"other", ${tag}` })).status).toBe(304);
  expect((await service.get('/api/findings')).body['findings']).toContainEqual(
    expect.objectContaining({ code: 'https-downgrade', check: 'redirect-check' }),
  );
  expect(await service.get('/problems/rate_limited')).toMatchObject({ status: 200, body: { status: 429 } });
  expect((await service.get('/problems/__proto__')).status).toBe(404);
  const page = await service.get('/docs');
  expect(page.headers['content-security-policy']).toContain("default-src 'none'");
  for (const path of [...page.text.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path]) => path))
    // What watches need is told to whoever comes without it.
    expect([path, (await service.get(String(path))).status]).toEqual([path, path === '/watches' ? 401 : 200]);
  expect(page.text).not.toMatch(/src="https?:/);
  await service.close();
});

test('on all addresses and without PUBLIC_URL, only localhost and addresses are names of the service', async () => {
  const open = await openService({ settings: { HOST: '0.0.0.0' } });
  const named = await openService({ settings: { HOST: '0.0.0.0', PUBLIC_URL: 'https://diag.test' } });
  const statuses = (service: typeof open, fields: readonly Record<string, string>[]) =>
    Promise.all(fields.map(async (field) => (await service.get('/api/me', field)).status));
  const rebound = { host: 'evil.test', origin: 'http://evil.test', 'sec-fetch-site': 'same-origin' };
  const forwarded = { host: 'evil.test', 'x-forwarded-host': 'localhost' };
  const hosts = [{ host: 'localhost:1' }, { host: '192.0.2.1' }, { host: '[2001:db8::1]:1' }];
  expect(await statuses(open, [...hosts, rebound, forwarded, { host: 'diag.test' }])).toEqual([
    200, 200, 200, 400, 400, 400,
  ]);
  // A proxy may put any name there.
  expect(await statuses(named, [{ host: 'diag.test' }, { host: 'upstream' }])).toEqual([200, 200]);
  await open.close();
  await named.close();
});
