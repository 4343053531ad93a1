import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { catalogue } from '#shared/catalogue/registry';
import type { Report } from '#shared/model/report';
import type { Scope } from '#shared/ports/token-store';
import { makeToken } from '#shared/stores/tokens/make-token';
import { makeOpenapi } from '../../api/descriptions/document.ts';
import { readField } from '../../api/pages/home.ts';
import { basePathOf } from '../../api/pages/page-services.ts';
import { keepGolden } from '../kit/golden-report.ts';
import { openService, redirectPath, type Service } from './kit.ts';

let visits = 0;
const service = await openService({
  sites: {
    'http://a.test': (_request, response) => {
      visits += 1;
      response
        .writeHead(301, { location: Buffer.from('/<script>alert(1)</script>?\u202e"').toString('latin1') })
        .end();
    },
  },
  settings: { RATE_LIMIT: 'off' },
});
afterAll(() => service.close());

const asBrowser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

type Loaded = { readonly status: number; readonly headers: Headers; readonly text: string };

async function load({ port }: Service, path: string, headers: Record<string, string> = {}): Promise<Loaded> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    headers: { ...asBrowser, ...headers },
    redirect: 'manual',
  });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

/** Sends a form, as a browser does that tells nothing of the page it stands on. */
async function send(
  { port }: Service,
  path: string,
  fields: Record<string, string> = {},
  headers: Record<string, string> = {},
): Promise<Loaded> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers: { ...asBrowser, ...headers },
    redirect: 'manual',
  });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

/** The address that the page's button sends its form to. */
function buttonOf({ text }: Loaded): string {
  return (/<form class="start" action="([^"]+)" method="post">/.exec(text)?.[1] ?? '').replaceAll(
    '&amp;',
    '&',
  );
}

/** Presses the button and reads on, as a browser without scripts does, to the page with the report. */
async function check(over: Service, path: string): Promise<Loaded> {
  const started = await send(over, buttonOf(await load(over, path)));
  expect(started.status).toBe(303);
  const address = started.headers.get('location') ?? '';
  const jobId = /job=([0-9a-f]{32})/.exec(address)?.[1] ?? '';
  // Held until the work has ended.
  if (jobId !== '') await over.get(`/api/jobs/${jobId}?wait=20`);
  const last = await load(over, address);
  return last.status === 303 ? load(over, last.headers.get('location') ?? '') : last;
}

async function drawToken({ backend }: Service, scopes: readonly Scope[]): Promise<{ authorization: string }> {
  const wish = { name: 'test', scopes: [...scopes], limits: {}, expiresAt: null };
  const { text, token } = makeToken(wish, Date.now());
  await backend.tokenStore.insert(token);
  return { authorization: `Bearer ${text}` };
}

const pageOf = (url: string) => `/u/redirect-check?url=${encodeURIComponent(url)}`;

describe('the field of the first page', () => {
  const policy = {
    addresses: { allow: [], deny: [] },
    allowedSuffixes: ['test'],
    ports: [[1, 65_535]],
  } as const;
  test.for([
    { text: 'A.Test', check: '', path: '/d/a.test' },
    { text: ' a.test. ', check: '', path: '/d/a.test' },
    {
      text: 'https://www.a.test/shop?x=1',
      check: '',
      path: '/d/www.a.test?page=https%3A%2F%2Fwww.a.test%2Fshop%3Fx%3D1',
    },
    { text: 'a.test/shop', check: '', path: '/d/a.test?page=https%3A%2F%2Fa.test%2Fshop' },
    { text: 'Ann <ann@a.test>', check: '', path: '/d/a.test' },
    { text: 'mailto:ann@a.test', check: 'dns-check', path: '/d/a.test/dns-check' },
    { text: 'bücher.test', check: 'ssl-check', path: '/d/xn--bcher-kva.test/ssl-check' },
    { text: 'a.test', check: 'redirect-check', path: '/u/redirect-check?url=https%3A%2F%2Fa.test%2F' },
    {
      text: 'http://a.test/x',
      check: 'redirect-check',
      path: '/u/redirect-check?url=http%3A%2F%2Fa.test%2Fx',
    },
  ])('$text with "$check" leads to $path', ({ text, check: name, path }) => {
    expect(readField(text, name, policy)).toMatchObject({ ok: true, path });
  });
  test.for([
    { text: '', check: '', status: 400 },
    { text: 'not a domain', check: '', status: 400 },
    { text: 'javascript:alert(1)', check: '', status: 400 },
    { text: 'http://localhost/', check: 'redirect-check', status: 422 },
    { text: 'http://127.0.0.1/', check: 'redirect-check', status: 422 },
    { text: 'a.test', check: 'no-check', status: 400 },
  ])('$text with "$check" is $status', ({ text, check: name, status }) => {
    expect(readField(text, name, policy)).toMatchObject({ ok: false, status });
  });

  test('a text that is not understood stays in the field, escaped, with what is wrong', async () => {
    const { status, text } = await load(service, `/go?target=${encodeURIComponent('"><script>x')}`);
    expect(status).toBe(400);
    expect(text).toContain('value="&quot;&gt;&lt;script&gt;x"');
    expect(text).toContain('role="alert"');
  });
});

