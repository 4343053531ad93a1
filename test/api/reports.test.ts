import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeToken, type TokenWish } from '#shared/stores/tokens/make-token';
import { drawToken } from '#shared/stores/tokens/token-text';
import { type Answer, openService, redirectPath, type Service, type ServiceOptions } from './kit.ts';

const sites = {
  'http://a.test': (_request: unknown, response: { writeHead(status: number): { end(): void } }) =>
    response.writeHead(204).end(),
};

/** The service, and a way to draw tokens for it. */
async function openWithTokens(options: ServiceOptions = {}) {
  const service = await openService({ sites, ...options });
  const draw = async (wish: Partial<TokenWish> = {}) => {
    const { text, token } = makeToken(
      { name: 'test', scopes: ['tools', 'reports:read'], limits: {}, expiresAt: null, ...wish },
      Date.now(),
    );
    await service.backend.tokenStore.insert(token);
    const as = { authorization: `Bearer ${text}` };
    return { text, token, as, get: (path: string, more = {}) => service.get(path, { ...as, ...more }) };
  };
  return { service, draw };
}

const idOf = ({ body }: Answer) => String(body['reportId']);
const codeOf = ({ status, body }: Answer) => [status, body['code']];

describe('reports by their id', async () => {
  const { service, draw } = await openWithTokens();
  afterAll(() => service.close());

  test('a report is read again by the account that was given it, byte for byte, and by no other', async () => {
    const [owner, other] = [await draw(), await draw()];
    const given = await owner.get(redirectPath('http://a.test/1'));
    const link = /<([^>]+)>; rel="self"/.exec(String(given.headers['link']))?.[1] ?? '';
    expect(link).toBe(`/api/reports/${idOf(given)}`);
    const again = await owner.get(link);
    expect(again.text).toBe(given.text);
    expect(again.headers).toMatchObject({ 'cache-control': expect.stringMatching(/^private, max-age=\d+$/) });
    expect((await owner.get(link, { 'if-none-match': again.headers.etag ?? '' })).status).toBe(304);
    expect(codeOf(await other.get(link))).toEqual([404, 'report_not_found']);
    // Answered from the cache, another account has been given it too.
    expect((await other.get(redirectPath('http://a.test/1'))).headers['cache-status']).toMatch(/^diag; hit/);
    expect((await other.get(link)).text).toBe(given.text);
  });

  test('one that was given without a token is readable with any', async () => {
    const given = await service.get(redirectPath('http://a.test/2'));
    const { get } = await draw();
    expect((await get(`/api/reports/${idOf(given)}`)).status).toBe(200);
  });

  test('the account reads on after its token was rotated', async () => {
    const old = await draw();
    const given = await old.get(redirectPath('http://a.test/3'));
    const fresh = await draw({ account: old.token.account });
    await service.backend.tokenStore.revoke(old.token.tokenId, Date.now());
    expect(codeOf(await old.get(`/api/reports/${idOf(given)}`))).toEqual([401, 'invalid_token']);
    expect((await fresh.get(`/api/reports/${idOf(given)}`)).status).toBe(200);
  });

  test.for([
    ['unknown', '0123456789abcdef0123456789abcdef'],
    ['too short', 'abc'],
    ['operators', '%7B%22%24ne%22%3Anull%7D'],
    ['__proto__', '__proto__'],
    ['upper case', '0123456789ABCDEF0123456789ABCDEF'],
  ] as const)('an id that is %s is one 404', async ([, id]) => {
    const { get } = await draw();
    for (const path of [`/api/reports/${id}`, `/api/reports/${id}/export`, `/api/reports/${id}/screenshot`])
      expect(codeOf(await get(path))).toEqual([404, 'report_not_found']);
    expect(codeOf(await get(`/api/reports/${id}/diff/${id}`))).toEqual([404, 'report_not_found']);
  });

  test('unknown, foreign and malformed ids take the same time', async () => {
    const [owner, other] = [await draw(), await draw()];
    const foreign = idOf(await owner.get(redirectPath('http://a.test/4')));
    const times = new Map<string, number[]>();
    for (let round = 0; round < 60; round += 1)
      for (const id of [foreign, 'f'.repeat(32), 'x']) {
        const start = performance.now();
        await other.get(`/api/reports/${id}`);
        times.set(id, [...(times.get(id) ?? []), performance.now() - start]);
      }
    // The fastest of many: what another process takes of the machine makes answers slower, never faster.
    const fastest = [...times.values()].map((all) => Math.min(...all));
    expect(Math.max(...fastest) / Math.min(...fastest)).toBeLessThan(2);
  });

  test('without a token, or without its scope, a report is not shown', async () => {
    const path = `/api/reports/${idOf(await service.get(redirectPath('http://a.test/5')))}`;
    const bare = await service.get(path);
    expect(codeOf(bare)).toEqual([401, 'token_required']);
    expect(bare.headers['www-authenticate']).toBe('Bearer realm="diag", scope="reports:read"');
    const { get } = await draw({ scopes: ['tools'] });
    const narrow = await get(path);
    expect(codeOf(narrow)).toEqual([403, 'insufficient_scope']);
    expect(narrow.headers['www-authenticate']).toContain('error="insufficient_scope", scope="reports:read"');
  });

  test('a report is exported in each format, as a file that is nothing else', async () => {
    const { get } = await draw();
    const id = idOf(await get(redirectPath('http://a.test/6')));
    const types = {
      json: 'application/json; charset=utf-8',
      html: 'text/html; charset=utf-8',
      md: 'text/markdown; charset=utf-8; variant=GFM',
      csv: 'text/csv; charset=utf-8; header=present',
      sarif: 'application/sarif+json; charset=utf-8',
      junit: 'application/xml; charset=utf-8',
    };
    const etags = new Set<unknown>();
    for (const [format, type] of Object.entries(types)) {
      const path = `/api/reports/${id}/export?format=${format}`;
      const file = await get(path, { accept: 'image/png' });
      expect(file).toMatchObject({
        status: 200,
        headers: {
          'content-type': type,
          'x-content-type-options': 'nosniff',
          'content-disposition': expect.stringMatching(
            /^attachment; filename="diag-a\.test-redirect-check-\d{4}-\d\d-\d\d\.\w+"$/,
          ),
        },
      });
      expect(file.text.length).toBeGreaterThan(100);
      etags.add(file.headers.etag);
      expect((await get(path, { 'if-none-match': String(file.headers.etag) })).status).toBe(304);
      const packed = await get(path, { 'accept-encoding': 'gzip' });
      expect(packed.headers['content-encoding']).toBe(file.text.length < 1024 ? undefined : 'gzip');
    }
    expect(etags.size).toBe(6);
    const html = await get(`/api/reports/${id}/export?format=html`);
    expect(html.headers['content-security-policy']).toContain("default-src 'none'");
    const head = await service.send('HEAD', `/api/reports/${id}/export`, (await draw()).as);
    expect(head.status).toBe(404);
  });

  test('an unknown format is a 400 that lists the formats', async () => {
    const { get } = await draw();
    const id = idOf(await get(redirectPath('http://a.test/7')));
    const refused = await get(`/api/reports/${id}/export?format=docx`);
    expect(codeOf(refused)).toEqual([400, 'unknown_format']);
    expect(JSON.stringify(refused.body['errors'])).toContain(
      'json, html, md, csv, sarif, junit, ics, har, pdf',
    );
    // Of domain-health alone.
    const calendar = await get(`/api/reports/${id}/export?format=ics`);
    expect(codeOf(calendar)).toEqual([400, 'unknown_format']);
    expect(JSON.stringify(calendar.body['errors'])).not.toContain('ics');
    // Only a page load has requests.
    expect(codeOf(await get(`/api/reports/${id}/export?format=har`))).toEqual([400, 'unknown_format']);
    expect(codeOf(await get(`/api/reports/${id}/export?format=`))).toEqual([400, 'invalid_request']);
    expect(codeOf(await get(`/api/reports/${id}/export?format=json&format=csv`))).toEqual([
      400,
      'invalid_request',
    ]);
  });

  test('a report has no screenshot, or a picture and nothing else', async () => {
    const { get } = await draw();
    const reportId = idOf(await get(redirectPath('http://a.test/8')));
    const path = `/api/reports/${reportId}/screenshot`;
    expect(codeOf(await get(path))).toEqual([404, 'not_found']);
    const keep = (text: string) =>
      service.backend.reportStore.keepBlob(
        { reportId, kind: 'screenshot' },
        Buffer.from(text, 'latin1'),
        Date.now() + 60_000,
      );
    await keep('<script>alert(1)</script>');
    expect(codeOf(await get(path))).toEqual([404, 'not_found']);
    await keep('\xff\xd8\xff\xe0 a picture');
    expect(await get(path)).toMatchObject({ status: 200, headers: { 'content-type': 'image/jpeg' } });
  });
});

