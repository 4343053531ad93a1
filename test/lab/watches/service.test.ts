import { createHmac } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { randomId } from '#shared/model/job';
import type { Scope } from '#shared/ports/token-store';
import { makeToken } from '#shared/stores/tokens/make-token';
import { openService, type Service } from '../../api/kit.ts';

type Got = { readonly id: string; readonly body: string; readonly isSigned: boolean };
const got: Got[] = [];
let secret = '';
let statusOf: (id: string) => number = () => 204;

function receive(request: IncomingMessage, response: ServerResponse) {
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', () => {
    const body = Buffer.concat(pieces).toString();
    const field = (name: string) => String(request.headers[name]);
    const id = field('webhook-id');
    const signed = createHmac('sha256', Buffer.from(secret.slice(6), 'base64'))
      .update(`${id}.${field('webhook-timestamp')}.${body}`)
      .digest('base64');
    got.push({ id, body, isSigned: field('webhook-signature').split(' ').includes(`v1,${signed}`) });
    response.writeHead(statusOf(id), { location: 'https://elsewhere.test/' }).end('x'.repeat(100));
  });
}

let isBroken = false;
let elsewhere = 0;
const sites = {
  'https://hook.test': receive,
  'https://elsewhere.test': (_request: unknown, response: ServerResponse) => {
    elsewhere += 1;
    response.writeHead(204).end();
  },
  'https://site.test': (request: IncomingMessage, response: ServerResponse) =>
    isBroken
      ? response.writeHead(302, { location: request.url ?? '/' }).end()
      : response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>page</title>'),
};
const settings = { WATCH_MIN_SECONDS: '1', RATE_LIMIT: 'off' };
const soon = { timeout: 45_000, interval: 100 };
const longTest = 90_000;