describe('the pages', () => {
  test('allow nothing inline and nothing from elsewhere; their files have a hash in the name', async () => {
    const { status, headers, text } = await load(service, '/');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers.get('content-security-policy')).not.toMatch(/unsafe|\*|https?:|data:/);
    expect(text).not.toMatch(/ style=| on\w+=|<style|<script(?! src=)/);
    const files = [...text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path = '']) => path);
    expect(files).toHaveLength(3);
    const answers = await Promise.all(files.map((path) => load(service, path)));
    for (const answer of answers)
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([
        200,
        'public, max-age=31536000, immutable',
      ]);
    const bytes = [text, ...answers.map((answer) => answer.text)].map((body) => gzipSync(body).length);
    const all = bytes.reduce((sum, size) => sum + size, 0);
    console.log(`/: ${files.length + 1} requests, ${all} bytes under gzip`);
    expect(all).toBeLessThan(60_000);
  });

  test('the API has a page with every operation, and a file for language models', async () => {
    const page = await service.get('/docs');
    const operations = Object.values(makeOpenapi().paths ?? {}).flatMap((path) =>
      [path?.get, path?.post, path?.patch, path?.delete].flatMap((one) => one?.operationId ?? []),
    );
    expect(operations.length).toBeGreaterThan(14);
    for (const name of operations) expect(page.text).toContain(`<section class="operation" id="${name}">`);
    expect(page.text).not.toMatch(/undefined|origin\.invalid/);
    expect(page.text).toMatch(/curl &#39;http:\/\/127\.0\.0\.1:\d+\/api\/tools\/domain-health\//);
    expect(gzipSync(page.text).length).toBeLessThan(30_000);
    const { text } = await service.get('/llms.txt');
    for (const { name, switchedOnBy } of catalogue)
      expect([name, text.includes(`/api/tools/${name}`)]).toEqual([name, switchedOnBy === undefined]);
    expect((await service.get('/favicon.ico')).headers['content-type']).toBe('image/svg+xml');
  });

  test('robots are kept off everything that names a target', async () => {
    const { text } = await load(service, '/robots.txt');
    for (const path of ['/api/', '/d/', '/u/', '/r/', '/go']) expect(text).toContain(`Disallow: ${path}\n`);
  });

  test('a page shows what is stored and starts nothing; its button starts one check, once', async () => {
    const path = pageOf('http://a.test/once');
    const first = await load(service, path);
    expect(first.status).toBe(200);
    expect(first.text).toContain('No report is stored yet');
    expect(visits).toBe(0);

    const started = await send(service, buttonOf(first));
    const address = started.headers.get('location') ?? '';
    expect(started.status).toBe(303);
    expect(address).toMatch(/&job=[0-9a-f]{32}$/);
    await service.get(`/api/jobs/${address.slice(-32)}?wait=20`);
    const before = visits;
    expect(before).toBeGreaterThan(0);
    // Pressed again, within the time in which nothing new is asked.
    const again = await send(service, path);
    expect([again.status, again.headers.get('location')]).toEqual([303, `${path}&again=1`]);
    expect((await load(service, `${path}&again=1`)).text).toMatch(
      /Checked \d+ seconds? ago\. You can check again in \d+ seconds?\./,
    );
    expect((await load(service, path)).text).not.toContain('You can check again');
    // An address, whatever it says, starts nothing: as a crawler, a prefetch or the history would ask it.
    for (const more of ['', '&fresh=1'])
      await load(service, `${pageOf('http://a.test/never')}${more}`, { 'sec-purpose': 'prefetch' });
    expect(visits).toBe(before);
    const shown = await load(service, path);
    expect(shown.text).toContain('Check again');
  });

  test('the field of the first page starts the check with one press, and shows a fresh report at once', async () => {
    const fields = { target: 'http://a.test/pressed', check: 'redirect-check' };
    const path = pageOf(fields.target);
    const started = await send(service, '/go', fields);
    const address = started.headers.get('location') ?? '';
    expect([started.status, address.slice(0, path.length)]).toEqual([303, path]);
    await service.get(`/api/jobs/${address.slice(-32)}?wait=20`);
    const before = visits;
    const again = await send(service, '/go', fields);
    expect([again.status, again.headers.get('location')]).toEqual([303, path]);
    expect(visits).toBe(before);
  });

  test.for([
    { name: 'a page of another site', headers: { 'sec-fetch-site': 'cross-site' } },
    { name: 'a page of our own site', headers: { 'sec-fetch-site': 'same-site' } },
    { name: 'a reload', headers: { 'sec-fetch-site': 'none' } },
    { name: 'a foreign Origin', headers: { origin: 'https://other.test' } },
    { name: 'a sandboxed frame', headers: { origin: 'null' } },
  ])('$name starts nothing by a form', async ({ headers }) => {
    const before = visits;
    for (const path of ['/go', pageOf('http://a.test/foreign')]) {
      const { status, text } = await send(service, path, {}, headers);
      expect([path, status]).toEqual([path, 403]);
      expect(text).toContain('cross_site_request');
    }
    expect(visits).toBe(before);
  });

  test.for([
    { name: 'same-origin', headers: { 'sec-fetch-site': 'same-origin', origin: 'http://localhost:1' } },
    { name: 'an own Origin of an old browser', headers: { origin: 'http://127.0.0.1:3000' } },
  ])('$name may start', async ({ name, headers }) => {
    const path = pageOf(`http://a.test/${encodeURIComponent(name)}`);
    expect((await send(service, path, {}, headers)).headers.get('location')).toContain('job=');
  });

  test.for([
    { name: 'a field that the form does not have', fields: { target: 'a.test', __proto: 'x' } },
    { name: 'a field twice', body: 'target=a.test&target=b.test' },
    { name: 'a form of another type', body: '{}', type: 'application/json', is: 415 },
    { name: 'a form that is too long', body: `target=${'a'.repeat(20_000)}`, is: 413 },
    { name: 'a coded form', body: 'target=a.test', coding: 'gzip', is: 415 },
  ])('$name is refused and starts nothing', async ({ fields, body, type, coding, is = 400 }) => {
    const answer = await fetch(`http://127.0.0.1:${service.port}/go`, {
      method: 'POST',
      body: body ?? new URLSearchParams(fields),
      headers: {
        ...(body === undefined ? {} : { 'content-type': type ?? 'application/x-www-form-urlencoded' }),
        ...(coding === undefined ? {} : { 'content-encoding': coding }),
      },
    });
    expect(answer.status).toBe(is);
  });

  test('what a check can be asked for can be chosen on its page, and the usual choice has the usual address', async () => {
    const path = pageOf('http://a.test/choices');
    const { text } = await load(service, path);
    expect(text).toMatch(/<select id="redirect-check-userAgent" name="userAgent">/);
    const phone = await send(service, path, { userAgent: 'phone' });
    expect(phone.headers.get('location')).toContain(`${path}&userAgent=phone&job=`);
    const usual = await send(service, path, { userAgent: 'ours' });
    expect(usual.headers.get('location')?.replace(/&job=.*/, '')).toBe(path);
    expect((await send(service, path, { userAgent: 'none' })).status).toBe(400);
    expect((await load(service, '/d/a.test/dns-check')).text).toContain('name="dkimSelector"');
    expect((await load(service, '/d/a.test/ssl-check')).text).toContain('name="port" value="443"');
  });

  test('text of a target is never markup', async () => {
    const { text } = await check(service, pageOf('http://a.test/hostile'));
    expect(text).toContain('&lt;script&gt;');
    expect(text).not.toContain('<script>');
    expect(text).not.toContain('\u202e');
  });

  test('what no route takes is a page for people too', async () => {
    for (const path of ['/nope', '/d/%zz', '/api/nope', '/problems/nope']) {
      const { status, headers, text } = await load(service, path, asBrowser);
      expect([path, headers.get('content-type')]).toEqual([path, 'text/html; charset=utf-8']);
      expect([status, text.includes('<main')]).toEqual([path === '/d/%zz' ? 400 : 404, true]);
    }
    expect((await service.get('/d/%zz')).headers['content-type']).toBe('application/problem+json');
  });

  test('a fault is a page for people and JSON for programs, with the same status', async () => {
    const people = await load(service, '/d/localhost');
    expect([people.status, people.headers.get('content-type')]).toEqual([422, 'text/html; charset=utf-8']);
    const program = await service.get('/d/localhost', { accept: '*/*' });
    expect([program.status, program.body['code']]).toEqual([422, 'target_not_allowed']);
    expect((await load(service, '/d/a.test/redirect-check')).status).toBe(404);
    expect((await load(service, '/u/dns-check?url=x')).status).toBe(404);
  });
});