describe('history and differences', async () => {
  let service: Service;
  let draw: Awaited<ReturnType<typeof openWithTokens>>['draw'];
  beforeAll(async () => {
    ({ service, draw } = await openWithTokens({
      sites: {
        ...sites,
        'http://moves.test': (request, response) =>
          request.url === '/mended' || isMended.now
            ? response.writeHead(204).end()
            : response.writeHead(302, { Location: 'http://a.test/' }).end(),
      },
      settings: { FRESH_SECONDS: '0' },
    }));
  });
  afterAll(() => service.close());
  const isMended = { now: false };

  test('the history has what the account was given, newest first, in pages', async () => {
    const { get } = await draw();
    expect((await get('/api/reports')).body).toEqual({ reports: [], next: null });
    const ids: string[] = [];
    for (const at of ['1', '2', '3', '4', '5'])
      ids.push(idOf(await get(redirectPath(`http://a.test/h${at}`))));
    const all = await get('/api/reports?limit=100');
    const rows = all.body['reports'] as unknown as { reportId: string; target: string }[];
    expect(rows.map(({ reportId }) => reportId)).toEqual(ids.toReversed());
    expect(rows[0]).toMatchObject({ check: 'redirect-check', target: 'http://a.test/h5', state: 'complete' });
    const pages: string[] = [];
    let next = '';
    do {
      const page = await get(`/api/reports?limit=2${next && `&before=${next}`}`);
      pages.push(...(page.body['reports'] as unknown as typeof rows).map(({ reportId }) => reportId));
      next = String(page.body['next'] ?? '');
      expect(page.headers['link'] ?? '').toContain(next && `before=${next}`);
    } while (next !== '');
    expect(pages).toEqual(ids.toReversed());
    const one = await get(
      `/api/reports?target=${encodeURIComponent('HTTP://A.test:80/h3')}&check=redirect-check`,
    );
    expect(one.body['reports']).toMatchObject([{ reportId: ids[2] }]);
    expect((await get('/api/reports?check=ssl-check')).body['reports']).toEqual([]);
  });

  test('bad parameters of the history are told all at once', async () => {
    const { get } = await draw();
    const refused = await get('/api/reports?limit=0&before=x&check=nope&target=http%3A%2F%2F');
    expect(codeOf(refused)).toEqual([400, 'invalid_request']);
    const names = (refused.body['errors'] as unknown as { name: string }[]).map(({ name }) => name);
    expect(names.toSorted()).toEqual(['before', 'check', 'limit', 'target']);
    expect(codeOf(await get('/api/reports?account=other'))).toEqual([400, 'invalid_request']);
  });

  test('two reports of one target are compared; of two targets they are not', async () => {
    const { get } = await draw();
    const first = idOf(await get(redirectPath('http://moves.test/start')));
    isMended.now = true;
    const second = idOf(await get(redirectPath('http://moves.test/start', '&fresh=1&maxAge=0')));
    const same = await get(`/api/reports/${first}/diff/${first}`);
    expect(same.body).toMatchObject({
      rulesChanged: false,
      scoreDelta: 0,
      findings: { added: [], fixed: [] },
    });
    const stranger = idOf(await get(redirectPath('http://a.test/other')));
    const refused = await get(`/api/reports/${first}/diff/${stranger}`);
    expect(codeOf(refused)).toEqual([400, 'invalid_request']);
    expect(second).toMatch(/^[0-9a-f]{32}$/);
  });
});

