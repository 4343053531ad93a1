import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anonymousAccount, grantOf } from '#shared/model/grant';
import { randomId } from '#shared/model/job';
import { makeReport, type Report } from '#shared/model/report';
import type { Scope } from '#shared/ports/token-store';
import { makeToken } from '#shared/stores/tokens/make-token';
import { openService, type Service } from './kit.ts';

const hour = 3_600_000;

async function draw(service: Service, scopes: readonly Scope[], account = randomId()) {
  const { text, token } = makeToken(
    { name: 'test', scopes, limits: {}, expiresAt: null, account },
    Date.now(),
  );
  await service.backend.tokenStore.insert(token);
  return { account, as: { authorization: `Bearer ${text}` } };
}

type Kept = {
  readonly target: string;
  readonly agoMs: number;
  readonly broken?: boolean;
  readonly account: string;
  readonly options?: Record<string, string>;
  readonly check?: string;
};

const rule = {
  severity: 'high',
  points: 20,
  title: 'It is broken',
  detail: '',
  fix: 'Fix it.',
  references: [],
} as const;

/** A report of that time, given to that account. */
async function keep({ backend }: Service, wish: Kept): Promise<string> {
  const { target, agoMs, broken = false, account, options = {}, check = 'domain-health' } = wish;
  const reportId = randomId();
  const facts = {
    check,
    target: target.includes('://') ? { url: target } : { domain: target },
    rules: { 'rule-a': rule },
    rulesVersion: 7,
    reportId,
    checkedAtMs: Date.now() - agoMs,
    durationMs: 5,
    freshForS: 300,
    keepForS: 30 * 86_400,
  };
  const verdicts = { 'rule-a': broken ? { broken: [{}] } : ('holds' as const) };
  const report: Report = makeReport(facts, { state: 'complete', verdicts, fields: {} });
  const stored = await backend.reportStore.insert(report, {
    reportId,
    jobId: randomId(),
    jobKey: randomId(),
    options,
  });
  await backend.reportStore.grants.give(account, grantOf(stored));
  return reportId;
}

type Point = {
  readonly reportId: string;
  readonly news: readonly { readonly kind: string; readonly code: string }[];
};
const pointsOf = ({ body }: { readonly body: unknown }) =>
  (body as { readonly points: readonly Point[] }).points;

