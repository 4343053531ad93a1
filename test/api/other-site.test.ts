import { afterAll, expect, test } from 'vitest';
import { openService, redirectPath } from './kit.ts';

let loads = 0;
const sites = {
  'http://a.test': (
    _request: unknown,
    response: { writeHead(status: number): { end(text: string): void } },
  ) => {
    loads += 1;
    response.writeHead(200).end('<p>hello');
  },
};
const settings = { RATE_LIMIT: 'off' };
const closed = await openService({ sites, settings });
const listed = await openService({ sites, settings: { ...settings, CORS_ORIGINS: 'https://page.test' } });
const any = await openService({ sites, settings: { ...settings, CORS_ORIGINS: '*' } });
const published = await openService({ sites, settings: { ...settings, PUBLIC_URL: 'https://diag.test' } });
const services = { closed, listed, any, published };
afterAll(async () => {
  for (const service of Object.values(services)) await service.close();
});

type Fields = Record<string, string>;
const site = (where: string, mode: string, more: Fields = {}): Fields => ({
  'sec-fetch-site': where,
  'sec-fetch-mode': mode,
  ...more,
});
const page = { origin: 'https://page.test' };
const other = { origin: 'https://other.test' };

type Case = {
  readonly name: string;
  readonly at?: keyof typeof services;
  readonly fields: Fields;
  readonly starts: boolean;
};
const cases: Case[] = [
  { name: 'a program, which sends none of the fields', fields: {}, starts: true },
  { name: 'an address that was typed', fields: site('none', 'navigate'), starts: true },
  { name: 'our own page', fields: site('same-origin', 'cors'), starts: true },
  { name: 'a page of our own site', fields: site('same-site', 'navigate'), starts: true },
  { name: 'a picture of another site', fields: site('cross-site', 'no-cors'), starts: false },
  { name: 'a link of another site', fields: site('cross-site', 'navigate'), starts: false },
  { name: 'a fetch of another site', fields: site('cross-site', 'cors', other), starts: false },
  { name: 'a WebSocket of another site', fields: site('cross-site', 'websocket', other), starts: false },
  { name: 'a value that no browser sends', fields: site('elsewhere', 'cors'), starts: false },
  { name: 'the field twice', fields: site('cross-site, same-origin', 'cors'), starts: false },
  { name: 'an old browser with a foreign Origin', fields: other, starts: false },
  { name: 'a sandboxed frame', fields: { origin: 'null' }, starts: false },
  { name: 'an Origin on loopback', fields: { origin: 'http://localhost:8080' }, starts: true },
  { name: 'an Origin that is an address, not ours', fields: { origin: 'http://192.0.2.1' }, starts: false },
  {
    name: 'an Origin of our name, without PUBLIC_URL',
    fields: { origin: 'https://diag.test' },
    starts: false,
  },
  {
    at: 'published',
    name: 'the Origin of PUBLIC_URL',
    fields: { origin: 'https://diag.test' },
    starts: true,
  },
  {
    name: 'credentials of another scheme, which a browser adds by itself',
    fields: site('cross-site', 'no-cors', { authorization: 'Basic dTpw' }),
    starts: false,
  },
  {
    at: 'listed',
    name: 'a fetch of a listed origin',
    fields: site('cross-site', 'cors', page),
    starts: true,
  },
  { at: 'listed', name: 'a listed origin of an old browser', fields: page, starts: true },
  {
    at: 'listed',
    name: 'a picture of a listed origin',
    fields: site('cross-site', 'no-cors', page),
    starts: false,
  },
  {
    at: 'listed',
    name: 'a link of a listed origin',
    fields: site('cross-site', 'navigate', page),
    starts: false,
  },
  { at: 'listed', name: 'cors without an Origin', fields: site('cross-site', 'cors'), starts: false },
  {
    at: 'listed',
    name: 'a fetch of an origin that is not listed',
    fields: site('cross-site', 'cors', other),
    starts: false,
  },
  {
    at: 'listed',
    name: 'a listed host over http',
    fields: site('cross-site', 'cors', { origin: 'http://page.test' }),
    starts: false,
  },
  { at: 'any', name: 'a fetch of any origin', fields: site('cross-site', 'cors', other), starts: true },
  { at: 'any', name: 'a picture of any origin', fields: site('cross-site', 'no-cors'), starts: false },
  { at: 'any', name: 'a link of any origin', fields: site('cross-site', 'navigate', other), starts: false },
];
let paths = 0;
test.for(cases)('$name (CORS_ORIGINS: $at)', async ({ at = 'closed', fields, starts }) => {
  const service = services[at];
  const path = redirectPath(`http://a.test/${(paths += 1)}`);
  const before = loads;
  const refusals = starts ? [] : ['', '&fresh=1', '&wait=0', '&maxAge=0'];
  for (const more of refusals) {
    const { status, body, headers } = await service.get(`${path}${more}`, fields);
    expect([status, body['code'], headers['cache-control']]).toEqual([403, 'cross_site_request', 'no-store']);
    expect((await service.send('HEAD', `${path}${more}`, fields)).status).toBe(403);
  }
  expect(loads).toBe(before);
  const answer = await service.get(path, starts ? fields : {});
  expect([answer.status, loads - before]).toEqual([200, 1]);
  // What is stored is for all.
  const stored = await service.get(path, fields);
  expect([stored.status, loads - before]).toEqual([200, 1]);
  expect(stored.headers['cache-status']).toMatch(/^diag; hit/);
});

test('only-if-cached is answered as ever', async () => {
  const fields = site('cross-site', 'no-cors');
  const path = redirectPath('http://a.test/never');
  expect((await closed.get(path, { ...fields, 'cache-control': 'only-if-cached' })).status).toBe(504);
});

// Tools are found by a table; an encoded path, and what is unusual otherwise, goes through Express.
test.for(['a.test', '%61.test'])('a check of the domain %s is under the same rule', async (domain) => {
  const answer = await closed.get(`/api/tools/dns-check/${domain}`, site('cross-site', 'navigate'));
  expect([answer.status, answer.body['code']]).toEqual([403, 'cross_site_request']);
});
