import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Scope } from '#shared/ports/token-store';
import { makeToken } from '#shared/stores/tokens/make-token';
import { openService, type Service } from './kit.ts';

const hosts = Array.from({ length: 12 }, (_, index) => `s${index}.test`);
const sites = Object.fromEntries(
  hosts.map((host) => [
    `http://${host}`,
    (_request: unknown, response: { end(text: string): void }) => response.end('hello'),
  ]),
);

/** Answers of a site that come when they are let go, and what was asked of it. */
const heldAnswers: (() => void)[] = [];
const askedOfHeld = new Set<string>();
const heldSite = (asked: { url?: string | undefined }, response: { end(text: string): void }) => {
  askedOfHeld.add(String(asked.url));
  heldAnswers.push(() => response.end('hello'));
};

/** So soon a batch of an account without a live token is cancelled. */
const promisedMs = 10_000;

let service: Service;
beforeAll(async () => {
  service = await openService({
    sites: { ...sites, 'http://held.test': heldSite },
    settings: { LIMIT_ACCOUNT_BATCHES: '3', LIMIT_ACCOUNT_TARGETS: '40' },
  });
});
afterAll(() => service.close());

type Sent = { readonly status: number; readonly headers: Record<string, unknown>; readonly text: string };

async function send(
  method: string,
  path: string,
  headers: Record<string, string>,
  body = '',
): Promise<Sent & { readonly json: Record<string, unknown> }> {
  const answer = await new Promise<Sent>((resolve, reject) => {
    const options = { host: '127.0.0.1', port: service.port, method, path, headers, agent: false };
    const request = httpRequest(options, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(pieces).toString(),
        }),
      );
    });
    request.on('error', reject);
    request.end(body);
  });
  const isJson = String(answer.headers['content-type']).includes('json') && !answer.text.includes('}\n{');
  return {
    ...answer,
    json: isJson && answer.text !== '' ? (JSON.parse(answer.text) as object as Record<string, unknown>) : {},
  };
}

async function draw(...scopes: Scope[]): Promise<Record<string, string> & { readonly tokenId: string }> {
  const { text, token } = makeToken({ name: 'test', scopes, limits: {}, expiresAt: null }, Date.now());
  await service.backend.tokenStore.insert(token);
  return { authorization: `Bearer ${text}`, tokenId: token.tokenId };
}

const json = { 'content-type': 'application/json' };
const postTo = (headers: Record<string, string>, body: object) =>
  send('POST', '/api/batches', { ...json, ...headers }, JSON.stringify(body));
const urls = (count: number) => hosts.slice(0, count).map((host) => `http://${host}/`);

async function ended(headers: Record<string, string>, batchId: unknown) {
  // Each answer is held for 20 s or until the batch has ended.
  for (let asked = 0; asked < 10; asked += 1) {
    const answer = await send('GET', `/api/batches/${String(batchId)}?wait=20`, headers);
    expect(answer).toMatchObject({ status: 200 });
    if (answer.json['endedAt'] !== null) return answer.json;
  }
  throw new Error('the batch did not end, or its answers were not held');
}

type Line = {
  readonly index: number;
  readonly target: string;
  readonly cursor: string;
  readonly outcome: string;
  readonly report: { readonly check: string; readonly reportId: string } | null;
  readonly problem: { readonly code: string; readonly errors?: readonly object[] } | null;
};

async function linesOf(headers: Record<string, string>, batchId: unknown, query = ''): Promise<Line[]> {
  const { status, text } = await send('GET', `/api/batches/${String(batchId)}/results${query}`, headers);
  expect(status).toBe(200);
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}

