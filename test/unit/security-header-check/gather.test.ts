import { expect, test } from 'vitest';
import type { FailureCode } from '#shared/model/failure';
import type { HeaderEvidence } from '../../../worker/checks/security-header-check/evidence.ts';
import { gatherHeaders, gatherHeadersWith } from '../../../worker/checks/security-header-check/gather.ts';
import { readDocument } from '../../../worker/checks/security-header-check/gather/read-document.ts';
import type { HttpAnswer, HttpBody, HttpRequest } from '../../../worker/probes/http/port.ts';
import type { Probes } from '../../../worker/probes/port.ts';
import { openWork } from '../../../worker/probes/work.ts';
import type { HeaderLine } from '../../../worker/web/fields.ts';
import { makePreloadList } from '../../../worker/web/preload-list.ts';

type Told = {
  readonly status?: number;
  readonly headers?: readonly HeaderLine[];
  readonly body?: string;
  readonly cut?: HttpBody['cut'];
};
type Web = (request: HttpRequest) => Told | FailureCode;

const timings = { wait: 0, dns: 0, tcp: 0, tls: 0, ttfb: 0, download: 0, total: 0, reused: false };

/** Gathers over a web that is a function; gives the evidence and every request in the order asked. */
async function gatherOver(web: Web, target = 'https://site.test/', gather = gatherHeaders) {
  const asked: HttpRequest[] = [];
  const ask = (request: HttpRequest): Promise<HttpAnswer> => {
    asked.push(request);
    return Promise.resolve(asAnswer(request, web(request)));
  };
  const probes = { http: { ask }, work: openWork() } as unknown as Probes;
  const evidence = await gather({ target, options: {}, probes, progress: () => undefined });
  return { evidence, asked };
}

function asAnswer({ url }: HttpRequest, told: Told | FailureCode): HttpAnswer {
  if (typeof told === 'string')
    return { kind: 'failure', url, code: told, reason: 'it failed', address: null };
  const text = told.body ?? '';
  const body = {
    text,
    wireBytes: text.length,
    decodedBytes: text.length,
    ...(told.cut ? { cut: told.cut } : {}),
  };
  const tls = url.startsWith('https:') ? { protocol: 'TLSv1.3', trusted: true, error: null } : null;
  const headers = told.headers ?? [['Content-Type', 'text/html']];
  return {
    kind: 'response',
    url,
    status: told.status ?? 200,
    statusText: '',
    httpVersion: '1.1',
    headers,
    body,
    address: '192.0.2.1',
    tls,
    timings,
  };
}

const to = (location: string, ...headers: HeaderLine[]): Told => ({
  status: 301,
  headers: [['Location', location], ...headers],
});
const plainSite: Web = ({ url }) =>
  url.startsWith('http:') ? to('https://site.test/') : { body: '<p>hello' };

test('a plain site costs two pages, three questions and three files in one wave, then its own origin and one request over each family', async () => {
  const { evidence, asked } = await gatherOver(plainSite);
  expect(asked.slice(8).map(({ url, family, headers }) => [url, family ?? headers?.['origin']])).toEqual([
    ['https://site.test/', 6],
    ['https://site.test/', 'https://site.test'],
    ['https://site.test/', 4],
  ]);
  const wave = asked.slice(0, 8);
  expect(wave.map(({ method = 'GET', url, headers }) => [method, url, headers?.['origin'] ?? ''])).toEqual([
    ['GET', 'https://site.test/', ''],
    ['GET', 'http://site.test/', ''],
    ['GET', 'https://site.test/.well-known/security.txt', ''],
    ['GET', 'https://site.test/security.txt', ''],
    ['GET', 'https://site.test/robots.txt', ''],
    ['OPTIONS', 'https://site.test/', expect.stringMatching(/^https:\/\/[0-9a-f]{16}\.invalid$/)],
    ['GET', 'https://site.test/', expect.stringMatching(/^https:\/\/[0-9a-f]{16}\.invalid$/)],
    ['GET', 'https://site.test/', 'null'],
  ]);
  expect(evidence.http.hops.map(({ url }) => url)).toEqual(['http://site.test/', 'https://site.test/']);
  expect(evidence.cors.map(({ method, origin }) => [method, origin === 'null'])).toEqual([
    ['GET', false],
    ['GET', true],
    ['OPTIONS', false],
    ['GET', false],
  ]);
});