describe('in open mode', async () => {
  let service: Service;
  beforeAll(async () => {
    service = await openService({ settings: { RATE_LIMIT: 'off' } });
  });
  afterAll(() => service.close());

  test('the points of a domain are newest first, in pages, each with what changed since the one before', async () => {
    const account = anonymousAccount;
    const ids = [];
    for (const [agoMs, broken] of [
      [4 * hour, false],
      [3 * hour, true],
      [2 * hour, true],
      [hour, false],
    ] as const)
      ids.unshift(await keep(service, { target: 'over.test.example.com', agoMs, broken, account }));
    const all = await service.get('/api/history/over.test.example.com');
    expect(pointsOf(all).map(({ reportId }) => reportId)).toEqual(ids);
    expect(pointsOf(all).map(({ news }) => news.map(({ kind, code }) => `${kind} ${code}`))).toEqual(
      [['grade null', 'finding-fixed rule-a'], [], ['finding-added rule-a', 'grade null'], []].map((lines) =>
        expect.arrayContaining(lines),
      ),
    );
    expect(pointsOf(all)[0]).toMatchObject({ rulesVersion: 7, options: {}, score: 100 });
    const first = await service.get('/api/history/over.test.example.com?limit=2');
    // What changed is told of the last point of a page, too.
    expect(pointsOf(first).map(({ news }) => news.length)).toEqual([2, 0]);
    const next = String((first.body as { next?: string }).next);
    const second = await service.get(`/api/history/over.test.example.com?limit=2&before=${next}`);
    expect(pointsOf(second).map(({ reportId }) => reportId)).toEqual(ids.slice(2));
    expect(second.body).toMatchObject({ next: null });
    const since = await service.get('/api/history/over.test.example.com?since=1d&until=2020-01-01');
    expect(pointsOf(since)).toEqual([]);
  });

  test('without a token only what is public is there: a domain check with default options on exactly this name', async () => {
    const owner = await draw(service, ['reports:read']);
    const options = { sender: 'a@b.example' };
    const check = 'dns-check';
    for (const account of [anonymousAccount, owner.account]) {
      await keep(service, { target: 'own.example.com', agoMs: 1, account, check });
      await keep(service, { target: 'own.example.com', agoMs: 2, account, check, options });
      await keep(service, { target: 'sub.own.example.com', agoMs: 3, account, check });
      await keep(service, {
        target: 'https://own.example.com/reset?x=1',
        agoMs: 4,
        account,
        check: 'redirect-check',
      });
    }
    const other = await draw(service, ['reports:read']);
    const count = async (path: string, headers = {}) => pointsOf(await service.get(path, headers)).length;
    const paths = [
      `/api/history/own.example.com?check=${check}`,
      `/api/history/own.example.com?check=${check}&target=sub.own.example.com`,
      `/api/history/own.example.com?check=redirect-check&target=${encodeURIComponent('https://own.example.com/reset?x=1')}`,
    ];
    expect(await Promise.all(paths.map((path) => count(path)))).toEqual([1, 0, 0]);
    expect(await Promise.all(paths.map((path) => count(path, other.as)))).toEqual([1, 0, 0]);
    expect(await Promise.all(paths.map((path) => count(path, owner.as)))).toEqual([3, 1, 1]);
    const unscoped = await draw(service, ['tools'], owner.account);
    expect(await Promise.all(paths.map((path) => count(path, unscoped.as)))).toEqual([1, 0, 0]);
    // The sparkline of a page goes by the same rule.
    const page = await service.send(
      'GET',
      `/u/redirect-check?url=${encodeURIComponent('https://own.example.com/reset?x=1')}`,
    );
    expect(page.text).not.toContain('polyline');
  });

  test('domains stand side by side, also as csv and on a page, and nothing is started', async () => {
    await keep(service, { target: 'one.example.com', agoMs: 1, broken: true, account: anonymousAccount });
    await keep(service, { target: 'two.example.com', agoMs: 1, account: anonymousAccount });
    const query = 'domain=one.example.com&domain=two.example.com&domain=none.example.com';
    const { body } = await service.get(`/api/compare?${query}`);
    const { domains, rows } = body as unknown as {
      domains: { state: string; grade: string }[];
      rows: { code: string | null; cells: { verdict: string; severity: string }[] }[];
    };
    expect(domains.map(({ state, grade }) => [state, grade])).toEqual([
      ['ok', 'B'],
      ['ok', 'A+'],
      ['no-report', null],
    ]);
    expect(rows.find(({ code }) => code === 'rule-a')?.cells).toEqual([
      { text: '✗ high', verdict: 'broken', severity: 'high' },
      { text: '✓ not found', verdict: 'holds', severity: null },
      { text: '– no report', verdict: 'unknown', severity: null },
    ]);
    const csv = await service.get(`/api/compare?${query}&format=csv`);
    expect(csv.text).toContain('"✗ high","✓ not found","– no report"');
    expect(csv.text.split('\r\n')[0]).toContain('two.example.com');
    const page = await service.send('GET', `/compare?${query}`, { accept: 'text/html' });
    expect([page.status, page.text.includes('>✗ high</td>')]).toEqual([200, true]);
    expect(page.text).not.toContain('<details>');
    await keep(service, { target: 'three.example.com', agoMs: 1, broken: true, account: anonymousAccount });
    const same = 'domain=one.example.com&domain=three.example.com&domain=none.example.com';
    const { text } = await service.send('GET', `/compare?${same}`, { accept: 'text/html' });
    expect(text.split('<details><summary>1 more row: ').map((part) => part.includes('It is broken'))).toEqual(
      [false, true],
    );
    for (const wrong of [
      'domain=a.example.com',
      'domain=a.example.com&domain=%00',
      'domain=a.example.com&x=1',
    ])
      expect((await service.get(`/api/compare?${wrong}`)).body).toMatchObject({ code: 'invalid_request' });
    expect((await service.get('/api/compare?domain=a.example.com&domain=localhost')).status).toBe(422);
    expect(service.log.filter(({ message }) => message.startsWith('job'))).toEqual([]);
  });

  test('the form of the page starts what is missing; a form of another site does not', async () => {
    const foreign = await service.send('POST', '/compare', { 'sec-fetch-site': 'cross-site' });
    expect(foreign.status).toBe(403);
  });
});

test('with tokens a history is that of the account, and needs the scope to read reports', async () => {
  const service = await openService({ settings: { AUTH_MODE: 'token', RATE_LIMIT: 'off' } });
  const owner = await draw(service, ['reports:read']);
  const other = await draw(service, ['reports:read']);
  const unscoped = await draw(service, ['tools']);
  await keep(service, { target: 'a.example.com', agoMs: 1, account: owner.account });
  const path = '/api/history/a.example.com';
  expect(pointsOf(await service.get(path, owner.as))).toHaveLength(1);
  expect(pointsOf(await service.get(path, other.as))).toHaveLength(0);
  expect((await service.get(path)).status).toBe(401);
  expect((await service.get(path, unscoped.as)).status).toBe(403);
  await service.close();
});