describe('a batch', () => {
  test('has one line for each target that was given, equal and refused ones too', async () => {
    const caller = await draw('tools', 'reports:read');
    const targets = [...urls(8), 'http://s0.test/', 'http://10.0.0.1/', 'no url', 'http://s1.test'];
    const made = await postTo(caller, { check: 'redirect-check', targets, label: 'first' });
    expect(made).toMatchObject({
      status: 201,
      json: { check: 'redirect-check', options: {}, label: 'first', state: 'running', total: 12 },
    });
    const { batchId } = made.json;
    expect(made.headers['location']).toBe(`/api/batches/${String(batchId)}`);
    expect(await ended(caller, batchId)).toMatchObject({
      state: 'done',
      total: 12,
      waiting: 0,
      running: 0,
      done: 10,
      refused: 2,
      failed: 0,
      cancelled: 0,
    });
    const lines = await linesOf(caller, batchId);
    expect(lines.map(({ index }) => index).toSorted((a, b) => a - b)).toEqual(
      targets.map((_, index) => index),
    );
    for (const { index, target } of lines) expect(target).toBe(targets[index]);
    const at = (index: number) => lines.find((line) => line.index === index);
    expect(at(0)?.report?.reportId).toBe(at(8)?.report?.reportId);
    expect(at(9)).toMatchObject({
      outcome: 'refused',
      report: null,
      problem: { code: 'target_not_allowed' },
    });
    expect(at(10)).toMatchObject({
      outcome: 'refused',
      problem: { code: 'invalid_request', errors: [{ in: 'body', name: '/targets/10' }] },
    });
    // Byte for byte the stored report, which the account may read.
    const { text } = await send('GET', `/api/reports/${at(0)?.report?.reportId}`, caller);
    expect(JSON.stringify(at(0)?.report)).toBe(text);
    // From a cursor on, and nothing behind the last.
    const middle = lines[4]?.cursor ?? '';
    expect(await linesOf(caller, batchId, `?after=${middle}`)).toEqual(lines.slice(5));
    expect(await linesOf(caller, batchId, `?after=${lines.at(-1)?.cursor}&wait=5`)).toEqual([]);
    const csv = await send('GET', `/api/batches/${String(batchId)}/results?format=csv`, caller);
    const rows = csv.text.trim().split('\r\n');
    expect(rows[0]).toMatch(/"index","outcome","problem","cursor"$/);
    expect(rows.filter((row) => /,10,"refused","invalid_request","\d+"$/.test(row))).toHaveLength(1);
    expect((await send('GET', '/api/batches', caller)).json).toMatchObject({
      batches: [{ batchId }],
      next: null,
    });
  });

  test('is taken as lines of text and as NDJSON, with its options in the query', async () => {
    const caller = await draw('tools');
    const text = await send(
      'POST',
      '/api/batches?check=redirect-check&label=lines',
      { ...caller, 'content-type': 'text/plain' },
      'http://s1.test/\r\n\r\n http://s2.test/ \n',
    );
    expect(text).toMatchObject({ status: 201, json: { total: 2, label: 'lines' } });
    const lines = await send(
      'POST',
      '/api/batches?check=domain-health&parts=mail,dns',
      { ...caller, 'content-type': 'application/x-ndjson' },
      '"s1.test"\n"s2.test"\n',
    );
    expect(lines).toMatchObject({ status: 201, json: { total: 2, options: { parts: ['dns', 'mail'] } } });
    for (const { json: batch } of [text, lines])
      expect((await ended(caller, batch['batchId']))['done']).toBe(2);
  });

  test('is another’s: 404, for a page of another site 403, without a token 401', async () => {
    const [caller, other] = [await draw('tools'), await draw('tools')];
    const { json: batch } = await postTo(caller, { check: 'redirect-check', targets: urls(1) });
    const path = `/api/batches/${String(batch['batchId'])}`;
    for (const [method, address] of [
      ['GET', path],
      ['GET', `${path}/results`],
      ['DELETE', path],
    ] as const)
      expect((await send(method, address, other)).json).toMatchObject({
        status: 404,
        code: 'batch_not_found',
      });
    expect((await send('GET', path, {})).status).toBe(401);
    expect((await postTo({}, { check: 'redirect-check', targets: urls(1) })).status).toBe(401);
    const foreign = { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' };
    const refused = await postTo(foreign, { check: 'redirect-check', targets: urls(1) });
    expect(refused.json).toMatchObject({ status: 403, code: 'cross_site_request' });
    const preflight = await send('OPTIONS', '/api/batches', foreign);
    expect(String(preflight.headers['access-control-allow-methods'])).not.toContain('POST');
    expect((await postTo(await draw('reports:read'), {})).status).toBe(403);
    expect((await send('PUT', path, caller)).headers['allow']).toBe('GET, HEAD, DELETE, OPTIONS');
  });

  test.for([
    [{ check: 'no-check', targets: ['a.test'] }, ['/check']],
    [{ check: 'dns-check', targets: [] }, ['/targets']],
    [{ check: 'dns-check', targets: Array.from({ length: 10_001 }, () => 'a.test') }, ['/targets']],
    [{ check: 'dns-check', targets: ['a.test', 5] }, ['/targets/1']],
    [{ check: 'dns-check', targets: ['a.test'], options: { parts: ['dns'] } }, ['/options/parts']],
    [{ check: 'pagespeed-check', targets: ['https://a.test/'], options: { runs: 9 } }, ['/options/runs']],
    [
      { check: 'dns-check', targets: ['a.test'], maxAge: -1, more: 1, label: '' },
      ['/maxAge', '/label', '/more'],
    ],
  ] as const)('with faults is refused, each by its pointer: %#', async ([body, pointers]) => {
    const answer = await postTo(await draw('tools'), body);
    expect(answer.status).toBe(400);
    expect((answer.json['errors'] as { name: string }[]).map(({ name }) => name)).toEqual(pointers);
  });

  test('is made once for one Idempotency-Key', async () => {
    const caller = { ...(await draw('tools')), 'idempotency-key': 'k-1' };
    const body = { check: 'redirect-check', targets: urls(2) };
    const answers = await Promise.all([postTo(caller, body), postTo(caller, body)]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toContain(201);
    const again = await postTo(caller, body);
    expect(again.status).toBe(200);
    const made = answers.find(({ status }) => status === 201);
    expect(again.json['batchId']).toBe(made?.json['batchId']);
    expect((await postTo(caller, { ...body, label: 'x' })).json).toMatchObject({
      status: 422,
      code: 'idempotency_key_reused',
    });
    expect((await postTo({ ...caller, 'idempotency-key': 'two words' }, body)).status).toBe(400);
    const { json: list } = await send('GET', '/api/batches', caller);
    expect(list['batches']).toHaveLength(1);
  });

  test('counts against the quotas of its account, which /api/me shows', async () => {
    const caller = await draw('tools');
    const many = { check: 'redirect-check', targets: urls(12).flatMap((url) => [url, url, url, url]) };
    expect((await postTo(caller, many)).json).toMatchObject({
      status: 429,
      code: 'quota_exceeded',
      policy: 'batchTargets',
      limit: 40,
      used: 0,
    });
    expect((await send('GET', '/api/me', caller)).json['quotas']).toMatchObject({
      batches: { limit: 3, used: 0 },
      batchTargets: { limit: 40, used: 0 },
    });
  });

  test('is cancelled by DELETE, also twice, and stays readable with a line for each target', async () => {
    const caller = await draw('tools');
    // No browser works here, so these wait.
    const body = { check: 'pagespeed-check', targets: urls(6) };
    const { json: batch } = await postTo(caller, body);
    const path = `/api/batches/${String(batch['batchId'])}`;
    expect((await send('DELETE', path, caller)).status).toBe(204);
    expect((await send('DELETE', path, caller)).status).toBe(204);
    const after = await ended(caller, batch['batchId']);
    const counts = ['done', 'refused', 'failed', 'cancelled'].map((name) => Number(after[name]));
    expect(after).toMatchObject({ state: 'cancelled', waiting: 0, running: 0 });
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(6);
    expect(await linesOf(caller, batch['batchId'])).toHaveLength(6);
  });

  test('that is cancelled withdraws what waits in the queue: nothing is sent but by runs that had begun', async () => {
    const caller = await draw('tools');
    const targets = Array.from({ length: 12 }, (_, index) => `http://held.test/${index}`);
    const { json: batch } = await postTo(caller, { check: 'redirect-check', targets });
    const path = `/api/batches/${String(batch['batchId'])}`;
    const { jobQueue } = service.backend;
    await expect
      .poll(async () => (await jobQueue.stats()).network.parked, { timeout: 30_000 })
      .toBeGreaterThan(5);
    await expect.poll(() => askedOfHeld.size, { timeout: 30_000 }).toBeGreaterThan(0);
    expect((await send('DELETE', path, caller)).status).toBe(204);
    await expect
      .poll(async () => (await jobQueue.stats()).network, { timeout: 30_000 })
      .toMatchObject({
        parked: 0,
        waiting: 0,
      });
    const begun = askedOfHeld.size;
    const letGo = setInterval(() => heldAnswers.splice(0).forEach((answer) => answer()), 50);
    const after = await ended(caller, batch['batchId']);
    clearInterval(letGo);
    expect(after).toMatchObject({ state: 'cancelled', done: begun, failed: 0, cancelled: 12 - begun });
    expect(askedOfHeld.size).toBe(begun);
  });

  test('ends when the account has no live token any more', async () => {
    const caller = await draw('tools');
    const { json: batch } = await postTo(caller, { check: 'pagespeed-check', targets: urls(6) });
    const revokedAt = Date.now();
    await service.backend.tokenStore.revoke(caller.tokenId, revokedAt);
    const look = () => service.backend.batches.get(String(batch['batchId']));
    await expect.poll(look, { timeout: 30_000 }).toMatchObject({ cancelledAt: expect.any(Number) as number });
    const { cancelledAt } = (await look()) ?? {};
    expect(Number(cancelledAt) - revokedAt).toBeLessThan(promisedMs);
  });
});
