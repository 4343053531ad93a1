import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { openService, redirectPath } from './kit.ts';

/** What the slow site holds back until it is released. */
let held: (() => void)[] = [];
let visits = 0;
const release = () => held.splice(0).forEach((answer) => answer());
const service = await openService({
  sites: {
    'http://slow.test': (_request, response) => {
      visits += 1;
      held.push(() => response.writeHead(200, { 'content-type': 'text/plain' }).end('at last'));
    },
    'http://quick.test': (_request, response) => {
      visits += 1;
      response.writeHead(200, { 'content-type': 'text/plain' }).end('here');
    },
  },
  settings: { RATE_LIMIT: 'off', HOST_CONCURRENCY: '2' },
});
const { get } = service;
afterAll(() => service.close());
beforeEach(async () => {
  const idle = async () => {
    release();
    return service.backend.jobQueue.stats();
  };
  await expect.poll(idle).toMatchObject({ network: { waiting: 0, parked: 0, running: 0 } });
  held = [];
  visits = 0;
});
const slow = (name: string, more = '') => redirectPath(`http://slow.test/${name}`, more);
const quick = (name: string, more = '') => redirectPath(`http://quick.test/${name}`, more);

describe('waiting', () => {
  test('a GET that would wait longer than it wants is answered 202, and its job leads to the report', async () => {
    const answer = await get(slow('a', '&wait=0'));
    expect(answer).toMatchObject({
      status: 202,
      headers: { 'cache-control': 'no-store' },
      body: { links: { self: answer.headers.location } },
    });
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    const location = String(answer.headers.location);
    await expect.poll(() => held.length).toBe(1);
    expect(await get(location)).toMatchObject({
      status: 200,
      body: { state: 'running', progress: { done: 0, total: 1, current: 'slow.test' } },
    });
    const poll = get(`${location}?wait=20`);
    release();
    const done = await poll;
    expect(done).toMatchObject({ status: 303, body: { state: 'done' }, headers: { location: slow('a') } });
    expect(await get(slow('a'))).toMatchObject({ status: 200, body: { state: 'complete' } });
    expect(visits).toBe(1);
  });

  test('a caller with a hundred GETs waiting has its next answered 202 at once', async () => {
    const many = Array.from({ length: 100 }, () => get(slow('many')));
    await expect.poll(() => held.length).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect((await get(slow('many'))).status).toBe(202);
    release();
    expect((await Promise.all(many)).map(({ status }) => status)).toEqual(many.map(() => 200));
  });

  test('a job in line is said to wait, at its place, to everybody who asks for it', async () => {
    for (const name of ['l1', 'l2', 'l3']) await get(slow(name, '&wait=0'));
    for (let times = 0; times < 2; times += 1)
      expect(await get(slow('l3', '&wait=0'))).toMatchObject({
        status: 202,
        body: { state: 'waiting', position: 1, links: { original: slow('l3') } },
      });
    expect(await get(slow('l1', '&wait=0'))).toMatchObject({ status: 202, body: { state: 'running' } });
  });

  test.for([
    ['respond-async', 'respond-async'],
    ['respond-async, wait=0', 'respond-async, wait=0'],
    ['wait=0', 'wait=0'],
    ['Respond-Async; foo=bar, handling=lenient', 'respond-async'],
  ])('Prefer: %s is heeded and told', async ([prefer, applied]) => {
    const answer = await get(slow(`prefer-${prefer?.length}`), { prefer: prefer ?? '' });
    expect(answer).toMatchObject({ status: 202, headers: { 'preference-applied': applied } });
  });

  test('the query beats the header', async () => {
    const answer = get(slow('beats', '&wait=20'), { prefer: 'wait=0' });
    await expect.poll(() => held.length).toBe(1);
    release();
    expect((await answer).status).toBe(200);
  });

  test('a hundred equal GETs at once make one run and get one report', async () => {
    const answers = Array.from({ length: 100 }, () => get(slow('equal')));
    await expect.poll(() => held.length).toBe(1);
    release();
    const all = await Promise.all(answers);
    expect(new Set(all.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    // Those that came while it ran were collapsed, those after it are hits; exactly one was stored.
    expect(
      all.filter(({ headers }) => headers['cache-status'] === 'diag; fwd=uri-miss; stored'),
    ).toHaveLength(1);
    expect(visits).toBe(1);
  });

  test('the jobs of a busy host wait their turn and say their place; another host is not held up', async () => {
    const waiting = await Promise.all(['p1', 'p2', 'p3', 'p4'].map((name) => get(slow(name, '&wait=0'))));
    const places = waiting.map(({ body }) => body['position']).filter((position) => position !== undefined);
    expect(places).toEqual([1, 2]);
    expect(await get(quick('beside'))).toMatchObject({ status: 200 });
    await expect.poll(() => held.length).toBe(2);
    release();
    await expect.poll(() => held.length).toBe(2);
    release();
    await expect.poll(() => get(slow('p4')).then(({ status }) => status)).toBe(200);
  });

  test('a caller that goes away leaves its job, and the next one finds the report', async () => {
    const controller = new AbortController();
    const gone = fetch(`http://127.0.0.1:${service.port}${slow('gone')}`, {
      signal: controller.signal,
    }).catch(() => 'gone');
    await expect.poll(() => held.length).toBe(1);
    controller.abort();
    expect(await gone).toBe('gone');
    release();
    expect(await get(slow('gone'))).toMatchObject({ status: 200 });
    expect(visits).toBe(1);
  });

  test('a job that nobody knows is a 404 that says what to do', async () => {
    for (const id of ['0'.repeat(32), 'x', '__proto__', '%00']) {
      expect(await get(`/api/jobs/${id}`)).toMatchObject({ status: 404, body: { code: 'job_not_found' } });
    }
    expect(await get(`/api/jobs/${'0'.repeat(32)}?wait=99`)).toMatchObject({
      status: 400,
      body: { errors: [{ name: 'wait' }] },
    });
  });
});

describe('freshness', () => {
  test('a repeat is answered from the report, 304 to whoever has it, in any coding', async () => {
    const first = await get(quick('fresh'));
    expect(first.headers['cache-control']).toMatch(/^public, max-age=(299|300)$/);
    expect(first.headers['last-modified']).toBe(new Date(String(first.body['checkedAt'])).toUTCString());
    const etag = String(first.headers.etag);
    for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      expect(await get(quick('fresh'), { 'if-none-match': tag })).toMatchObject({
        status: 304,
        text: '',
        headers: { etag },
      });
    }
    expect(await get(quick('fresh'), { 'if-none-match': '"other"' })).toMatchObject({ status: 200 });
    const zipped = await get(quick('fresh'), { 'accept-encoding': 'gzip, deflate' });
    expect(zipped.headers).toMatchObject({ 'content-encoding': 'gzip', etag: etag.replace(/"$/, '-gzip"') });
    expect(
      (await get(quick('fresh'), { 'accept-encoding': 'gzip;q=0, zstd;q=0.5' })).headers['content-encoding'],
    ).toBe('zstd');
    expect(
      (await get(quick('fresh'), { 'accept-encoding': 'gzip;q=0' })).headers['content-encoding'],
    ).toBeUndefined();
    expect(visits).toBe(1);
  });

  test.for([
    ['fresh=1', {}],
    ['maxAge=0', {}],
    ['maxAge=1000', {}],
    ['', { 'cache-control': 'no-cache' }],
    ['', { 'cache-control': 'max-age=1000' }],
  ] as const)(
    '"%s" %o within the floor is served the last report, for no shared cache',
    async ([query, headers]) => {
      const path = quick(`floor${query}${JSON.stringify(headers).length}`);
      const first = await get(path);
      const again = await get(`${path}${query === '' ? '' : `&${query}`}`, headers);
      expect(again).toMatchObject({
        status: 200,
        text: first.text,
        headers: { 'cache-control': 'private, no-cache' },
      });
      expect(visits).toBe(1);
    },
  );

  test('only-if-cached starts nothing', async () => {
    expect(await get(quick('cached'), { 'cache-control': 'only-if-cached' })).toMatchObject({
      status: 504,
      body: { code: 'not_cached' },
    });
    await get(quick('cached'));
    expect(await get(quick('cached'), { 'cache-control': 'only-if-cached' })).toMatchObject({ status: 200 });
    expect(visits).toBe(1);
  });

  test('fresh joins running work', async () => {
    const [first, second] = [get(slow('join')), get(slow('join', '&fresh=1'))];
    await expect.poll(() => held.length).toBe(1);
    release();
    expect((await first).text).toBe((await second).text);
    expect(visits).toBe(1);
  });
});
