import { afterAll, describe, expect, test } from 'vitest';
import { openService, redirectPath } from './kit.ts';

let visits = 0;
const service = await openService({
  sites: {
    'http://a.test': (_request, response) => response.writeHead(301, { location: 'https://a.test/' }).end(),
    'https://a.test': (_request, response) => {
      visits += 1;
      response.writeHead(200, { 'content-type': 'text/html' }).end('<p>hello');
    },
  },
  zone: { 'private.test': { A: ['10.0.0.1'] }, 'mixed.test': { A: ['127.0.0.1', '10.0.0.1'] } },
  settings: { RATE_LIMIT: 'off' },
});
const { get, send } = service;
afterAll(() => service.close());

describe('a tool', () => {
  test('answers with the report of its target', async () => {
    const { status, headers, body } = await get(redirectPath('http://a.test/'));
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(body).toMatchObject({
      schemaVersion: 1,
      check: 'redirect-check',
      target: { url: 'http://a.test/' },
      state: 'complete',
      ended: 'ok',
      redirects: 1,
      finalStatus: 200,
    });
  });

  test('answers an equal question from the report, byte for byte, without asking the target', async () => {
    const url = redirectPath('http://a.test/?equal');
    const first = await get(url);
    const before = visits;
    const second = await get(url);
    expect(second.text).toBe(first.text);
    expect(second.headers['cache-status']).toMatch(/^diag; hit; ttl=\d+$/);
    expect(visits).toBe(before);
  });

  test('takes other spellings of the same target for an equal question', async () => {
    const first = await get(redirectPath('http://a.test/?spelling'));
    const second = await get(redirectPath('HTTP://A.Test:80/x/../?spelling#there'));
    expect(second.body['reportId']).toBe(first.body['reportId']);
  });

  test('reports a target that does not exist, 200 and without a score', async () => {
    const { status, body } = await get(redirectPath('http://nowhere.test/'));
    expect(status).toBe(200);
    expect(body).toMatchObject({
      state: 'unreachable',
      score: null,
      grade: null,
      ended: 'unreachable',
      findings: [{ code: 'target-unreachable' }],
    });
  });

  test.for(['http://private.test/', 'http://mixed.test/'])(
    'reports %s, whose name leads to a private address, without a connection and without the address',
    async (url) => {
      const { status, body, text } = await get(redirectPath(url));
      expect(status).toBe(200);
      expect(body).toMatchObject({
        state: 'unreachable',
        ended: 'refused',
        findings: [{ code: 'target-address-not-allowed' }],
      });
      expect(text).not.toContain('10.0.0.1');
    },
  );
});