describe('tokens', async () => {
  const { service, draw } = await openWithTokens({
    settings: { LIMIT_TOKEN_REQUESTS: '50/60', LIMIT_ANON_REQUESTS: '40/60' },
  });
  afterAll(() => service.close());

  test('a token has limits of its own, told by /api/me', async () => {
    const { get } = await draw({ name: 'batch', limits: { scans: { points: 2, windowS: 60 } } });
    expect((await get('/api/me')).body).toMatchObject({
      kind: 'token',
      name: 'batch',
      scopes: ['tools', 'reports:read'],
      limits: { requests: { limit: 50, remaining: 49 }, scans: { limit: 2, remaining: 2 } },
    });
    await get(redirectPath('http://a.test/t1'));
    await get(redirectPath('http://a.test/t2'));
    expect(codeOf(await get(redirectPath('http://a.test/t3')))).toEqual([429, 'rate_limited']);
    expect((await service.get(redirectPath('http://a.test/t3'))).status).toBe(200);
  });

  test('a token that has expired, was revoked or never was, is a 401 at once, also where none is needed', async () => {
    const [dead, live] = [await draw({ expiresAt: Date.now() - 1 }), await draw()];
    const path = redirectPath('http://a.test/t4');
    expect((await live.get(path)).status).toBe(200);
    expect((await live.get(path)).status).toBe(200);
    await service.backend.tokenStore.revoke(live.token.tokenId, Date.now());
    for (const bearer of [dead.text, live.text, drawToken(), 'dtk_wrong', '', 'a b', 'x'.repeat(3000)]) {
      const refused = await service.get(path, { authorization: `Bearer ${bearer}` });
      expect(codeOf(refused)).toEqual([401, 'invalid_token']);
      expect(refused.headers['www-authenticate']).toContain('error="invalid_token"');
    }
    expect(codeOf(await live.get('/api/findings'))).toEqual([401, 'invalid_token']);
  });

  test('a token without the scope for tools is told so', async () => {
    const { get } = await draw({ scopes: ['reports:read'] });
    expect(codeOf(await get(redirectPath('http://a.test/t4')))).toEqual([403, 'insufficient_scope']);
    expect((await get('/api/reports')).status).toBe(200);
  });

  test('an answer to a token is private; its repeats come from memory', async () => {
    const { get } = await draw();
    const path = redirectPath('http://a.test/t5');
    await get(path);
    const again = await get(path);
    expect(again.headers['cache-control']).toMatch(/^private, max-age=\d+$/);
    expect(again.headers['cache-status']).toMatch(/^diag; hit/);
    expect(service.log.at(-1)?.fields).toMatchObject({ route: 'memory' });
    expect((await service.get(path)).headers['cache-control']).toMatch(/^public, max-age=\d+$/);
  });

  test('guessing tokens is counted against the address', async () => {
    let last: Answer | undefined;
    for (let index = 0; index < 45; index += 1)
      last = await service.get('/api/me', { authorization: `Bearer ${drawToken()}` });
    expect(last && codeOf(last)).toEqual([429, 'rate_limited']);
  });

  test('nothing of a token is logged', async () => {
    const { text, get } = await draw();
    await get('/api/me');
    expect(JSON.stringify(service.log)).not.toContain(text);
  });
});

