import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { type AskProgress, type DiagnosticsOptions, openDiagnostics } from '../../../client/diagnostics.ts';
import { openService } from '../../api/kit.ts';
import { brokenBody, openFaultyProxy, problem, reset } from './faulty-proxy.ts';

const visits = new Map<string, number>();
const held: (() => void)[] = [];
let isHolding = false;
const hosts = Array.from({ length: 40 }, (_, index) => `host${index}.test`);
const sites = Object.fromEntries(
  hosts.map((host) => [
    `http://${host}`,
    (_request: unknown, response: { end(text: string): void }) => {
      visits.set(host, (visits.get(host) ?? 0) + 1);
      if (isHolding) held.push(() => response.end('late'));
      else response.end('page');
    },
  ]),
);
const service = await openService({ sites, settings: { LIMIT_ANON_SCANS: '30/2', WAIT_SECONDS: '1' } });
const proxy = await openFaultyProxy(service.port);
const folder = mkdtempSync(join(tmpdir(), 'diag-client-'));
afterAll(async () => {
  await proxy.stop();
  await service.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  visits.clear();
  isHolding = false;
});

let nextHost = 0;
/** A URL that was not asked for before. */
function freshUrl(): { readonly host: string; readonly url: string } {
  const host = hosts[nextHost++ % hosts.length] ?? '';
  return { host, url: `http://${host}/${nextHost}` };
}

function open(options: Partial<DiagnosticsOptions> = {}) {
  return openDiagnostics({ server: proxy.url, ...options });
}

test('one line asks a target, and a repeat is answered from the cache without a request', async () => {
  const client = open();
  const { url } = freshUrl();
  const report = await client.redirectCheck(url);
  expect(report).toMatchObject({ check: 'redirect-check', state: 'complete', target: { url } });
  const sent = proxy.seen.length;
  expect(await client.redirectCheck(url)).toEqual(report);
  expect(proxy.seen.length).toBe(sent);
});

test('equal calls at the same time are one request', async () => {
  const client = open();
  const { url } = freshUrl();
  const sent = proxy.seen.length;
  const reports = await Promise.all(Array.from({ length: 10 }, () => client.redirectCheck(url)));
  expect(new Set(reports.map(({ reportId }) => reportId)).size).toBe(1);
  expect(proxy.seen.length - sent).toBe(1);
});

test('a run longer than the wait is followed through its job to its report', async () => {
  const { url, host } = freshUrl();
  const events: AskProgress[] = [];
  isHolding = true;
  const asked = open().redirectCheck(url, { onProgress: (progress) => events.push(progress) });
  await expect.poll(() => events.map(({ kind }) => kind)).toContain('running');
  isHolding = false;
  for (const release of held.splice(0)) release();
  expect(await asked).toMatchObject({ state: 'complete' });
  expect(visits.get(host)).toBe(1);
  expect(proxy.seen.some((line) => /^GET \/api\/jobs\/[0-9a-f]{32}\?wait=1$/.test(line))).toBe(true);
});

test('progress is told from the first second on, also where the service would wait longer', async () => {
  isHolding = true;
  const { url } = freshUrl();
  const events: AskProgress[] = [];
  const patient = await openService({ sites, settings: { WAIT_SECONDS: '50' } });
  const client = openDiagnostics({ server: `http://127.0.0.1:${patient.port}` });
  const asked = client.redirectCheck(url, { onProgress: (progress) => void events.push(progress) });
  await expect.poll(() => held.length, { timeout: 30_000 }).toBeGreaterThan(0);
  await expect.poll(() => events.map(({ kind }) => kind), { timeout: 30_000 }).toContain('running');
  for (const answer of held.splice(0)) answer();
  isHolding = false;
  expect((await asked).state).toBe('complete');
  await patient.close();
});

test('a job that the service has forgotten is asked for again by its own GET', async () => {
  const { url } = freshUrl();
  isHolding = true;
  const asked = open().redirectCheck(url, {
    onProgress: ({ kind }) => {
      if (kind === 'running' && held.length > 0) isHolding = false;
    },
  });
  await expect.poll(() => held.length, { timeout: 10_000 }).toBe(1);
  // The first request has started the job; the next asks for it.
  proxy.inject(problem(404, 'job_not_found'));
  await expect.poll(() => isHolding, { timeout: 10_000 }).toBe(false);
  for (const release of held.splice(0)) release();
  expect(await asked).toMatchObject({ state: 'complete' });
});

test.for([
  ['503 with Retry-After', problem(503, 'overloaded', { 'Retry-After': '1' }), 503, 1000],
  ['429 with Retry-After', problem(429, 'rate_limited', { 'Retry-After': '1' }), 429, 1000],
  ['502 of a proxy', problem(502, 'bad gateway'), 502, 1],
  ['a reset before the answer', reset, undefined, 1],
  ['a body that breaks off', brokenBody, undefined, 1],
] as const)('%s is met by another try, and told', async ([, fault, status, leastMs]) => {
  const retries: { readonly status: number | undefined; readonly waitMs: number }[] = [];
  proxy.inject(fault);
  const { url } = freshUrl();
  const onProgress = (progress: AskProgress) => void (progress.kind === 'retry' && retries.push(progress));
  expect(await open().redirectCheck(url, { onProgress })).toMatchObject({ state: 'complete' });
  expect(retries.map((retry) => retry.status)).toEqual([status]);
  expect(retries[0]?.waitMs).toBeGreaterThanOrEqual(leastMs);
});