describe('a request that is not valid', () => {
  const cases = [
    { name: 'without its target', path: '/api/tools/redirect-check', errors: [['query', 'url']] },
    { name: 'with an empty target', path: '/api/tools/redirect-check?url=', errors: [['query', 'url']] },
    { name: 'with a target that is no URL', path: redirectPath('a.test'), errors: [['query', 'url']] },
    {
      name: 'with a target given twice',
      path: `${redirectPath('http://a.test/')}&url=x`,
      errors: [['query', 'url']],
    },
    {
      name: 'with an array of targets',
      path: '/api/tools/redirect-check?url[]=http://a.test/',
      errors: [
        ['query', 'url[]'],
        ['query', 'url'],
      ],
    },
    {
      name: 'with bad percent-encoding',
      path: '/api/tools/redirect-check?url=%ZZ',
      errors: [['query', 'url']],
    },
    {
      name: 'with bytes that are not UTF-8',
      path: '/api/tools/redirect-check?url=http://a.test/%FF',
      errors: [['query', 'url']],
    },
    {
      name: 'with every fault at once',
      path: '/api/tools/redirect-check?wait=x&fresh=yes&maxAge=-1&colour=red&__proto__=1',
      errors: [
        ['query', 'colour'],
        ['query', '__proto__'],
        ['query', 'url'],
        ['query', 'wait'],
        ['query', 'maxAge'],
        ['query', 'fresh'],
      ],
    },
    {
      name: 'with a wait beyond the limit',
      path: redirectPath('http://a.test/', '&wait=56'),
      errors: [['query', 'wait']],
    },
    {
      name: 'with a port that there is not',
      path: '/api/tools/ssl-check/a.test?port=65536',
      errors: [['query', 'port']],
    },
    {
      name: 'with more selectors than are looked at',
      path: `/api/tools/dns-check/a.test?${Array.from({ length: 11 }, (_, n) => `dkimSelector=s${n}`).join('&')}`,
      errors: [['query', 'dkimSelector']],
    },
    {
      name: 'with a message but not the address that sends it',
      path: '/api/tools/dns-check/a.test?sender=me@a.test',
      errors: [['query', 'ip']],
    },
    {
      name: 'with options in words of their own',
      path: '/api/tools/pagespeed-check?url=http://a.test/&strategy=tablet&runs=9',
      errors: [
        ['query', 'runs'],
        ['query', 'strategy'],
      ],
    },
  ]; // prettier-ignore
  test.for(cases)('$name is a 400 that names each fault', async ({ path, errors }) => {
    const { status, body, headers } = await get(path);
    expect(status).toBe(400);
    expect(headers['content-type']).toBe('application/problem+json');
    expect(headers['cache-control']).toBe('no-store');
    expect(body).toMatchObject({
      code: 'invalid_request',
      type: '/problems/invalid_request',
      requestId: headers['x-request-id'],
    });
    const named = (body['errors'] as unknown as { in: string; name: string }[]).map((error) => [
      error.in,
      error.name,
    ]);
    expect(named.sort()).toEqual(errors.sort());
    for (const { detail } of body['errors'] as unknown as { detail: string }[])
      expect(detail).toMatch(/^[A-Z"](?!.*(?:Invalid|Too big|Expected|\.\.)).*\.$|%2F$/s);
  });

  test.for([
    ['/api/tools/redirect-check?url=http://a.test/?a=1&b=2', 'percent-encode that URL whole'],
    ['/api/tools/redirect-check?URL=http://a.test/', 'Write it "url".'],
    ['/api/tools/redirect-check?url=http%253A%252F%252Fa.test%252F', 'percent-encoded twice'],
    ['/api/tools/dns-check/a.test:443', 'Give only the domain name'],
  ] as const)('%s is told its cure: %s', async ([path, cure]) => {
    const { status, body } = await get(path);
    expect(status).toBe(400);
    expect(JSON.stringify(body['errors'])).toContain(JSON.stringify(cure).slice(1, -1));
  });

  test('nothing between two "&" is nothing', async () => {
    expect((await get(`${redirectPath('http://none.test/', '&&wait=5&')}`)).status).toBe(200);
  });

  test('a port that is not checked is refused by its number, 422, and nothing is sent', async () => {
    const before = service.lab.dns.questions.length;
    const { status, body } = await get('/api/tools/ssl-check/a.test?port=22');
    expect(status).toBe(422);
    expect(body).toMatchObject({ code: 'target_not_allowed', errors: [{ in: 'query', name: 'port' }] });
    expect(service.lab.dns.questions.length).toBe(before);
  });

  test.for([
    'http://127.0.0.2/',
    'http://[::1]/',
    'http://169.254.169.254/',
    'http://2130706434/',
    'http://localhost/',
    'http://a.internal/',
    'http://a.test:25/',
    'ftp://a.test/',
    'http://router/',
  ])('the target %s is refused by its text, 422, and no packet leaves', async (url) => {
    const before = service.lab.dns.questions.length;
    const { status, body } = await get(redirectPath(url));
    expect(status).toBe(422);
    expect(body).toMatchObject({ code: 'target_not_allowed', errors: [{ in: 'query', name: 'url' }] });
    expect(service.lab.dns.questions.length).toBe(before);
  });

  test('a path that is nowhere is a 404, in JSON', async () => {
    for (const path of [
      '/',
      '/api',
      '/api/tools/unknown-check',
      '/API/tools/redirect-check',
      '/api/tools/redirect-check/',
      '/%ZZ',
      '/..%2f..%2fetc',
    ]) {
      const { status, headers, body } = await get(path);
      expect([path, status, headers['content-type']]).toEqual([path, 404, 'application/problem+json']);
      expect(body['code']).toBe('not_found');
    }
  });

  test('another method is a 405 with Allow; OPTIONS says what there is', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      const { status, headers, body } = await send(method, redirectPath('http://a.test/'));
      expect([status, headers['allow'], body['code']]).toEqual([
        405,
        'GET, HEAD, OPTIONS',
        'method_not_allowed',
      ]);
    }
    expect(await send('OPTIONS', redirectPath('http://a.test/'))).toMatchObject({
      status: 204,
      headers: { allow: 'GET, HEAD, OPTIONS' },
      text: '',
    });
  });

  test('Accept that leaves no JSON is a 406; the usual ones are not', async () => {
    for (const accept of [
      'text/html',
      'application/xml',
      'application/json;q=0',
      'application/json; v=1 ; q=0',
    ])
      expect([accept, (await get(redirectPath('http://a.test/'), { accept })).status]).toEqual([accept, 406]);
    for (const accept of [
      '*/*',
      'application/json',
      'application/*',
      '',
      'text/html, */*;q=0.1',
      'application/json; charset=utf-8',
      'text/html, application/json;version=1;q=0.5',
    ])
      expect([accept, (await get(redirectPath('http://a.test/'), { accept })).status]).toEqual([accept, 200]);
  });

  test('HEAD gives what GET gives, without the body', async () => {
    const answer = await send('HEAD', redirectPath('http://a.test/'));
    const { headers } = await get(redirectPath('http://a.test/'));
    expect([answer.status, answer.text, answer.headers['content-length'], answer.headers['etag']]).toEqual([
      200,
      '',
      headers['content-length'],
      headers['etag'],
    ]);
  });

  test('no answer tells what serves it', async () => {
    expect((await get('/api/me')).headers['x-powered-by']).toBeUndefined();
  });
});

test('one line is logged for a request and one for a job, without the URL of the target', async () => {
  await get(redirectPath('http://a.test/?secret=hunter2'), { 'x-request-id': 'my-id' });
  const text = JSON.stringify(service.log);
  expect(
    service.log.filter(
      ({ message, fields }) => message === 'request' && 'requestId' in fields && fields.requestId === 'my-id',
    ),
  ).toHaveLength(1);
  expect(text).not.toContain('hunter2');
});