describe('a service for token holders alone', async () => {
  const { service, draw } = await openWithTokens({ settings: { AUTH_MODE: 'token' } });
  afterAll(() => service.close());

  test('starts and shows checks to them alone; the descriptions stay open', async () => {
    for (const path of [redirectPath('http://a.test/'), '/api/jobs/0123456789abcdef0123456789abcdef']) {
      const refused = await service.get(path);
      expect(codeOf(refused)).toEqual([401, 'token_required']);
      expect(refused.headers['www-authenticate']).toBe('Bearer realm="diag", scope="tools"');
    }
    for (const path of ['/api/findings', '/openapi.json', '/problems/token_required', '/docs', '/api/me'])
      expect((await service.get(path)).status).toBe(200);
    expect((await service.get('/api/me')).body).toMatchObject({ kind: 'anonymous', scopes: [] });
    const { get } = await draw();
    const first = await get(redirectPath('http://a.test/'));
    expect(first.headers['cache-control']).toMatch(/^private/);
    expect((await service.get(redirectPath('http://a.test/'))).status).toBe(401);
  });
});

describe('a service without report ids', async () => {
  const { service, draw } = await openWithTokens({ settings: { REPORT_IDS: 'off' } });
  afterAll(() => service.close());

  test('shows an id nowhere, and has no address for one', async () => {
    const answer = await service.get(redirectPath('http://a.test/'));
    expect(answer.body).not.toHaveProperty('reportId');
    expect(answer.headers['link']).toBe('</openapi.json>; rel="service-desc"');
    expect(answer.body['expiresAt']).toBe(answer.body['freshUntil']);
    const { get } = await draw();
    for (const path of [
      '/api/reports',
      '/api/reports/0123456789abcdef0123456789abcdef',
      '/api/reports/x/export',
    ])
      for (const ask of [get, service.get, (at: string) => service.get(at, { authorization: 'Bearer x' })])
        expect(codeOf(await ask(path))).toEqual([404, 'report_ids_disabled']);
  });
});

test('a path that will end says so on every answer, from memory too, and no other does', async () => {
  const { service, draw } = await openWithTokens({
    deprecations: [
      {
        path: '/api/tools/redirect-check',
        since: Date.parse('2026-01-02T03:04:05Z'),
        sunset: Date.parse('2027-01-02T03:04:05Z'),
        link: 'https://example.com/changes',
      },
    ],
  });
  const { get } = await draw();
  for (const path of [
    redirectPath('http://a.test/'),
    redirectPath('http://a.test/'),
    redirectPath('nonsense'),
  ]) {
    const { headers } = await get(path);
    expect(headers).toMatchObject({
      deprecation: '@1767323045',
      sunset: 'Sat, 02 Jan 2027 03:04:05 GMT',
      link: expect.stringContaining('<https://example.com/changes>; rel="deprecation"'),
    });
  }
  const { headers, body } = await get(redirectPath('http://a.test/'));
  expect(headers['link']).toContain(`</api/reports/${String(body['reportId'])}>; rel="self"`);
  expect((await get('/api/me')).headers).not.toHaveProperty('deprecation');
  await service.close();
});
