import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeToken } from '#shared/stores/tokens/make-token';
import { openService, redirectPath, type Service } from './kit.ts';

const asked: string[] = [];
const site =
  (answer: RequestListener): RequestListener =>
  (request, response) => {
    asked.push(`${request.headers.host}${request.url}`);
    answer(request, response);
  };
const to = (location: string) =>
  site((_request, response) => void response.writeHead(302, { location }).end());
const good = site((_request, response) => void response.writeHead(204).end());

const folder = mkdtempSync(join(tmpdir(), 'diag-deny-'));
const list = join(folder, 'list');
function writeList(text: string): void {
  writeFileSync(`${list}.new`, text);
  renameSync(`${list}.new`, list);
}

let service: Service;
let as: Record<string, string>;
beforeAll(async () => {
  writeList('denied.test\n');
  service = await openService({
    sites: {
      'http://good.test': good,
      'http://later.test': good,
      'http://denied.test': good,
      'http://sub.denied.test': good,
      'http://hops.test': to('http://sub.denied.test/landing'),
    },
    settings: { TARGET_DENY_NAMES_FILE: list },
  });
  const wish = { name: 'test', scopes: ['tools', 'reports:read'] as const, limits: {}, expiresAt: null };
  const { text, token } = makeToken({ ...wish, scopes: [...wish.scopes] }, Date.now());
  await service.backend.tokenStore.insert(token);
  as = { authorization: `Bearer ${text}` };
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

test.for([
  redirectPath('http://denied.test/'),
  redirectPath('http://SUB.denied.test./x'),
  '/api/tools/dns-check/denied.test',
  '/api/tools/domain-health/www.denied.test',
])('%s is refused before anything is sent', async (path) => {
  const { status, body } = await service.get(path);
  expect([status, body['code']]).toEqual([422, 'target_not_allowed']);
  expect(asked.filter((each) => each.includes('denied.test'))).toEqual([]);
});

test('a redirect to a name on the list is not followed', async () => {
  const { status, body } = await service.get(redirectPath('http://hops.test/'));
  expect([status, body['ended']]).toEqual([200, 'refused']);
  expect(asked.filter((each) => each.includes('denied.test'))).toEqual([]);
});

test('a name that comes onto the list is refused everywhere, what is stored of it included, without a restart', async () => {
  const path = redirectPath('http://later.test/');
  const given = await service.get(path, as);
  expect(given.status).toBe(200);
  const id = String(given.body['reportId']);
  const statusOf = async (at: string) => (await service.get(at, as)).status;
  const history = async () =>
    (
      (await service.get('/api/reports', as)).body as unknown as { reports: { target: string }[] }
    ).reports.map(({ target }) => target);
  expect([await statusOf(path), await statusOf(`/api/reports/${id}`)]).toEqual([200, 200]);
  expect(await history()).toContain('http://later.test/');

  writeList('denied.test\nlater.test # asked today\n');
  await expect.poll(() => statusOf(path), { timeout: 20_000 }).toBe(422);
  expect(await statusOf(`/api/reports/${id}`)).toBe(404);
  expect(await statusOf(`/api/reports/${id}/export?format=md`)).toBe(404);
  expect(await statusOf(`/r/${id}`)).toBe(404);
  expect(await history()).not.toContain('http://later.test/');
  expect((await service.send('GET', '/d/later.test')).status).toBeGreaterThanOrEqual(400);
  expect((await service.send('GET', '/api/badge/later.test.svg')).status).toBeGreaterThanOrEqual(400);

  writeList('denied.test\n');
  await expect.poll(() => statusOf(path), { timeout: 20_000 }).toBe(200);
  expect(await statusOf(`/api/reports/${id}`)).toBe(200);
});