test('a service that restarts is waited for', async () => {
  const { url } = freshUrl();
  await proxy.stop();
  const asked = open().redirectCheck(url, {
    onProgress: ({ kind }) => {
      if (kind === 'retry') void proxy.start();
    },
  });
  expect(await asked).toMatchObject({ state: 'complete' });
});

test('a service that stays away is an error of its own', async () => {
  const client = open({ server: 'http://127.0.0.1:1', retryForS: 0 });
  await expect(client.redirectCheck('http://a.test/')).rejects.toMatchObject({ name: 'ServerUnreachable' });
});

test.for([
  ['a target that is malformed', 'not a url', { code: 'invalid_request', status: 400 }],
  ['a target that is refused', 'http://10.0.0.1/', { code: 'target_not_allowed', status: 422 }],
] as const)('%s is a problem with its code', async ([, target, expected]) => {
  await expect(open().redirectCheck(target)).rejects.toMatchObject({
    name: 'DiagnosticsProblem',
    ...expected,
  });
});

test('a wrong token ends at once, also over many targets', async () => {
  const client = open({ token: 'dtk_wrong' });
  await expect(client.redirectCheck('http://a.test/')).rejects.toMatchObject({ status: 401 });
  const answers = client.each('redirect-check', ['http://a.test/', 'http://b.test/']);
  await expect(answers.next()).rejects.toMatchObject({ code: 'invalid_token' });
});

test('only what is stored, where it is asked for so', async () => {
  const asked = open().redirectCheck(freshUrl().url, { onlyIfCached: true });
  await expect(asked).rejects.toMatchObject({ code: 'not_cached' });
});

test('an aborted call ends at once, and another one that waits for the same run goes on', async () => {
  const client = open();
  const { url } = freshUrl();
  const controller = new AbortController();
  isHolding = true;
  const first = client.redirectCheck(url, { signal: controller.signal });
  const second = client.redirectCheck(url);
  await expect.poll(() => held.length).toBe(1);
  controller.abort(new Error('enough'));
  await expect(first).rejects.toThrow('enough');
  isHolding = false;
  for (const release of held.splice(0)) release();
  expect(await second).toMatchObject({ state: 'complete' });
});

test('a folder keeps answers for the next process, and a stale one costs a 304', async () => {
  const { url } = freshUrl();
  const first = await open({ cache: { folder } }).redirectCheck(url);
  expect(readdirSync(folder).length).toBe(1);
  const sent = proxy.seen.length;
  const again = open({ cache: { folder } });
  expect(await again.redirectCheck(url)).toEqual(first);
  expect(proxy.seen.length).toBe(sent);
  expect(await again.redirectCheck(url, { maxAgeS: 600 })).toEqual(first);
  expect(proxy.statuses.at(-1)).toBe(304);
});

test('a folder cache of a token is not read with another', async () => {
  const { url } = freshUrl();
  await open({ cache: { folder } }).redirectCheck(url);
  const other = open({ cache: { folder }, token: 'dtk_wrong' });
  await expect(other.redirectCheck(url)).rejects.toMatchObject({ status: 401 });
});

test('many targets above the limit: each is asked once, hardly any is refused, and a bad one is an answer too', async () => {
  const targets = [...hosts.map((host) => `http://${host}/each`), 'no url', 'http://10.0.0.1/'];
  const from = proxy.statuses.length;
  const start = performance.now();
  const answers = [];
  let paced = 0;
  const options = { onProgress: ({ kind }: AskProgress) => void (kind === 'paced' && paced++) };
  for await (const answer of open().each('redirect-check', targets, options)) answers.push(answer);
  expect(answers.map(({ index }) => index).sort((a, b) => a - b)).toEqual(targets.map((_, index) => index));
  expect(
    answers
      .filter(({ problem: refused }) => refused)
      .map(({ target }) => target)
      .sort(),
  ).toEqual(['http://10.0.0.1/', 'no url']);
  expect(hosts.map((host) => visits.get(host))).toEqual(hosts.map(() => 1));
  // A machine that stalls at the end of a window of 2 s counts a request in the one before.
  const refusals = proxy.statuses.slice(from).filter((status) => status === 429);
  expect(refusals.length).toBeLessThan(targets.length / 10);
  // A machine that takes longer than the window of 2 s for them meets no limit.
  expect(paced > 0 || performance.now() - start > 2000).toBe(true);
});

test('an iteration that is left asks no further target', async () => {
  let taken = 0;
  function* endless() {
    for (;;) yield `http://${hosts[taken++ % hosts.length]}/left`;
  }
  for await (const { report } of open().each('redirect-check', endless(), { concurrency: 2 })) {
    expect(report?.state).toBe('complete');
    break;
  }
  expect(taken).toBeLessThanOrEqual(4);
});