/** A page that lets in what its list takes for its own. */
const listing =
  (list: (origin: string) => boolean): Web =>
  ({ url, headers: { origin = '' } = {} }) =>
    url.startsWith('http:')
      ? to('https://app.shop.test/')
      : {
          headers: list(origin)
            ? [html, ['Access-Control-Allow-Origin', origin], ['Vary', 'Origin']]
            : [html],
        };
const html: HeaderLine = ['Content-Type', 'text/html'];

test.for([
  ['a dot that is any character', (origin: string) => /^https:\/\/app.shop.test/.test(origin), [true, true]],
  ['an end without its dot', (origin: string) => origin.endsWith('shop.test'), [true, false]],
  [
    'a beginning without an end',
    (origin: string) => origin.startsWith('https://app.shop.test'),
    [false, true],
  ],
  ['any place', (origin: string) => origin.includes('app.shop.test'), [false, true]],
  [
    'subdomains, http and other ports',
    (origin: string) => /^https?:\/\/(?:[a-z.]+\.)?shop\.test(?::\d+)?$/.test(origin),
    [false, false],
  ],
] as const)('look-alikes are asked where the own origin is let in: %s', async ([, list, letIn]) => {
  const { evidence } = await gatherOver(listing(list), 'https://app.shop.test/');
  const related = evidence.cors.filter(({ as }) => as !== undefined);
  expect(related.map(({ as, origin }) => [as, origin])).toEqual([
    ['own', 'https://app.shop.test'],
    ['look-alike', 'https://appxshop.test'],
    ['look-alike', expect.stringMatching(/^https:\/\/app\.shop\.test\.[0-9a-f]{16}\.invalid$/)],
  ]);
  const seen = related.slice(1).map((each) => each.kind === 'answered' && each.headers.length > 1);
  expect(seen).toEqual(letIn);
});

test.for([
  ['shows CORS', [['Access-Control-Allow-Origin', '*']], ['look-alike', 'look-alike']],
  ['varies by Origin', [['Vary', 'Accept, origin']], ['look-alike', 'look-alike']],
  ['shows nothing', [], ['own']],
] as const)('a page that %s', async ([, headers, expected]) => {
  const { evidence } = await gatherOver(() => ({ headers }), 'https://site.test/');
  expect(evidence.cors.flatMap(({ as }) => as ?? [])).toEqual(expected);
});

test('one that lets strangers in with credentials is asked no further', async () => {
  const { evidence } = await gatherOver(({ headers: { origin = '' } = {} }) => ({
    headers: [
      ['Access-Control-Allow-Origin', origin],
      ['Access-Control-Allow-Credentials', 'true'],
    ],
  }));
  expect(evidence.cors).toHaveLength(3);
});

test('the evidence is JSON', async () => {
  const { evidence } = await gatherOver(plainSite);
  expect(JSON.parse(JSON.stringify(evidence))).toEqual(evidence);
});

test('an http target is looked at over https too', async () => {
  const { evidence } = await gatherOver(plainSite, 'http://site.test/a?b');
  expect([evidence.https.start, evidence.http.start]).toEqual([
    'https://site.test/a?b',
    'http://site.test/a?b',
  ]);
});

test('a port of its own counts for its own scheme only', async () => {
  const { evidence } = await gatherOver(() => ({}), 'https://site.test:8443/');
  expect([evidence.https.start, evidence.http.start]).toEqual([
    'https://site.test:8443/',
    'http://site.test/',
  ]);
});

test('where the page is elsewhere, it is asked there with origins', async () => {
  const { evidence } = await gatherOver(({ url }) =>
    url === 'https://www.site.test/' ? {} : to('https://www.site.test/'),
  );
  expect(evidence.corsUrl).toBe('https://www.site.test/');
  expect(
    evidence.cors.every((observation) => observation.kind === 'answered' && observation.status === 200),
  ).toBe(true);
});

