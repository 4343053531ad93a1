// /probe, as Prometheus scrapes it.
import type { ServerResponse } from 'node:http';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { makeToken } from '#shared/stores/tokens/make-token';
import { openService } from './kit.ts';

const held: ServerResponse[] = [];
let isHolding = false;
let visits = 0;
const service = await openService({
  sites: {
    'http://a.test': (_request, response) => {
      visits += 1;
      if (isHolding) held.push(response);
      else response.writeHead(200, { 'content-type': 'text/html' }).end('<title>a</title>');
    },
    'http://never.test': (_request, response) => void held.push(response),
  },
  zone: { 'gone.test': {} },
  settings: { FRESH_SECONDS: '0', RATE_LIMIT: 'off' },
});
afterAll(async () => {
  for (const response of held) response.destroy();
  await service.close();
});

const redirects = (target: string, more = '') =>
  `/probe?module=redirect-check&target=${encodeURIComponent(target)}${more}`;
const read = (text: string, name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);

describe('a scrape', () => {
  test('waits for the first report, and gives its gauges', async () => {
    const { status, text, headers } = await service.get(redirects('http://a.test/'));
    expect([status, headers['content-type']]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
    expect(read(text, 'probe_success')).toBe(1);
    expect(read(text, 'diag_score')).toBeGreaterThan(0);
    expect(read(text, 'diag_checked_timestamp_seconds')).toBeGreaterThan(1.7e9);
    expect([...text.matchAll(/diag_findings\{severity="(\w+)"\} \d/g)].map(([, name]) => name)).toEqual([
      'critical',
      'high',
      'medium',
      'low',
      'info',
    ]);
  });

  test('is answered from the last report while the next is made, however long that takes', async () => {
    isHolding = true;
    const before = visits;
    const { text } = await service.get(redirects('http://a.test/'));
    expect(read(text, 'probe_success')).toBe(1);
    await expect.poll(() => visits, { timeout: 30_000 }).toBeGreaterThan(before);
    const again = await service.get(redirects('http://a.test/'));
    expect(read(again.text, 'probe_success')).toBe(1);
    isHolding = false;
    for (const response of held.splice(0)) response.writeHead(204).end();
  });

  test('of a site that never answers ends before its timeout', async () => {
    const timeout = { 'x-prometheus-scrape-timeout-seconds': '1.5' };
    const { status, text } = await service.get(redirects('http://never.test/'), timeout);
    // The run goes on: a run limit of 20 s has not ended it.
    expect([status, read(text, 'probe_success')]).toEqual([200, 0]);
    expect(text).not.toContain('diag_');
  });

  test('of a target that was not seen is no success, and has a report', async () => {
    const { text } = await service.get('/probe?module=redirect-check&target=http%3A%2F%2Fgone.test%2F');
    expect(read(text, 'probe_success')).toBe(0);
    expect(text).toContain('diag_checked_timestamp_seconds');
    expect(text).not.toContain('diag_score');
  });
});

test.for([
  ['/probe', 400, 'module'],
  ['/probe?module=nosuch&target=a.test', 400, 'module'],
  ['/probe?module=dns-check', 400, 'target'],
  ['/probe?module=dns-check&target=', 400, 'target'],
  ['/probe?module=dns-check&target=a.test&target=b.test', 400, 'target'],
  ['/probe?module=dns-check&target=a%20b.test', 400, 'target'],
  ['/probe?module=redirect-check&target=a.test', 400, 'target'],
  ['/probe?module=ssl-check&target=a.test&port=0', 400, 'port'],
  ['/probe?module=dns-check&target=a.test&fresh=1', 400, 'fresh'],
  ['/probe?module=dns-check&target=a.test&maxAge=1h', 400, 'maxAge'],
  ['/probe?module=dns-check&target=localhost', 422, 'target'],
] as const)('%s is %i, for %s', async ([path, status, name]) => {
  const answer = await service.get(path);
  expect(answer.status).toBe(status);
  const errors = answer.body['errors'] as unknown as { in: string; name: string }[];
  expect(errors.map((fault) => [fault.in, fault.name])).toContainEqual(['query', name]);
});

test('who has no token, and who has used up a limit, is told so as everywhere', async () => {
  const closed = await openService({ settings: { AUTH_MODE: 'token' }, withWorker: false });
  const refused = await closed.get(redirects('http://a.test/'));
  await closed.close();
  expect([refused.status, refused.body['code']]).toEqual([401, 'token_required']);
  const narrow = await openService({
    settings: { LIMIT_ANON_SCANS: '1/60', WAIT_SECONDS: '0' },
    withWorker: false,
  });
  await narrow.get(redirects('http://a.test/'));
  const limited = await narrow.get(redirects('http://other.test/'));
  await narrow.close();
  expect([limited.status, limited.body['code']]).toEqual([429, 'rate_limited']);
});

test('a report is no older than maxAge, fresh or not, and an old one answers only those who were given it', async () => {
  let asked = 0;
  const shared = await openService({
    sites: {
      'http://b.test': (_request, response) => {
        asked += 1;
        response.writeHead(200, { 'content-type': 'text/html' }).end('<title>b</title>');
      },
    },
    settings: { AUTH_MODE: 'token', FRESH_SECONDS: '60', RATE_LIMIT: 'off' },
  });
  const bearerOf = async (name: string) => {
    const { text, token } = makeToken({ name, scopes: ['tools'], limits: {}, expiresAt: null }, Date.now());
    await shared.backend.tokenStore.insert(token);
    return { authorization: `Bearer ${text}` };
  };
  const [one, other] = [await bearerOf('one'), await bearerOf('other')];
  const realNow = Date.now;
  let aheadMs = 0;
  vi.spyOn(Date, 'now').mockImplementation(() => realNow() + aheadMs);
  const scrape = async (headers: Record<string, string>, more = '') => {
    const before = asked;
    const { text } = await shared.get(redirects('http://b.test/', more), headers);
    const ageS = Date.now() / 1000 - read(text, 'diag_checked_timestamp_seconds');
    return { ageS: Math.round(ageS), isRun: asked > before };
  };
  expect((await scrape(one)).isRun).toBe(true);
  aheadMs = 33_000;
  // It is fresh for a minute, and so everybody's.
  expect(await scrape(other)).toEqual({ ageS: 33, isRun: false });
  expect(await scrape(one, '&maxAge=40')).toEqual({ ageS: 33, isRun: false });
  expect(await scrape(one, '&maxAge=20')).toEqual({ ageS: 0, isRun: true });
  aheadMs += 600_000;
  // Nobody but the first was given the second one.
  expect((await scrape(other)).ageS).toBe(0);
  vi.restoreAllMocks();
  await shared.close();
});
