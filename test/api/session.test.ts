import type { ServerResponse } from 'node:http';
import { afterAll, describe, expect, test } from 'vitest';
import { makeToken } from '#shared/stores/tokens/make-token';
import { routeTable } from '../../api/listener/route-table.ts';
import { openService, type Service } from './kit.ts';

const sites = {
  'http://a.test': (_request: unknown, response: ServerResponse) =>
    void response.writeHead(200).end('<p>hello'),
};
const closed = await openService({ sites, settings: { AUTH_MODE: 'token', RATE_LIMIT: 'off' } });
const secure = await openService({
  settings: { AUTH_MODE: 'token', PUBLIC_URL: 'https://diag.test' },
});
const below = await openService({
  settings: { AUTH_MODE: 'token', PUBLIC_URL: 'https://diag.test/checks' },
});
const services = [closed, secure, below];
afterAll(() => Promise.all(services.map((service) => service.close())));

const page = '/u/redirect-check?url=http%3A%2F%2Fa.test%2F';
const html = { accept: 'text/html', connection: 'close' };

async function drawToken({ backend }: Service, expiresAt: number | null = null) {
  const wish = { name: 'mine', scopes: ['tools', 'reports:read'], limits: {}, expiresAt } as const;
  const { text, token } = makeToken(wish, Date.now());
  await backend.tokenStore.insert(token);
  return { text, token };
}

type Form = { readonly [field: string]: string };

async function post({ port }: Service, path: string, form: Form, headers: Record<string, string> = {}) {
  return fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    body: new URLSearchParams(form),
    headers: { ...html, ...headers },
    redirect: 'manual',
  });
}

async function open({ port }: Service, path: string, cookie: string, accept = html.accept) {
  const headers = { ...html, accept, cookie };
  return fetch(`http://127.0.0.1:${port}${path}`, { headers, redirect: 'manual' });
}

/** Signs in, and gives the cookie as a browser sends it. */
async function signIn(service: Service, text: string): Promise<string> {
  const answer = await post(service, '/session', { token: text, next: page });
  expect([answer.status, answer.headers.get('location')]).toEqual([303, page]);
  return answer.headers.get('set-cookie')?.split(';')[0] ?? '';
}

test('who signs in sees pages, starts a check and gets its PDF’s address, without a script', async () => {
  const { text } = await drawToken(closed);
  const asked = await open(closed, page, '');
  expect(asked.status).toBe(401);
  expect(await asked.text()).toContain(`name="next" value="${page.replace('&', '&amp;')}"`);
  const cookie = await signIn(closed, text);
  const empty = await open(closed, page, cookie);
  expect([empty.status, empty.headers.get('cache-control')]).toEqual([200, 'private, no-store']);
  const started = await post(closed, page, {}, { cookie });
  expect([started.status, started.headers.get('location')?.startsWith(page)]).toEqual([303, true]);
  const going = await open(closed, started.headers.get('location') ?? '', cookie);
  // The API, which a script would ask, knows no session: the page loads itself again.
  expect(await going.text()).not.toContain('data-job');
  const shown = async () => (await open(closed, page, cookie)).text();
  await expect.poll(shown, { timeout: 60_000, interval: 200 }).toContain('class="report"');
  const [, report = ''] = /href="(\/r\/\w+)"/.exec(await shown()) ?? [];
  const alone = await open(closed, report, cookie);
  expect([alone.status, alone.headers.get('cache-control')]).toEqual([200, 'private, no-store']);
  expect((await open(closed, report, '')).status).toBe(401);
  for (const body of [await alone.text(), await (await open(closed, '/session', cookie)).text()])
    expect(body).not.toMatch(/dtk_/);
});

test('the API takes no session', async () => {
  const cookie = await signIn(closed, (await drawToken(closed)).text);
  for (const path of ['/api/tools/redirect-check?url=http%3A%2F%2Fa.test%2F', '/api/reports'])
    expect([path, (await open(closed, path, cookie, '*/*')).status]).toEqual([path, 401]);
  expect((await (await open(closed, '/api/me', cookie, '*/*')).json()) as object).toMatchObject({
    kind: 'anonymous',
  });
});