describe('/r/{id}', () => {
  test('shows a report that was given without a token, with an ETag', async () => {
    const first = await service.get(redirectPath('http://a.test/shared'));
    const path = `/r/${String(first.body['reportId'])}`;
    const page = await load(service, path);
    expect(page.status).toBe(200);
    expect(page.text).not.toContain('Since the check at');
    const etag = page.headers.get('etag') ?? '';
    expect((await load(service, path, { 'if-none-match': etag })).status).toBe(304);
  });

  test.for(['json', 'html', 'md', 'csv', 'sarif', 'junit'])('is there as a file too: %s', async (format) => {
    const { reportId } = await keepGolden(service.backend.reportStore, 'redirect-check');
    const file = await load(service, `/r/${reportId}/export?format=${format}`);
    expect([file.status, file.headers.get('content-disposition')]).toEqual([
      200,
      expect.stringMatching(/^attachment; filename="/),
    ]);
    const unknown = await load(service, `/r/${reportId}/export?format=exe`);
    expect(unknown.status).toBe(400);
    expect((await load(service, `/r/${'0'.repeat(32)}/export?format=${format}`)).status).toBe(404);
  });

  test('says what changed since the report before, and draws the scores of all', async () => {
    const { reportStore } = service.backend;
    const before = { checkedAt: new Date(Date.now() - 60_000).toISOString(), score: 90, findings: [] };
    const pageOf = async (check: string) => {
      await keepGolden(reportStore, check, before);
      return (await load(service, `/r/${(await keepGolden(reportStore, check)).reportId}`)).text;
    };
    const text = await pageOf('domain-health');
    expect(text).toContain('The score is worse: 90 before, ');
    expect(text).toContain('Score of 2 checks: 90 at first, ');
    // A URL may be somebody's secret: nobody is told that it was checked before.
    expect(await pageOf('security-header-check')).not.toContain('90 before');
  });

  test('a part that was late is said as what it is, and nothing is called fixed', async () => {
    const { reportStore } = service.backend;
    const golden = JSON.parse(readFileSync('test/fixtures/golden/domain-health.json', 'utf8')) as Report & {
      readonly categories: Readonly<Record<string, object>>;
    };
    const target = { domain: 'late.test' };
    const critical = { ...golden.findings[0], code: 'finding-critical', severity: 'critical' };
    const seen = { state: 'ok', score: 90, grade: 'A', reason: undefined };
    const late = { state: 'unavailable', score: null, grade: null, reason: 'it did not end in time' };
    const withSpeed = (change: object) => ({
      categories: { ...golden.categories, performance: { ...golden.categories['performance'], ...change } },
    });
    await keepGolden(reportStore, 'domain-health', {
      ...withSpeed(seen),
      target,
      checkedAt: new Date(Date.now() - 60_000).toISOString(),
      findings: [critical as Report['findings'][number]],
      notTested: [],
    });
    const now = await keepGolden(reportStore, 'domain-health', {
      ...withSpeed(late),
      target,
      findings: [],
      notTested: [{ code: 'finding-critical', reason: 'in Speed, it did not end in time' }],
    });
    const { text } = await load(service, `/r/${now.reportId}`);
    expect(text).toContain('Speed was not seen this time: it did not end in time.');
    expect(text).toContain('Not tested this time');
    expect(text).not.toMatch(/>Fixed/);
    expect(text.indexOf('class="changes"')).toBeGreaterThan(text.indexOf('id="findings"'));
  });

  test('a report of which one check was made again says which, and when', async () => {
    const { reportStore } = service.backend;
    const at = new Date().toISOString();
    const { reportId } = await keepGolden(reportStore, 'domain-health', {
      checkedAt: new Date(Date.now() - 360_000).toISOString(),
      recheckedAt: { check: 'ssl-check', at },
    });
    const { text } = await load(service, `/r/${reportId}`);
    expect(text).toContain(` again <time class="ago" datetime="${at}">`);
    expect((await load(service, '/d/a.test/history')).text).toContain(` again <time datetime="${at}">`);
  });

  test.for(catalogue.map(({ name }) => name))('the page of %s needs few bytes', async (name) => {
    const { reportId } = await keepGolden(service.backend.reportStore, name);
    const page = await load(service, `/r/${reportId}`);
    expect(page.status).toBe(200);
    const files = [...page.text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path = '']) => path);
    const bodies = [page, ...(await Promise.all(files.map((path) => load(service, path))))];
    const bytes = bodies.reduce((sum, { text }) => sum + gzipSync(text).length, 0);
    console.log(`/r of ${name}: ${bodies.length} requests, ${bytes} bytes under gzip`);
    expect(bytes).toBeLessThan(60_000);
    expect(bodies.length).toBeLessThanOrEqual(5);
  });

  test('its pictures are one picture of ours, with a policy that lets nothing of them run', async () => {
    const { reportStore } = service.backend;
    const { reportId, expiresAt } = await keepGolden(reportStore, 'pagespeed-check', {
      screenshot: { width: 1, height: 2, type: 'image/png', sizeBytes: 8 },
    });
    const path = `/r/${reportId}/filmstrip.svg`;
    expect((await service.get(path)).body['code']).toBe('not_found');
    const png = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
    await reportStore.keepBlob({ reportId, kind: 'screenshot' }, png, expiresAt);
    const lone = await load(service, path);
    expect([lone.status, lone.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
    expect(lone.headers.get('content-security-policy')).toBe("default-src 'none'; img-src data:; sandbox");
    expect(lone.text).toContain(`data:image/png;base64,${png.toString('base64')}`);
    const keep = async (frames: unknown) =>
      reportStore.keepBlob({ reportId, kind: 'filmstrip' }, Buffer.from(JSON.stringify(frames)), expiresAt);
    await keep([{ atMs: 300, width: 2, height: 4, jpeg: 'QUJD' }]);
    expect((await load(service, path)).text).toContain('data:image/jpeg;base64,QUJD');
    // What others wrote into the store is no picture.
    await keep([{ atMs: 300, width: 2, height: 4, jpeg: '"/><script>' }]);
    expect((await load(service, path)).status).toBe(404);
  });

  test('is 404 for what was only given to a token, and for what is no id', async () => {
    const { text, token } = makeToken(
      { name: 'test', scopes: ['tools'], limits: {}, expiresAt: null },
      Date.now(),
    );
    await service.backend.tokenStore.insert(token);
    const own = await service.get(redirectPath('http://a.test/own'), { authorization: `Bearer ${text}` });
    for (const id of [String(own.body['reportId']), '0'.repeat(32), 'x'])
      expect((await load(service, `/r/${id}`)).status).toBe(404);
  });

  test('in token mode shows what the account was given, to who may read reports', async () => {
    const closed = await openService({ settings: { AUTH_MODE: 'token', DATA_DIR: ':memory:' } });
    const bare = await openService({ settings: { REPORT_IDS: 'off' } });
    const { text, token } = makeToken(
      { name: 'test', scopes: ['tools'], limits: {}, expiresAt: null },
      Date.now(),
    );
    await closed.backend.tokenStore.insert(token);
    try {
      const id = '0'.repeat(32);
      expect((await load(closed, '/')).status).toBe(200);
      const asked = await load(closed, '/d/a.test');
      expect([asked.status, asked.headers.get('www-authenticate')]).toEqual([
        401,
        expect.stringMatching(/^Bearer/),
      ]);
      expect(asked.text).toContain('id="token-text"');
      const authorization = `Bearer ${text}`;
      expect((await load(closed, '/d/a.test', { authorization })).status).toBe(200);
      expect((await load(closed, `/r/${id}`, { authorization })).status).toBe(403);
      const reader = await drawToken(closed, ['tools', 'reports:read']);
      const other = await drawToken(closed, ['tools', 'reports:read']);
      expect((await load(closed, `/r/${id}`, reader)).status).toBe(404);
      const given = await closed.get(redirectPath('http://127.0.0.1.test/'), reader);
      const own = `/r/${String(given.body['reportId'])}`;
      const page = await load(closed, own, reader);
      expect([page.status, page.headers.get('cache-control')]).toEqual([
        200,
        expect.stringMatching(/^private/),
      ]);
      expect(page.text).toContain(`${own}?format=pdf`);
      expect((await load(closed, `${own}/export?format=md`, reader)).status).toBe(200);
      expect((await load(closed, `${own}/export?format=md`, other)).status).toBe(404);
      expect((await load(closed, own, other)).status).toBe(404);
      expect((await load(closed, own)).status).toBe(401);
      expect((await load(bare, `/r/${id}`)).text).toContain('report_ids_disabled');
    } finally {
      await closed.close();
      await bare.close();
    }
  });
});

describe('the badge', () => {
  test('says that there is no grade, and starts nothing', async () => {
    const { status, headers, text } = await load(service, '/api/badge/ungraded.test.svg?label=%3Cb%3E%22');
    expect([status, headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
    expect(text).toContain('aria-label="&lt;b&gt;&quot;: no grade"');
    expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin');
  });

  test('has the grade of the newest domain-health that was given without a token', async () => {
    const target = { domain: 'graded.test' };
    await keepGolden(service.backend.reportStore, 'domain-health', { target, score: 97, grade: 'A' });
    const { text } = await load(service, '/api/badge/graded.test.svg');
    expect(text).toContain('aria-label="domain health: A 97"');
  });

  test('refuses what is no domain, no svg, or a long label', async () => {
    for (const path of ['/a.test.png', '/%20.svg', `/a.test.svg?label=${'x'.repeat(41)}`])
      expect((await load(service, `/api/badge${path}`, { accept: '*/*' })).status).toBe(400);
    // As every tool answers for a name that is never checked.
    expect((await load(service, '/api/badge/localhost.svg', { accept: '*/*' })).status).toBe(422);
  });
});

test('links keep the path of PUBLIC_URL', () => {
  const owners = { contact: undefined, hostConcurrency: 4, accessDays: 30 };
  const site = {
    linksOf: () => '',
    ownerOf: () => undefined,
    reportIds: true,
    isOpen: true,
    isOffered: () => true,
    hasMcp: false,
    sendsMail: false,
    owners,
  };
  expect(basePathOf({ ...site, publicPath: 'https://example.com/diag/' })).toBe('/diag');
  expect(basePathOf({ ...site, publicPath: '' })).toBe('');
});