const ends: readonly {
  readonly name: string;
  readonly web: Web;
  readonly end: HeaderEvidence['https']['end'];
  readonly hops: number;
}[] = [
  {
    name: 'a redirect to itself is a loop',
    web: () => to('/'),
    end: { kind: 'loop', url: 'https://site.test/' },
    hops: 1,
  },
  {
    name: 'a circle of two is a loop',
    web: ({ url }) => to(url.endsWith('/a') ? '/' : '/a'),
    end: { kind: 'loop', url: 'https://site.test/' },
    hops: 2,
  },
  {
    name: 'an ever longer path is too many',
    web: ({ url }) => to(`${url}x`),
    end: { kind: 'too-many', url: `https://site.test/${'x'.repeat(21)}` },
    hops: 21,
  },
  {
    name: 'javascript: leads nowhere',
    web: () => to('javascript:alert(1)'),
    end: { kind: 'foreign-scheme', url: 'https://site.test/', location: 'javascript:alert(1)' },
    hops: 1,
  },
  {
    name: 'a broken URL leads nowhere',
    web: () => to('https://['),
    end: { kind: 'invalid-location', url: 'https://site.test/', location: 'https://[' },
    hops: 1,
  },
  {
    name: 'two different Locations lead nowhere',
    web: () => to('/a', ['Location', '/b']),
    end: { kind: 'several-locations', url: 'https://site.test/', location: '/a' },
    hops: 1,
  },
  {
    name: 'the same Location twice is one',
    web: ({ url }) => (url.endsWith('/a') ? {} : to('/a', ['location', '/a'])),
    end: { kind: 'answered' },
    hops: 2,
  },
  {
    name: 'a redirect without Location is the page',
    web: () => ({ status: 302, headers: [] }),
    end: { kind: 'answered' },
    hops: 1,
  },
  {
    name: '304 with a Location is the page',
    web: () => ({ status: 304, headers: [['Location', '/a']] }),
    end: { kind: 'answered' },
    hops: 1,
  },
  {
    name: 'UTF-8 bytes in a Location are read as such',
    web: ({ url }) => (url.endsWith('/%C3%BC') ? {} : to('/\u00c3\u00bc')),
    end: { kind: 'answered' },
    hops: 2,
  },
  {
    name: 'a page that wants its cookie back gets it',
    web: ({ headers }) => (headers?.['cookie'] === 'seen=1' ? {} : to('/', ['Set-Cookie', 'seen=1'])),
    end: { kind: 'answered' },
    hops: 2,
  },
  {
    name: 'a Refresh field is followed, as browsers do',
    web: ({ url }) => (url.endsWith('/b') ? {} : { headers: [['Refresh', '0; url=/b']] }),
    end: { kind: 'answered' },
    hops: 2,
  },
  {
    name: 'a meta refresh is followed too',
    web: ({ url }) =>
      url.endsWith('/b') ? {} : { body: '<base href="/x/"><meta http-equiv=Refresh content="1; ../b">' },
    end: { kind: 'answered' },
    hops: 2,
  },
  {
    name: 'a challenge that reloads itself is not followed',
    web: () => ({ body: `<meta http-equiv="refresh" content="5; URL='/?bm-verify=AAQ'" />` }),
    end: { kind: 'answered' },
    hops: 1,
  },
  {
    name: 'a page that stays long enough to be read is the page',
    web: () => ({ headers: [['Refresh', '9; url=/b']] }),
    end: { kind: 'answered' },
    hops: 1,
  },
  {
    name: 'a page that calls an app stays',
    web: () => ({ body: '<meta http-equiv=refresh content="0;intent://b#Intent;end">' }),
    end: { kind: 'answered', calls: 'intent' },
    hops: 1,
  },
  {
    name: 'two pages that refresh to each other are a loop',
    web: ({ url }) => ({ headers: [['Refresh', url.endsWith('/a') ? '0; url=/' : '0; url=/a']] }),
    end: { kind: 'loop', url: 'https://site.test/' },
    hops: 2,
  },
  {
    name: 'a refused address is told as the probe tells it',
    web: ({ url }) => (url === 'https://site.test/' ? to('https://10.0.0.1/') : 'target-not-allowed'),
    end: { kind: 'failed', url: 'https://10.0.0.1/', code: 'target-not-allowed', reason: 'it failed' },
    hops: 1,
  },
];