async function draw(service: Service, scopes: readonly Scope[] = ['tools', 'reports:read', 'watch']) {
  const account = randomId();
  const { text, token } = makeToken(
    { name: 'test', scopes, limits: {}, expiresAt: null, account },
    Date.now(),
  );
  await service.backend.tokenStore.insert(token);
  const authorization = `Bearer ${text}`;
  const call = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const answer = await fetch(`http://127.0.0.1:${service.port}${path}`, {
      method,
      headers: {
        authorization,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const sent = await answer.text();
    const isJson = answer.headers.get('content-type')?.includes('json') === true;
    return {
      status: answer.status,
      text: sent,
      body: (isJson ? JSON.parse(sent) : {}) as Record<string, never>,
    };
  };
  return { call, token };
}

const wish = {
  check: 'redirect-check',
  targets: ['https://site.test/'],
  everySeconds: 1,
  notify: { webhook: { url: 'https://hook.test/in?key=hidden' } },
};
const typesGot = () => got.map(({ body }) => (JSON.parse(body) as { type: string }).type);

describe('a watch', async () => {
  const zone = { 'inside.test': { A: ['10.0.0.1'] } };
  const service = await openService({ sites, zone, settings });
  afterAll(() => service.close());
  beforeEach(() => {
    got.length = 0;
    isBroken = false;
    statusOf = () => 204;
  });

  test(
    'tells a receiver once of what changed, signed, and first of all a test',
    { timeout: longTest },
    async () => {
      const { call } = await draw(service);
      const made = await call('POST', '/api/watches', wish);
      expect(made.status).toBe(201);
      secret = String(made.body['webhookSecret']);
      const path = `/api/watches/${String(made.body['watchId'])}`;
      // Each turn may have a second look.
      expect(made.body).toMatchObject({ targetCount: 1, paused: false, scansPerDay: 172_800, options: {} });
      await vi.waitFor(() => expect(typesGot()).toContain('watch.test'), soon);
      const stateOf = async () =>
        ((await call('GET', `${path}/targets`)).body as { targets?: { state: string }[] }).targets?.[0]
          ?.state;
      await vi.waitFor(async () => expect(await stateOf()).toBe('ok'), soon);
      isBroken = true;
      await vi.waitFor(() => expect(typesGot()).toContain('watch.changed'), soon);
      expect(typesGot()).toEqual(['watch.test', 'watch.changed']);
      expect(got.every(({ isSigned }) => isSigned)).toBe(true);
      const { data } = JSON.parse(got[1]?.body ?? '{}') as {
        data: { news: { kind: string; code: string }[] };
      };
      expect(data.news).toContainEqual(
        expect.objectContaining({ kind: 'finding-added', code: 'redirect-loop' }),
      );
      const { deliveries } = (await call('GET', `${path}/deliveries`)).body as {
        deliveries?: { state: string; deliveryId: string }[];
      };
      expect(deliveries?.map(({ state }) => state)).toEqual(['delivered', 'delivered']);
      // Paused, nothing more is checked; the same event can be sent again, under its id.
      expect((await call('PATCH', path, { paused: true })).body).toMatchObject({
        pausedReason: 'owner',
        nextAt: null,
      });
      const [told] = deliveries ?? [];
      expect((await call('POST', `${path}/deliveries/${told?.deliveryId}/replay`)).status).toBe(202);
      await vi.waitFor(
        () => expect(got.map(({ id }) => id).filter((id) => id === told?.deliveryId)).toHaveLength(2),
        soon,
      );
      expect(got.at(-1)?.body).toBe(got[1]?.body);
      // A new secret signs beside the old one for a day.
      secret = String((await call('POST', `${path}/secret`)).body['webhookSecret']);
      expect((await call('POST', `${path}/test`)).status).toBe(202);
      await vi.waitFor(() => expect(got).toHaveLength(4), soon);
      expect(got.at(-1)?.isSigned).toBe(true);
      const log = JSON.stringify(service.log);
      expect(log).not.toContain('hidden');
      const links = (await call('POST', '/api/watches/links')).body as { feed?: string; calendar?: string };
      const feed = await service.send('GET', String(links.feed));
      expect([feed.status, feed.headers['content-type'], feed.headers['cache-control']]).toEqual([
        200,
        'application/atom+xml; charset=utf-8',
        'private, no-cache',
      ]);
      expect(feed.text).toContain('watch.changed');
      expect((await service.send('GET', String(links.calendar))).text).toMatch(/^BEGIN:VCALENDAR\r\n/);
      expect((await service.send('GET', `${String(links.feed)}x`)).status).toBe(401);
      expect(
        (await service.send('GET', String(links.feed).replace('feed.atom', 'expiries.ics'))).status,
      ).toBe(401);
      expect((await call('DELETE', path)).status).toBe(204);
      expect((await call('GET', path)).body).toMatchObject({ code: 'watch_not_found' });
    },
  );

  test('believes that it is well again only after a second look', { timeout: longTest }, async () => {
    const { call } = await draw(service);
    const made = await call('POST', '/api/watches', {
      ...wish,
      targets: ['https://site.test/again'],
      everySeconds: 6,
    });
    secret = String(made.body['webhookSecret']);
    const path = `/api/watches/${String(made.body['watchId'])}`;
    const scoreOf = async () =>
      ((await call('GET', `${path}/targets`)).body as { targets?: { score: number | null }[] }).targets?.[0]
        ?.score;
    await vi.waitFor(async () => expect(await scoreOf()).toBe(100), soon);
    isBroken = true;
    await vi.waitFor(() => expect(typesGot()).toEqual(['watch.test', 'watch.changed']), soon);
    // Well in one look: the second, a sixth of the interval later, finds it as it was.
    isBroken = false;
    await vi.waitFor(async () => expect(await scoreOf()).toBe(100), soon);
    isBroken = true;
    await vi.waitFor(async () => expect(await scoreOf()).not.toBe(100), { timeout: 3000, interval: 20 });
    expect(typesGot()).toEqual(['watch.test', 'watch.changed']);
    isBroken = false;
    await vi.waitFor(
      () => expect(typesGot()).toEqual(['watch.test', 'watch.changed', 'watch.recovered']),
      soon,
    );
    expect((await call('DELETE', path)).status).toBe(204);
  });

  test('of ssl-check has the end of the certificate in its calendar', { timeout: longTest }, async () => {
    const { call } = await draw(service);
    const body = { check: 'ssl-check', targets: ['site.test'], everySeconds: 3600 };
    const made = await call('POST', '/api/watches', body);
    const watchId = String(made.body['watchId']);
    await service.backend.watches.schedule(watchId, true, () => Date.now());
    const { calendar } = (await call('POST', '/api/watches/links')).body as { calendar?: string };
    await vi.waitFor(
      async () =>
        expect((await service.send('GET', String(calendar))).text).toMatch(
          /SUMMARY:.*certificate.*site\.test/i,
        ),
      soon,
    );
    await call('DELETE', `/api/watches/${watchId}`);
  });

  test(
    'a receiver that fails half of the time gets each event, with one id',
    { timeout: longTest },
    async () => {
      const seen = new Map<string, number>();
      statusOf = (id) => {
        seen.set(id, (seen.get(id) ?? 0) + 1);
        return seen.get(id) === 1 ? 500 : 204;
      };
      const { call } = await draw(service);
      const made = await call('POST', '/api/watches', { ...wish, everySeconds: 3600 });
      const path = `/api/watches/${String(made.body['watchId'])}`;
      const statesOf = async () =>
        (
          (await call('GET', `${path}/deliveries`)).body as {
            deliveries?: { state: string; attempts: number }[];
          }
        ).deliveries;
      await vi.waitFor(
        async () => expect((await statesOf())?.map(({ state }) => state)).toEqual(['delivered']),
        soon,
      );
      for (let more = 0; more < 3; more += 1) await call('POST', `${path}/test`);
      await vi.waitFor(
        async () => expect((await statesOf())?.map(({ state }) => state)).toEqual(Array(4).fill('delivered')),
        soon,
      );
      expect([...seen.values()]).toEqual([2, 2, 2, 2]);
      expect((await statesOf())?.map(({ attempts }) => attempts)).toEqual([2, 2, 2, 2]);
      await call('DELETE', path);
    },
  );

  test(
    'a receiver that sends elsewhere is not followed; one that is gone pauses the watch',
    { timeout: longTest },
    async () => {
      statusOf = () => 302;
      const { call } = await draw(service);
      const made = await call('POST', '/api/watches', { ...wish, everySeconds: 3600 });
      const path = `/api/watches/${String(made.body['watchId'])}`;
      await vi.waitFor(() => expect(got).not.toHaveLength(0), soon);
      expect(elsewhere).toBe(0);
      statusOf = () => 410;
      await vi.waitFor(
        async () => expect((await call('GET', path)).body).toMatchObject({ pausedReason: 'webhook-gone' }),
        soon,
      );
      await call('DELETE', path);
    },
  );

  test('an account sees its own watches alone, and one key makes one', async () => {
    const [owner, other] = [await draw(service), await draw(service)];
    const quiet = {
      check: 'dns-check',
      targets: ['A.example.com', 'a.example.com', 'b.example.com'],
      everySeconds: 3600,
    };
    const key = { 'idempotency-key': 'one' };
    const [first, second] = [
      await owner.call('POST', '/api/watches', quiet, key),
      await owner.call('POST', '/api/watches', quiet, key),
    ];
    expect([first.status, second.status, second.body['watchId']]).toEqual([201, 200, first.body['watchId']]);
    expect(first.body).toMatchObject({ targetCount: 2, notify: { webhook: null, daysBefore: [30, 7, 1] } });
    const path = `/api/watches/${String(first.body['watchId'])}`;
    for (const [method, below] of [
      ['GET', ''],
      ['GET', '/targets'],
      ['GET', '/deliveries'],
      ['DELETE', ''],
      ['POST', '/test'],
      ['POST', '/secret'],
    ] as const)
      expect((await other.call(method, `${path}${below}`)).body).toMatchObject({ code: 'watch_not_found' });
    expect((await other.call('PATCH', path, { label: 'mine' })).status).toBe(404);
    expect((await other.call('GET', '/api/watches')).body).toEqual({ watches: [], next: null });
    const patched = await owner.call('PATCH', path, {
      label: 'x',
      targets: ['c.example.com'],
      notify: { minSeverity: 'low' },
    });
    expect(patched.body).toMatchObject({ label: 'x', targetCount: 1, notify: { minSeverity: 'low' } });
    expect((await owner.call('GET', `${path}/targets`)).body).toMatchObject({
      targets: [{ target: 'c.example.com' }],
      next: null,
    });
    expect((await owner.call('GET', '/api/me')).body).toMatchObject({
      quotas: { watches: { limit: 10_000, used: 1 } },
    });
  });

  test('what cannot be watched is refused at once, with every fault by its place', async () => {
    const { call } = await draw(service);
    const base = { check: 'dns-check', targets: ['a.example.com'], everySeconds: 3600 };
    const refusals: [unknown, number, string, string?][] = [
      ['{', 400, 'invalid_request', ''],
      [{ ...base, everySeconds: 0 }, 400, 'invalid_request', '/everySeconds'],
      [{ ...base, more: 1 }, 400, 'invalid_request', '/more'],
      [
        '{"check":"dns-check","targets":["a.example.com"],"everySeconds":3600,"__proto__":{}}',
        400,
        'invalid_request',
        '/__proto__',
      ],
      [{ ...base, targets: ['a.example.com', 'not a domain'] }, 400, 'invalid_request', '/targets/1'],
      [{ ...base, options: { color: 'red' } }, 400, 'invalid_request', '/options/color'],
      [{ ...base, targets: ['localhost'] }, 422, 'target_not_allowed', '/targets/0'],
      [{ ...base, notify: { email: { to: 'a@example.com' } } }, 400, 'invalid_request', '/notify/email'],
      [
        { ...base, notify: { webhook: { url: 'http://hook.test/' } } },
        400,
        'invalid_request',
        '/notify/webhook/url',
      ],
      ...['https://10.0.0.1/', 'https://localhost/', 'https://hook.test:22/', 'https://[::1]/'].map(
        (url): [unknown, number, string, string] => [
          { ...base, notify: { webhook: { url } } },
          422,
          'target_not_allowed',
          '/notify/webhook/url',
        ],
      ),
    ];
    for (const [body, status, code, name] of refusals) {
      const answer = await call('POST', '/api/watches', body);
      expect([status, answer.status, answer.body['code']]).toEqual([status, status, code]);
      expect(answer.body['errors']).toContainEqual(expect.objectContaining({ name }));
    }
    const unscoped = await draw(service, ['tools', 'reports:read']);
    expect((await unscoped.call('POST', '/api/watches', base)).body).toMatchObject({
      code: 'insufficient_scope',
    });
    const watchOnly = await draw(service, ['watch']);
    expect((await watchOnly.call('POST', '/api/watches', base)).body).toMatchObject({
      code: 'insufficient_scope',
    });
  });

  test(
    'a name that leads to an address that is not public gets no packet',
    { timeout: longTest },
    async () => {
      const { call } = await draw(service);
      const notify = { webhook: { url: 'https://inside.test/' } };
      const made = await call('POST', '/api/watches', { ...wish, everySeconds: 3600, notify });
      const path = `/api/watches/${String(made.body['watchId'])}/deliveries`;
      await vi.waitFor(async () => {
        const { deliveries } = (await call('GET', path)).body as {
          deliveries?: { failure: string | null }[];
        };
        expect(deliveries?.[0]?.failure).not.toBeNull();
      }, soon);
      expect(got).toEqual([]);
    },
  );

  test('a revoked token pauses the watches of its account', { timeout: longTest }, async () => {
    const { call, token } = await draw(service);
    const made = await call('POST', '/api/watches', {
      check: 'dns-check',
      targets: ['a.example.com'],
      everySeconds: 3600,
    });
    await service.backend.tokenStore.revoke(token.tokenId, Date.now());
    const watchId = String(made.body['watchId']);
    await vi.waitFor(
      async () => expect((await service.backend.watches.get(watchId))?.pausedReason).toBe('token-revoked'),
      soon,
    );
  });

  test(
    'a revoked token ends the keys of its account, which watches nothing',
    { timeout: longTest },
    async () => {
      const { call, token } = await draw(service);
      const links = (await call('POST', '/api/watches/links')).body as { feed?: string };
      const read = async () => (await service.send('GET', String(links.feed))).status;
      expect(await read()).toBe(200);
      await service.backend.tokenStore.revoke(token.tokenId, Date.now());
      await vi.waitFor(async () => expect(await read()).toBe(401), soon);
    },
  );
});

test('watches that cost more than their account may spend are refused, and so are too many', async () => {
  const service = await openService({
    settings: { LIMIT_TOKEN_SCANS: '1/3600', LIMIT_ACCOUNT_WATCHES: '150' },
    withWorker: false,
  });
  const { call } = await draw(service);
  const wishOf = (targets: readonly string[], everySeconds = 2_592_000) => ({
    check: 'dns-check',
    targets,
    everySeconds,
  });
  expect(
    (await call('POST', '/api/watches', wishOf(['a.example.com', 'b.example.com'], 3600))).body,
  ).toMatchObject({ code: 'watch_too_frequent' });
  const many = (count: number, domain: string) =>
    Array.from({ length: count }, (_, at) => `h${at}.${domain}`);
  expect((await call('POST', '/api/watches', wishOf(many(101, 'example.com')))).body).toMatchObject({
    code: 'quota_exceeded',
    policy: 'watchesOfDomain',
    limit: 100,
  });
  expect((await call('POST', '/api/watches', wishOf(many(100, 'example.com')))).status).toBe(201);
  expect((await call('POST', '/api/watches', wishOf(many(51, 'example.org')))).body).toMatchObject({
    policy: 'watches',
    limit: 150,
    used: 100,
  });
  await service.close();
});

test('a feed that is read by its key counts as its account does', async () => {
  const service = await openService({ settings: { LIMIT_TOKEN_REQUESTS: '3/60' }, withWorker: false });
  const { call } = await draw(service);
  const links = (await call('POST', '/api/watches/links')).body as { feed?: string; calendar?: string };
  const answers = [];
  for (const path of [links.feed, links.calendar, links.feed, links.calendar])
    answers.push(await service.send('GET', String(path)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
  expect(answers.at(-1)?.headers['retry-after']).toMatch(/^\d+$/);
  // Without a key, the same address may still ask.
  expect((await service.send('GET', '/api/findings')).status).toBe(200);
  await service.close();
});

test(
  'tests of many names at one address share its pace, as the receiver counts',
  { timeout: longTest },
  async () => {
    const names = Array.from({ length: 5 }, (_, at) => `hook${at}.test`);
    const seen: { readonly at: number; readonly name: string }[] = [];
    const count = (request: IncomingMessage, response: ServerResponse) => {
      seen.push({ at: performance.now(), name: String(request.headers.host) });
      request.resume();
      response.writeHead(204).end();
    };
    const service = await openService({
      sites: { ...sites, ...Object.fromEntries(names.map((name) => [`https://${name}`, count])) },
      settings: { WATCH_MIN_SECONDS: '1' },
    });
    // An account for each, so that none waits for its own.
    const callers = await Promise.all(names.map(() => draw(service)));
    const paths = await Promise.all(
      names.map(async (name, at) => {
        const notify = { webhook: { url: `https://${name}/` } };
        const made = await callers[at]?.call('POST', '/api/watches', {
          ...wish,
          everySeconds: 86_400,
          notify,
        });
        return `/api/watches/${String(made?.body['watchId'])}`;
      }),
    );
    // The first test of each is the event itself, and waits for nobody.
    await vi.waitFor(() => expect(seen).toHaveLength(names.length), soon);
    seen.length = 0;
    for (const [at, path] of paths.entries())
      expect((await callers[at]?.call('POST', `${path}/test`))?.status).toBe(202);
    await vi.waitFor(() => expect(seen).toHaveLength(names.length), soon);
    // One a second: the first and the last of five are four seconds apart, less what the edges of a second give.
    expect((seen.at(-1)?.at ?? 0) - (seen[0]?.at ?? 0)).toBeGreaterThan(2500);
    await service.close();
  },
);

test(
  'an account with hundreds of events for a receiver that never answers leaves slots to another',
  { timeout: longTest },
  async () => {
    let held = 0;
    const told: string[] = [];
    const service = await openService({
      sites: {
        ...sites,
        'https://silent.test': () => void (held += 1),
        'https://quick.test': (request: IncomingMessage, response: ServerResponse) => {
          told.push(String(request.headers['webhook-id']));
          response.writeHead(204).end();
        },
      },
      settings,
    });
    const [many, one] = [await draw(service), await draw(service)];
    const make = async ({ call }: typeof many, host: string) => {
      const notify = { webhook: { url: `https://${host}/` } };
      const made = await call('POST', '/api/watches', { ...wish, everySeconds: 86_400, notify });
      const kept = await service.backend.watches.get(String(made.body['watchId']));
      if (!kept) throw new Error(made.text);
      return kept;
    };
    const watch = await make(many, 'silent.test');
    await service.backend.watches.change(watch.watchId, (now) => ({ ...now, isConfirmed: true }));
    const now = Date.now();
    const events = Array.from({ length: 300 }, (_, at) => ({
      deliveryId: randomId(),
      watchId: watch.watchId,
      account: watch.account,
      target: 'https://site.test/',
      channel: 'webhook' as const,
      type: 'watch.changed' as const,
      state: 'pending' as const,
      createdAt: now,
      expiresAt: now + 3_600_000,
      // Due long before those of the other.
      nextAttemptAt: at + 1,
      attempts: 0,
      httpStatus: null,
      failure: null,
      waitsFor: null,
      isExtra: false,
      body: '{}',
    }));
    await service.backend.watches.keepDeliveries(events);
    await vi.waitFor(() => expect(held).toBeGreaterThan(5), soon);
    await make(one, 'quick.test');
    await vi.waitFor(() => expect(told).toHaveLength(1), soon);
    // Far fewer than are due have had a slot until then: the other did not stand behind them.
    expect(held).toBeLessThan(100);
    await service.close();
  },
);

test('a watch that is paused takes its job out of the line', { timeout: longTest }, async () => {
  const held: ServerResponse[] = [];
  const service = await openService({
    sites: { 'https://held.test': (_request, response) => void held.push(response) },
    settings: { ...settings, HOST_CONCURRENCY: '1' },
  });
  const parked = async () => (await service.backend.jobQueue.stats()).network.parked;
  const { call } = await draw(service);
  const first = call('GET', '/api/tools/redirect-check?url=https://held.test/first&wait=50');
  await vi.waitFor(() => expect(held).toHaveLength(1), soon);
  const body = { check: 'redirect-check', targets: ['https://held.test/'], everySeconds: 3600 };
  const watchId = String((await call('POST', '/api/watches', body)).body['watchId']);
  await service.backend.watches.schedule(watchId, true, () => Date.now());
  await vi.waitFor(async () => expect(await parked()).toBe(1), soon);
  await call('PATCH', `/api/watches/${watchId}`, { paused: true });
  await vi.waitFor(async () => expect(await parked()).toBe(0), soon);
  for (const response of held) response.destroy();
  expect((await first).status).toBe(200);
  expect(held).toHaveLength(1);
  await service.close();
});
