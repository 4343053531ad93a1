import type { ServerResponse } from 'node:http';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { randomId } from '#shared/model/job';
import { makeToken } from '#shared/stores/tokens/make-token';
import { openMailServer } from '../lab/kit/mail-server.ts';
import { openService, type Service } from './kit.ts';

const soon = { timeout: 45_000, interval: 100 };
const mail = await openMailServer();
afterAll(() => mail.close());

let isBroken = false;
const sites = {
  'https://site.test': (_request: unknown, response: ServerResponse) =>
    isBroken
      ? response.writeHead(302, { location: '/' }).end()
      : response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>page</title>'),
};
const base = { WATCH_MIN_SECONDS: '1', RATE_LIMIT: 'off', PUBLIC_URL: 'https://checks.test/tools' };
const withMail = { MAIL_URL: `smtp://127.0.0.1:${mail.port}`, MAIL_FROM: 'watches@checks.test' };
const wish = { check: 'redirect-check', targets: ['https://site.test/'], everySeconds: 1 };

async function draw(service: Service) {
  const scopes = ['tools', 'reports:read', 'watch'] as const;
  const { text, token } = makeToken(
    { name: 'test', scopes, limits: {}, expiresAt: null, account: randomId() },
    Date.now(),
  );
  await service.backend.tokenStore.insert(token);
  return async (method: string, path: string, body?: unknown) => {
    const answer = await fetch(`http://127.0.0.1:${service.port}${path}`, {
      method,
      headers: { authorization: `Bearer ${text}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, never> };
  };
}

const page = (service: Service, address: string, init: RequestInit = {}) =>
  fetch(address.replace('https://checks.test/tools', `http://127.0.0.1:${service.port}`), {
    redirect: 'manual',
    ...init,
  });
const form = (fields: Record<string, string>, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  body: new URLSearchParams(fields),
  headers,
});
const mailsTo = (to: string) => mail.taken.filter((one) => one.to.includes(to));
const linkIn = (text = '', name: string) =>
  new RegExp(`https://\\S+/mail/${name}\\?key=\\S+`).exec(text)?.[0] ?? '';

describe('without a mail server', async () => {
  const service = await openService({ settings: base });
  afterAll(() => service.close());

  test('an e-mail address is refused by its name, with what to do', async () => {
    const call = await draw(service);
    const { status, body } = await call('POST', '/api/watches', {
      ...wish,
      notify: { email: { to: 'me@example.test' } },
    });
    expect([status, body]).toMatchObject([
      400,
      {
        code: 'invalid_request',
        errors: [
          {
            in: 'body',
            name: '/notify/email',
            detail: expect.stringContaining('/api/watches/links') as string,
          },
        ],
      },
    ]);
    expect((await call('POST', '/api/watches', { ...wish, notify: { email: null } })).status).toBe(201);
  });
});

describe('with a mail server', async () => {
  const service = await openService({ sites, settings: { ...base, ...withMail } });
  afterAll(() => service.close());

  test.for([
    'me',
    'me@localhost',
    '"me"@example.test',
    'me@example.test, you@example.test',
    'Me <me@example.test>',
    'me(comment)@example.test',
    'me@[127.0.0.1]',
    'me@127.0.0.1',
    'mé@example.test',
    'me@exämple.test',
    'me@example.test\r\nBcc: you@example.test',
    'me@example.test\u0000',
    'me\u0100@example.test',
    `${'a'.repeat(65)}@example.test`,
    'me..you@example.test',
  ])('%j is no address', async (to) => {
    const call = await draw(service);
    const { status, body } = await call('POST', '/api/watches', { ...wish, notify: { email: { to } } });
    expect([status, body]).toMatchObject([400, { errors: [{ in: 'body', name: '/notify/email/to' }] }]);
  });

  test(
    'an address is told once its page was confirmed by a POST, until it wants no more',
    { timeout: 120_000 },
    async () => {
      const to = `${randomId()}@example.test`;
      const call = await draw(service);
      const made = await call('POST', '/api/watches', { ...wish, notify: { email: { to } } });
      expect([made.status, made.body]).toMatchObject([201, { notify: { email: { to }, webhook: null } }]);
      expect(made.body).not.toHaveProperty('webhookSecret');
      const path = `/api/watches/${String(made.body['watchId'])}`;
      await vi.waitFor(() => expect(mailsTo(to)).toHaveLength(1), soon);
      // A second watch of the account does not ask again.
      await call('POST', '/api/watches', { ...wish, everySeconds: 86_400, notify: { email: { to } } });

      const confirm = linkIn(mailsTo(to)[0]?.text, 'confirm');
      for (const method of ['HEAD', 'GET', 'GET'])
        expect((await page(service, confirm, { method })).status).toBe(200);
      const isConfirmed = async () =>
        (await (await page(service, confirm)).text()).includes('Your address is confirmed');
      expect(await isConfirmed()).toBe(false);
      const statesOf = async () =>
        (
          (await call('GET', `${path}/deliveries`)).body as {
            deliveries?: { channel: string; type: string; state: string }[];
          }
        ).deliveries?.filter(({ channel }) => channel === 'email');
      await vi.waitFor(
        async () =>
          expect((await call('GET', `${path}/targets`)).body).toMatchObject({ targets: [{ state: 'ok' }] }),
        soon,
      );
      isBroken = true;
      await vi.waitFor(
        async () =>
          expect(await statesOf()).toContainEqual(
            expect.objectContaining({ type: 'watch.changed', state: 'pending' }),
          ),
        soon,
      );
      await call('PATCH', path, { paused: true });
      expect(mailsTo(to)).toHaveLength(1);

      // Nobody else's page confirms it, an empty form does not, and keys open one page each.
      const foreign = { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' };
      expect((await page(service, confirm, form({ confirm: 'yes' }, foreign))).status).toBe(403);
      expect((await page(service, confirm, form({}))).status).toBe(200);
      const stopLink = linkIn(mailsTo(to)[0]?.text, 'stop');
      expect(
        (await page(service, stopLink.replace('stop', 'confirm'), form({ confirm: 'yes' }))).status,
      ).toBe(404);
      expect((await page(service, `${confirm}x`)).status).toBe(404);
      expect(await isConfirmed()).toBe(false);
      const answer = await page(service, confirm, form({ confirm: 'yes' }));
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
      expect(await isConfirmed()).toBe(true);

      // What waited for that is sent, and told once by the feed.
      await vi.waitFor(() => expect(mailsTo(to)).toHaveLength(2), soon);
      const told = mailsTo(to)[1];
      expect(told?.headers.get('subject')).toBe('[Diagnostic Tools] Something got worse: site.test');
      expect(told?.text).toContain('https://checks.test/tools/r/');
      const { feed } = (await call('POST', '/api/watches/links')).body as { feed?: string };
      const entries = await (await page(service, String(feed))).text();
      expect(entries.match(/<category term="watch.changed"/g)).toHaveLength(1);

      // One click of a mail program ends it; a program that only looks does not.
      const oneClick = /<(.+)>/.exec(told?.headers.get('list-unsubscribe') ?? '')?.[1] ?? '';
      expect((await page(service, oneClick)).status).toBe(200);
      await call('POST', `${path}/test`);
      await vi.waitFor(() => expect(mailsTo(to)).toHaveLength(3), soon);
      const boundary = { 'content-type': 'multipart/form-data; boundary=x' };
      const body =
        '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n';
      expect((await page(service, oneClick, { method: 'POST', body, headers: boundary })).status).toBe(200);
      const test_ = await call('POST', `${path}/test`);
      await vi.waitFor(
        async () =>
          expect((await statesOf())?.[0]).toMatchObject({
            state: 'dead',
            failure: 'the address wants no mail',
          }),
        soon,
      );
      expect(test_.status).toBe(202);
      // It can be allowed again; then it is asked anew.
      expect(await (await page(service, oneClick, form({ again: 'yes' }))).text()).toContain('Stop all mail');
      expect(await isConfirmed()).toBe(false);
      await call('POST', `${path}/test`);
      await vi.waitFor(
        () =>
          expect(mailsTo(to).at(-1)?.headers.get('subject')).toBe(
            '[Diagnostic Tools] Confirm your e-mail address',
          ),
        soon,
      );
      expect(mailsTo(to)).toHaveLength(4);
      expect(JSON.stringify(service.log)).not.toMatch(/mail\/(?:stop|confirm)\?key/);
      expect(JSON.stringify(service.log)).not.toContain(to);
    },
  );
});
