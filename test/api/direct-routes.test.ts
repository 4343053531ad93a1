import { afterAll, beforeEach, expect, test } from 'vitest';
import { type Answer, openService, redirectPath } from './kit.ts';

const service = await openService({
  sites: { 'http://a.test': (_request, response) => response.writeHead(204).end() },
  settings: { CORS_ORIGINS: 'https://page.test', LIMIT_ANON_REQUESTS: '10000/60' },
});
const idle = await openService({ withWorker: false });
afterAll(() => Promise.all([service.close(), idle.close()]));

type Service = typeof service;
const path = redirectPath('http://a.test/');
await service.get(path);
const { headers: later } = await idle.get(`${path}&wait=0`);
const jobPath = String(later.location);

const linesOf = ({ log }: Service) => log.filter(({ message }) => message === 'request');
/** What must be alike, beside the status: everything but ids and times. */
const told = ({ status, headers, text }: Answer) => {
  const { 'x-request-id': id, date: _date, ratelimit: _left, ...fields } = headers;
  const ages = ['cache-control', 'cache-status'].map((name) => String(fields[name]).replace(/\d+$/, ''));
  return {
    status,
    ...fields,
    ages,
    'cache-control': '',
    'cache-status': '',
    text: text.replace(String(id), ''),
  };
};

/** Asks by both ways. Express also takes the absolute form (RFC 9112 §3.2.2), which the direct routes leave to it. */
async function askBoth(on: Service, method: string, address: string, headers: Record<string, string>) {
  const direct = await on.send(method, address, headers);
  const express = await on.send(method, `http://127.0.0.1:${on.port}${address}`, headers);
  await expect.poll(() => linesOf(on).length).toBe(2);
  const lines = linesOf(on).map(({ fields }) => ({ ...fields, requestId: '', tookMs: 0 }));
  return { direct, express, lines };
}

beforeEach(() => {
  for (const { log } of [service, idle]) (log as unknown[]).length = 0;
});

test.for([
  ['a report of which the caller wants its own freshness', `${path}&maxAge=600`, {}, 200],
  ['the same by a field', path, { 'cache-control': 'max-age=600' }, 200],
  ['a tag that is known', `${path}&maxAge=600`, { 'if-none-match': '*' }, 304],
  ['a caller from another origin', `${path}&maxAge=600`, { origin: 'https://page.test' }, 200],
  [
    'nothing stored for only-if-cached',
    redirectPath('http://b.test/'),
    { 'cache-control': 'only-if-cached' },
    504,
  ],
  ['a parameter that is not known', '/api/tools/redirect-check?ur=x', {}, 400],
  ['a parameter in bad percent-encoding', '/api/tools/redirect-check?url=%ZZ', {}, 400],
  ['no target', '/api/tools/redirect-check', {}, 400],
  ['a target that is not allowed', redirectPath('http://10.0.0.1/'), {}, 422],
  ['a name that is none', '/api/tools/ssl-check/a..b', {}, 400],
  ['a token that is none', path, { authorization: 'Bearer dtk_x' }, 401],
  ['a job that is not known', `/api/jobs/${'0'.repeat(32)}`, {}, 404],
  ['what is no id of a job', '/api/jobs/x', {}, 404],
] as const)('%s is answered alike by both ways', async ([, address, headers, status]) => {
  for (const method of ['GET', 'HEAD']) {
    (service.log as unknown[]).length = 0;
    const { direct, express, lines } = await askBoth(service, method, address, { ...headers });
    expect(direct.status).toBe(status);
    expect(told(direct)).toEqual(told(express));
    expect(lines[0]).toEqual(lines[1]);
  }
});

test.for([
  ['work that goes on', `${path}&wait=0`, {}, 202],
  ['Prefer: respond-async', path, { prefer: 'respond-async' }, 202],
  ['a job that waits', jobPath, {}, 200],
] as const)('%s is answered alike by both ways', async ([, address, headers, status]) => {
  const { direct, express, lines } = await askBoth(idle, 'GET', address, { ...headers });
  expect(direct.status).toBe(status);
  expect(told(direct)).toEqual(told(express));
  expect(lines[0]).toEqual(lines[1]);
});

test('a caller that asks again without waiting is told of its job, and pays and starts nothing', async () => {
  const books = async () => {
    const { waiting, parked } = (await idle.backend.jobQueue.stats()).network;
    const me = JSON.parse((await idle.get('/api/me')).text) as { limits: { scans: { remaining: number } } };
    return { waiting, parked, scans: me.limits.scans.remaining };
  };
  const before = await books();
  const polls = await Promise.all([1, 2, 3].map(() => idle.get(`${path}&wait=0`)));
  expect(polls.map(({ status, headers }) => [status, headers.location])).toEqual(
    polls.map(() => [202, jobPath]),
  );
  expect(await books()).toEqual(before);
});

test('a caller that goes away while it waits has a line with 499', async () => {
  const gone = new AbortController();
  const asked = fetch(`http://127.0.0.1:${idle.port}${redirectPath('http://c.test/')}&wait=30`, {
    signal: gone.signal,
  });
  await expect.poll(async () => (await idle.backend.jobQueue.stats()).network.waiting).toBeGreaterThan(1);
  gone.abort();
  await expect(asked).rejects.toThrow('aborted');
  await expect.poll(() => linesOf(idle).map(({ fields }) => Reflect.get(fields, 'status'))).toEqual([499]);
});