describe('a session ends', () => {
  test('when its owner signs out, and each sign-in draws a new one', async () => {
    const { text } = await drawToken(closed);
    const [first, second] = [await signIn(closed, text), await signIn(closed, text)];
    expect(first).not.toBe(second);
    const out = await post(closed, '/session', {}, { cookie: first });
    expect(out.headers.get('set-cookie')).toMatch(/^diag-session=; Max-Age=0; /);
    expect((await open(closed, page, first)).status).toBe(401);
    expect((await open(closed, page, second)).status).toBe(200);
  });

  test('when its token is revoked or expires', async () => {
    const { text, token } = await drawToken(closed);
    const cookie = await signIn(closed, text);
    await closed.backend.tokenStore.revoke(token.tokenId, Date.now());
    expect((await open(closed, page, cookie)).status).toBe(401);
    const brief = await drawToken(closed, Date.now() + 90_000);
    const { headers } = await post(closed, '/session', { token: brief.text });
    const [, seconds] = /Max-Age=(\d+)/.exec(headers.get('set-cookie') ?? '') ?? [];
    expect(Number(seconds)).toBeGreaterThan(0);
    expect(Number(seconds)).toBeLessThanOrEqual(90);
  });
});

test('nobody keeps an answer to a request with the cookie, whatever it is worth and whatever is asked', async () => {
  const cookie = await signIn(closed, (await drawToken(closed)).text);
  const id = '0'.repeat(32);
  const addresses = routeTable
    .filter(({ method }) => method === 'GET')
    .map(({ pattern }) =>
      pattern
        .replace(':domain', 'a.test')
        .replace(':check', pattern.startsWith('/u/') ? 'redirect-check' : 'dns-check')
        .replace(':code', 'not_found')
        .replace(':name', 'page.css')
        .replace(':file', 'a.test.svg')
        .replace(/:\w+/g, id),
    );
  const asked = [...addresses, '/nothing'].flatMap((path) =>
    [cookie, 'diag-session=x'].flatMap((sent) => ['*/*', 'text/html'].map((accept) => [path, sent, accept])),
  );
  const kept: string[] = [];
  for (const [path = '', sent = '', accept] of asked) {
    const { status, headers } = await open(closed, path, sent, accept);
    const field = headers.get('cache-control');
    if (field !== 'private, no-store') kept.push(`${path} ${status}: ${field}`);
  }
  expect(kept).toEqual([]);
  expect((await open(closed, '/robots.txt', 'other=1', '*/*')).headers.get('cache-control')).toContain(
    'public',
  );
});

test('a cookie is for this service alone, and over https for https alone', async () => {
  const given = async (service: Service) => {
    const { text } = await drawToken(service);
    return (await post(service, '/session', { token: text })).headers.get('set-cookie') ?? '';
  };
  expect(await given(closed)).toMatch(
    /^diag-session=[\w-]{22}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/,
  );
  expect(await given(secure)).toMatch(
    /^__Host-diag-session=[\w-]{22}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
  );
  expect(await given(below)).toMatch(
    /^diag-session=[\w-]{22}; Max-Age=43200; Path=\/checks; HttpOnly; SameSite=Strict; Secure$/,
  );
});

test.for([
  { name: 'a token that is none', form: { token: 'dtk_nonsense' }, headers: {}, status: 401 },
  {
    name: 'a form of another site',
    form: { token: 'dtk_nonsense' },
    headers: { origin: 'https://evil.test' },
    status: 403,
  },
])('$name is no way in: $status', async ({ form, headers, status }) => {
  const answer = await post(closed, '/session', form, headers);
  expect([answer.status, answer.headers.get('set-cookie')]).toEqual([status, null]);
});

test.for(['//evil.test/', '/\\evil.test/', 'https://evil.test/', '/.//evil.test/', 'javascript:alert(1)'])(
  'signing in leads to no other site: %s',
  async (next) => {
    const { text } = await drawToken(closed);
    const { headers } = await post(closed, '/session', { token: text, next });
    const to = headers.get('location') ?? '';
    expect(new URL(to, 'http://own.invalid').origin).toBe('http://own.invalid');
  },
);

test.for(['diag-session=', 'diag-session=x; diag-session=y', `diag-session=${'A'.repeat(22)}`])(
  'a cookie that stands for nothing is nobody: %s',
  async (cookie) => {
    expect((await open(closed, page, cookie)).status).toBe(401);
  },
);

test('where no token is needed there is no session', async () => {
  const free = await openService({});
  expect((await open(free, '/session', '')).status).toBe(404);
  expect((await post(free, '/session', { token: 'x' })).status).toBe(404);
  await free.close();
});