test.for(ends)('$name', async ({ web, end, hops }) => {
  const { evidence } = await gatherOver(web);
  expect(evidence.https.end).toEqual(end);
  expect(evidence.https.hops).toHaveLength(hops);
});

test('user information in a Location is not kept', async () => {
  const { evidence } = await gatherOver(({ url }) =>
    url === 'https://site.test/' ? to('https://me:secret@site.test/a') : {},
  );
  expect(JSON.stringify(evidence)).not.toContain('secret');
});

test('only a page that came is read', async () => {
  const json = await gatherOver(() => ({
    headers: [['Content-Type', 'application/json']],
    body: '<script>',
  }));
  const broken = await gatherOver(() => ({ cut: 'bad-encoding' }));
  const long = await gatherOver(() => ({ body: '<script src=a></script>', cut: 'limit' }));
  expect([json, broken].map(({ evidence }) => evidence.https.document)).toEqual([null, null]);
  expect(long.evidence.https.document).toMatchObject({
    elements: [{ name: 'script' }],
    cut: 'its body was cut (limit)',
  });
});

test('the preload list is asked for every host', async () => {
  const list = makePreloadList(new Map([['site.test', true]]));
  const { evidence } = await gatherOver(
    ({ url }) => (url.includes('www') ? {} : to('https://www.site.test/')),
    'https://site.test/',
    gatherHeadersWith(list),
  );
  expect(evidence.preload).toEqual([
    ['site.test', 'listed'],
    ['www.site.test', 'listed'],
  ]);
  expect(['a.dev', 'other.test'].map(list)).toEqual(['listed', 'not-listed']);
});

const pages: readonly {
  readonly name: string;
  readonly html: string;
  readonly elements: readonly (readonly [name: string, parent: string])[];
}[] = [
  {
    name: 'a head that is written',
    html: '<head><meta name=a><script src=b></script></head>',
    elements: [
      ['meta', 'head'],
      ['script', 'head'],
    ],
  },
  {
    name: 'a head that is not written',
    html: '<meta name=a><p><meta name=b>',
    elements: [
      ['meta', 'head'],
      ['meta', 'p'],
    ],
  },
  {
    name: 'text ends the head',
    html: 'hello<meta http-equiv=Content-Security-Policy content=x>',
    elements: [['meta', 'body']],
  },
  {
    name: 'a div ends the head',
    html: '<head><div></div><meta name=a></head>',
    elements: [['meta', 'body']],
  },
  {
    name: 'comments and noscript hold nothing',
    html: '<!-- <meta name=a> --><noscript><meta name=b></noscript><title><meta name=c></title>',
    elements: [],
  },
  { name: 'a template holds nothing', html: '<template><script src=a></script></template>', elements: [] },
  { name: 'a script in SVG is another one', html: '<body><svg><script></script></svg>', elements: [] },
];

test.for(pages)('$name', ({ html, elements }) => {
  expect(readDocument(html, 'https://site.test/').elements.map(({ name, parent }) => [name, parent])).toEqual(
    elements,
  );
});

test('attributes without use are left out, and names of Object.prototype do no harm', () => {
  const { elements, base } = readDocument(
    '<base href=/b><base href=/c><script src=a __proto__=x onload=y constructor=z></script>',
    'https://site.test/',
  );
  expect(base).toBe('/b');
  expect(elements[0]?.attributes).toEqual([['src', 'a']]);
});

const size = 524_288;
const bombs: readonly { readonly name: string; readonly html: string }[] = [
  { name: 'deep nesting', html: '<div>'.repeat(size / 5) },
  {
    name: 'formatting elements that are never closed',
    html: `${Array.from({ length: 3000 }, (_, at) => `<p><b i=${at}></p>`).join('')}${'<p>x</p>'.repeat(50_000)}`,
  },
  { name: 'end tags that search a long stack', html: `${'<span>'.repeat(20_000)}${'</x>'.repeat(90_000)}` },
  { name: 'tables in tables', html: '<table><a>'.repeat(size / 10) },
  { name: 'one endless tag', html: `<p ${'a=1 '.repeat(size / 4)}` },
];

test.for(bombs)('$name cannot fill the memory or the clock', ({ html }) => {
  const before = process.threadCpuUsage();
  readDocument(html, 'https://site.test/');
  expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(2000);
});
