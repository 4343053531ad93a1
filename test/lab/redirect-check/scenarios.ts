import type { RedirectCode } from '#shared/catalogue/redirect-check/rules';
import type { Sites } from '../kit/web-servers.ts';
import { bytes, page, paths, to } from './answers.ts';

/** Servers, where the walk begins, and what its report must say beside more. */
export type Scenario = {
  readonly name: string;
  readonly start: string;
  readonly sites?: Sites;
  /** Exactly these rules are broken. */
  readonly broken: readonly RedirectCode[];
  /** A subset of the report. */
  readonly expected: object;
};

const numbered = (count: number) =>
  paths({
    ...Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`/${index}`, to(`/${index + 1}`, 302)]),
    ),
    [`/${count}`]: page(),
  });

const path: readonly Scenario[] = [
  {
    name: 'http to https arrives in one hop',
    start: 'http://up.test/',
    sites: { 'http://up.test': to('https://up.test/'), 'https://up.test': page() },
    broken: [],
    expected: {
      state: 'complete',
      ended: 'ok',
      redirects: 1,
      finalUrl: 'https://up.test/',
      finalStatus: 200,
    },
  },
  {
    name: 'scheme first, then host',
    start: 'http://two.test/x',
    sites: {
      'http://two.test': to('https://two.test/x'),
      'https://two.test': to('https://www.two.test/x'),
      'https://www.two.test': page(),
    },
    broken: [],
    expected: { redirects: 2, hops: [{ via: 'http' }, { via: 'http' }, { location: null }] },
  },
  {
    name: 'host first is too late for HSTS',
    start: 'http://late.test/',
    sites: {
      'http://late.test': to('http://www.late.test/'),
      'http://www.late.test': to('https://www.late.test/'),
      'https://www.late.test': page(),
    },
    broken: ['https-upgrade-late'],
    expected: { redirects: 2 },
  },
  {
    name: 'https to http',
    start: 'https://down.test/',
    sites: { 'https://down.test': to('http://down.test/'), 'http://down.test': page() },
    broken: ['https-downgrade', 'http-not-upgraded'],
    expected: { ended: 'ok', finalUrl: 'http://down.test/' },
  },
  {
    name: 'three redirects are long',
    start: 'https://long.test/0',
    sites: { 'https://long.test': numbered(3) },
    broken: ['redirect-chain-long'],
    expected: { redirects: 3, finalUrl: 'https://long.test/3' },
  },
  {
    name: '19 redirects arrive',
    start: 'https://nineteen.test/0',
    sites: { 'https://nineteen.test': numbered(19) },
    broken: ['redirect-chain-past-crawlers'],
    expected: { ended: 'ok', redirects: 19 },
  },
  {
    name: '20 redirects arrive, but not in Chromium',
    start: 'https://twenty.test/0',
    sites: { 'https://twenty.test': numbered(20) },
    broken: ['redirect-too-many'],
    expected: { ended: 'ok', redirects: 20, finalUrl: 'https://twenty.test/20' },
  },
  {
    name: 'the 21st redirect is an error',
    start: 'https://many.test/0',
    sites: { 'https://many.test': numbered(21) },
    broken: ['redirect-too-many'],
    expected: { ended: 'too-many', finalUrl: null, finalStatus: null },
  },
  {
    name: 'a loop of two',
    start: 'https://loop.test/a',
    sites: { 'https://loop.test': paths({ '/a': to('/b'), '/b': to('/a') }) },
    broken: ['redirect-loop'],
    expected: { ended: 'loop', hops: [{ url: 'https://loop.test/a' }, { url: 'https://loop.test/b' }] },
  },
  {
    name: 'a loop of one',
    start: 'https://self.test/',
    sites: { 'https://self.test': to('/') },
    broken: ['redirect-loop'],
    expected: { ended: 'loop', hops: [{}] },
  },
  {
    name: 'a loop that only changes the fragment',
    start: 'https://hash.test/',
    sites: { 'https://hash.test': to('/#again') },
    broken: ['redirect-loop'],
    expected: { ended: 'loop' },
  },
  {
    name: 'a loop behind a way in',
    start: 'https://way.test/',
    sites: { 'https://way.test': paths({ '/': to('/a'), '/a': to('/b'), '/b': to('/a') }) },
    broken: ['redirect-loop'],
    expected: { ended: 'loop', redirects: 3 },
  },
  {
    name: 'a loop of meta refreshes',
    start: 'https://metaloop.test/a',
    sites: {
      'https://metaloop.test': paths({
        '/a': page('<meta http-equiv=refresh content="0;/b">'),
        '/b': page('<meta http-equiv=refresh content="0;/a">'),
      }),
    },
    broken: ['redirect-loop', 'redirect-client-side'],
    expected: { ended: 'loop' },
  },
  {
    name: 'the path is lost on the way to https',
    start: 'http://lost.test/x',
    sites: { 'http://lost.test': to('https://lost.test/'), 'https://lost.test': page() },
    broken: ['redirect-path-not-kept'],
    expected: { finalUrl: 'https://lost.test/' },
  },
  {
    name: 'another site',
    start: 'https://cross.test/',
    sites: { 'https://cross.test': to('https://other-site.test/'), 'https://other-site.test': page() },
    broken: ['redirect-cross-site'],
    expected: { ended: 'ok' },
  },
  {
    name: 'tracking parameters',
    start: 'https://track.test/',
    sites: { 'https://track.test': paths({ '/': to('/?utm_source=x'), '/?utm_source=x': page() }) },
    broken: ['redirect-tracking-parameters'],
    expected: { ended: 'ok' },
  },
  {
    name: 'an open redirect',
    start: 'https://open.test/go?to=https%3A%2F%2Fother-site.test%2F',
    sites: {
      'https://open.test': (request, response) =>
        to(new URL(request.url ?? '', 'https://open.test').searchParams.get('to') ?? '/')(request, response),
    },
    broken: ['redirect-open-suspected', 'redirect-cross-site'],
    expected: { finalUrl: 'https://other-site.test/' },
  },
];

const statuses: readonly Scenario[] = [
  ...[301, 302, 303, 307, 308].map((status) => ({
    name: `${status} is followed`,
    start: `https://s${status}.test/`,
    sites: { [`https://s${status}.test`]: paths({ '/': to('/b', status), '/b': page() }) },
    broken: [],
    expected: { ended: 'ok', redirects: 1, hops: [{ status, location: '/b', via: 'http' }, { status: 200 }] },
  })),
  ...[302, 303, 307].map((status) => ({
    name: `${status} from http to https is temporary`,
    start: `http://t${status}.test/`,
    sites: {
      [`http://t${status}.test`]: to(`https://t${status}.test/`, status),
      [`https://t${status}.test`]: page(),
    },
    broken: ['redirect-temporary' as const],
    expected: { ended: 'ok' },
  })),
  ...[300, 304, 305, 306, 310].map((status) => ({
    name: `${status} with a Location is not followed`,
    start: `https://n${status}.test/x`,
    sites: { [`https://n${status}.test`]: to('/b', status) },
    broken: ['redirect-status-not-followed' as const],
    expected: { ended: 'ok', redirects: 0, finalStatus: status, hops: [{ location: '/b' }] },
  })),
  ...[200, 201, 202].map((status) => ({
    name: `${status} with a Location is no redirect`,
    start: `https://l${status}.test/`,
    sites: { [`https://l${status}.test`]: page('', { location: '/b' }, status) },
    broken: [],
    expected: { ended: 'ok', redirects: 0, finalStatus: status },
  })),
  ...[400, 404, 410, 500, 502, 599].map((status) => ({
    name: `${status} at the end is broken`,
    start: `https://e${status}.test/`,
    sites: { [`https://e${status}.test`]: page('', {}, status) },
    broken: ['target-error-status' as const],
    expected: { ended: 'ok', finalStatus: status },
  })),
  ...[401, 403, 405, 451, 503].map((status) => ({
    name: `${status} at the end keeps us out`,
    start: `https://out${status}.test/`,
    sites: { [`https://out${status}.test`]: page('', {}, status) },
    broken: ['target-blocks-checks' as const],
    expected: { state: 'partial', ended: 'ok', finalStatus: status, answeredBy: { vendor: null } },
  })),
  {
    name: 'a challenge with status 200 is no page of the site',
    start: 'http://wall.test/',
    sites: {
      'http://wall.test': to('https://wall.test/'),
      'https://wall.test': page('<link rel=canonical href=/x>Request unsuccessful. Incapsula incident ID: 1'),
    },
    broken: ['target-blocks-checks'],
    expected: { state: 'partial', redirects: 1, answeredBy: { vendor: 'Imperva', certainty: 'certain' } },
  },
  {
    name: '429 is asked once, and costs nothing',
    start: 'https://slow-down.test/',
    sites: { 'https://slow-down.test': page('', { 'retry-after': '1' }, 429) },
    broken: ['target-rate-limits'],
    expected: { state: 'partial', finalStatus: 429, hops: [{}] },
  },
  {
    name: 'HEAD would be refused; GET is asked',
    start: 'https://head.test/',
    sites: {
      'https://head.test': (request, response) =>
        page('', {}, request.method === 'GET' ? 200 : 405)(request, response),
    },
    broken: [],
    expected: { finalStatus: 200 },
  },
];

/** What a Location is sent as, from https://<host>.test/x/y; and where it leads. */
const leads: readonly (readonly [
  name: string,
  location: string,
  finalUrl: string,
  ...broken: RedirectCode[],
])[] = [
  ['an absolute path', '/b', 'https://at.test/b'],
  ['a relative path', 'b', 'https://at.test/x/b'],
  ['a path upwards', '../../../b', 'https://at.test/b'],
  ['a query alone', '?b', 'https://at.test/x/y?b'],
  ['without a scheme', '//at.test/b', 'https://at.test/b'],
  ['a scheme without slashes', 'https:b', 'https://at.test/x/b', 'location-slashes'],
  ['a scheme with one slash', 'https:/b', 'https://at.test/b', 'location-slashes'],
  ['a scheme with three slashes', 'https:///at.test/b', 'https://at.test/b', 'location-slashes'],
  ['capital letters and the default port', 'HTTPS://AT.Test:443/b', 'https://at.test/b'],
  ['an own fragment', '/b#c', 'https://at.test/b#c'],
  ['a space', '/b c', 'https://at.test/b%20c', 'location-not-encoded'],
  ['a tab', '/b\tc', 'https://at.test/bc', 'location-not-encoded'],
  ['backslashes', '\\\\at.test\\b', 'https://at.test/b', 'location-not-encoded'],
  ['UTF-8', '/\u00c3\u00a9', 'https://at.test/%C3%A9', 'location-not-encoded'],
  ['latin1', '/\u00e9', 'https://at.test/%E9', 'location-not-encoded'],
  ['bytes ff fe 80', '/\u00ff\u00fe\u0080', 'https://at.test/%FF%FE%80', 'location-not-encoded'],
  ['a percent sign alone', '/100%', 'https://at.test/100%', 'location-not-encoded'],
  ['credentials', 'https://user:secret@at.test/b', 'https://at.test/b', 'location-credentials'],
  [
    'credentials after a backslash',
    'https:/\\user:secret@at.test/b',
    'https://at.test/b',
    'location-credentials',
  ],
  ['7 kB', `/${'b'.repeat(7000)}`, `https://at.test/${'b'.repeat(7000)}`],
];

const locations: readonly Scenario[] = [
  ...leads.map(([what, location, finalUrl, ...broken], index) => ({
    name: `a Location with ${what} is followed`,
    start: `https://lead${index}.test/x/y`,
    sites: {
      [`https://lead${index}.test`]: ((request, response) =>
        request.url === '/x/y'
          ? to(location.replace(/at\.test/i, `lead${index}.test`))(request, response)
          : page()(request, response)) satisfies Sites[string],
    },
    broken,
    expected: { ended: 'ok', redirects: 1, finalUrl: finalUrl.replace('at.test', `lead${index}.test`) },
  })),
  {
    name: 'a fragment is inherited through two hops, and an empty one ends it',
    start: 'https://frag.test/a',
    sites: {
      'https://frag.test': paths({ '/a': to('/b#one', 302), '/b': to('/c', 302), '/c': page() }),
    },
    broken: [],
    expected: { finalUrl: 'https://frag.test/c#one' },
  },
  {
    name: 'an empty fragment is one',
    start: 'https://nofrag.test/a',
    sites: {
      'https://nofrag.test': paths({ '/a': to('/b#one', 302), '/b': to('/c#', 302), '/c': page() }),
    },
    broken: [],
    expected: { finalUrl: 'https://nofrag.test/c#' },
  },
  {
    name: 'no Location',
    start: 'https://none.test/',
    sites: { 'https://none.test': page('', {}, 301) },
    broken: ['location-missing'],
    expected: { ended: 'ok', redirects: 0, finalStatus: 301, hops: [{ location: null }] },
  },
  {
    name: 'an empty Location',
    start: 'https://empty.test/',
    sites: { 'https://empty.test': to('', 302) },
    broken: ['location-empty'],
    expected: { ended: 'ok', redirects: 0, finalStatus: 302, hops: [{ location: '' }] },
  },
  {
    name: 'two different Locations',
    start: 'https://both.test/',
    sites: {
      'https://both.test': paths({
        '/': (_request, response) => response.writeHead(302, ['location', '/b', 'location', '/c']).end(),
        '/b': page(),
      }),
    },
    broken: ['location-ambiguous'],
    expected: { ended: 'invalid-location', finalUrl: null, hops: [{ location: '/b' }] },
  },
  {
    name: 'the same Location twice',
    start: 'https://twice.test/',
    sites: {
      'https://twice.test': paths({
        '/': (_request, response) => response.writeHead(302, ['location', '/b', 'Location', '/b']).end(),
        '/b': page(),
      }),
    },
    broken: [],
    expected: { finalUrl: 'https://twice.test/b' },
  },
  {
    name: 'an empty Location before a true one',
    start: 'https://half.test/',
    sites: {
      'https://half.test': paths({
        '/': (_request, response) => response.writeHead(302, ['location', '', 'location', '/b']).end(),
        '/b': page(),
      }),
    },
    broken: ['location-ambiguous', 'location-empty'],
    expected: { ended: 'invalid-location', finalUrl: null, hops: [{ location: '/b' }] },
  },
  ...['http://[bad', 'http:///', 'https://a b/', 'https://x.test:99999/', 'http://%00/'].map(
    (location, index) => ({
      name: `Location ${location} is no URL`,
      start: `https://bad${index}.test/`,
      sites: { [`https://bad${index}.test`]: to(location, 302) },
      broken: (/[ ]/.test(location)
        ? ['location-invalid', 'location-not-encoded']
        : ['location-invalid']) satisfies RedirectCode[],
      expected: { ended: 'invalid-location', finalUrl: null, hops: [{ location, status: 302 }] },
    }),
  ),
  {
    name: 'the password of a Location that is no URL is hidden',
    start: 'https://badsecret.test/',
    sites: { 'https://badsecret.test': to('https://user:secret@[bad', 302) },
    broken: ['location-invalid'],
    expected: { ended: 'invalid-location', hops: [{ location: '***@[bad' }] },
  },
  ...[
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'ftp://ftp.test/',
    'mailto:x@y.test',
    'intent://x',
    'unix:/var/run/x',
  ].map((location, index) => ({
    name: `Location ${location} leads out of the web`,
    start: `https://scheme${index}.test/`,
    sites: { [`https://scheme${index}.test`]: to(location, 302) },
    broken: [
      /^(?:javascript|data|file|ftp|blob|about|view-source|ws)/i.test(location)
        ? ('location-scheme-not-allowed' as const)
        : ('location-app-scheme' as const),
    ],
    expected: {
      state: /^(?:mailto|intent|unix)/.test(location) ? 'partial' : 'complete',
      ended: 'refused',
      hops: [{ location, status: 302 }],
    },
  })),
  {
    name: 'a Location of 9,021 characters is followed',
    start: 'https://nine.test/',
    sites: {
      'https://nine.test': paths({ '/': to(`/${'b'.repeat(9020)}`, 302), [`/${'b'.repeat(9020)}`]: page() }),
    },
    broken: ['location-too-long'],
    expected: { ended: 'ok', finalStatus: 200 },
  },
  {
    name: 'a Location of 17 kB is told, and not followed',
    start: 'https://kilo.test/',
    sites: { 'https://kilo.test': to(`/${'b'.repeat(17_000)}`, 302) },
    broken: ['location-too-long'],
    expected: {
      state: 'partial',
      ended: 'unreachable',
      finalUrl: null,
      hops: [{ location: `/${'b'.repeat(16_383)}` }],
    },
  },
  {
    name: 'another host before the @ is a lure',
    start: 'https://lure.test/',
    sites: {
      'https://lure.test': paths({ '/': to('https://www.example.com@lure.test/b', 302), '/b': page() }),
    },
    broken: ['location-lure'],
    expected: { ended: 'ok', finalUrl: 'https://lure.test/b' },
  },
];

const cookieGate =
  (cookie: string, wanted: string): Sites[string] =>
  (request, response) =>
    request.headers.cookie === wanted
      ? page()(request, response)
      : to('/', 302, { 'set-cookie': cookie })(request, response);

const cookies: readonly Scenario[] = [
  {
    name: 'a gate that wants its cookie back',
    start: 'https://gate.test/',
    sites: { 'https://gate.test': cookieGate('in=1; Secure; HttpOnly; SameSite=Strict', 'in=1') },
    broken: ['redirect-cookie-required'],
    expected: { ended: 'cookie-required', redirects: 1, finalStatus: 200 },
  },
  {
    name: 'a cookie without a name is kept, as browsers do',
    start: 'https://nameless.test/',
    sites: { 'https://nameless.test': cookieGate('in', 'in') },
    broken: ['redirect-cookie-required'],
    expected: { ended: 'cookie-required' },
  },
  {
    name: 'a cookie with bytes above ASCII comes back as it was',
    start: 'https://bytes.test/',
    sites: { 'https://bytes.test': cookieGate('in=\u00e9\u00ff', 'in=\u00e9\u00ff') },
    broken: ['redirect-cookie-required'],
    expected: { ended: 'cookie-required' },
  },
  {
    name: 'a Secure cookie over http is not kept',
    start: 'http://insecure.test/',
    sites: { 'http://insecure.test': cookieGate('in=1; Secure', 'in=1') },
    broken: ['redirect-loop'],
    expected: { ended: 'loop' },
  },
  {
    name: 'a cookie for another site is not kept',
    start: 'https://foreign.test/',
    sites: { 'https://foreign.test': cookieGate('in=1; Domain=other-site.test', 'in=1') },
    broken: ['redirect-loop'],
    expected: { ended: 'loop' },
  },
  {
    name: 'a cookie that is no cookie is not kept',
    start: 'https://nonsense.test/',
    sites: {
      'https://nonsense.test': to('/', 302, { 'set-cookie': ['', ';', '=', '; Path=/', 'x=1; Max-Age=0'] }),
    },
    broken: ['redirect-loop'],
    expected: { ended: 'loop' },
  },
  {
    name: 'a new cookie each time is no loop, but never arrives',
    start: 'https://counter.test/',
    sites: {
      'https://counter.test': (request, response) => {
        const count = Number(/n=(\d+)/.exec(request.headers.cookie ?? '')?.[1] ?? 0);
        to('/', 302, { 'set-cookie': `n=${count + 1}` })(request, response);
      },
    },
    broken: ['redirect-too-many'],
    expected: { ended: 'too-many' },
  },
  {
    name: 'cookies do not go to another site',
    start: 'https://giver.test/',
    sites: {
      'https://giver.test': to('https://taker.test/', 302, { 'set-cookie': 'in=1' }),
      'https://taker.test': (request, response) =>
        page('', {}, request.headers.cookie === undefined ? 200 : 500)(request, response),
    },
    broken: ['redirect-cross-site'],
    expected: { finalStatus: 200 },
  },
];

const meta = (content: string) => `<!doctype html><meta http-equiv=refresh content="${content}">`;

/** Pages that lead on, or do not, from / to /b. */
const pages: readonly (readonly [
  name: string,
  first: Sites[string],
  via: string | undefined,
  ...broken: RedirectCode[],
])[] = [
  ['a Refresh field', page('', { refresh: '0; url=/b' }), 'refresh-header', 'redirect-client-side'],
  ['a meta refresh', page(meta('0; url=/b')), 'meta-refresh', 'redirect-client-side'],
  ['a meta refresh after five seconds', page(meta('5;/b')), 'meta-refresh', 'redirect-client-side'],
  ['a meta refresh on an error page', page(meta('0;/b'), {}, 404), 'meta-refresh', 'redirect-client-side'],
  [
    'a meta refresh against base',
    page(`<base href=/x/>${meta('0;../b')}`),
    'meta-refresh',
    'redirect-client-side',
  ],
  ['a meta refresh after six seconds', page(meta('6;/b')), undefined, 'redirect-client-side-delayed'],
  [
    'a delayed Refresh field before an instant meta refresh',
    page(meta('0;/b'), { refresh: '9;/c' }),
    'meta-refresh',
    'redirect-client-side',
  ],
  [
    'an instant Refresh field before a delayed meta refresh',
    page(meta('9;/c'), { refresh: '0;/b' }),
    'refresh-header',
    'redirect-client-side',
  ],
  [
    'a Refresh field that browsers ignore before a meta refresh',
    page(meta('0;/b'), { refresh: 'soon' }),
    'meta-refresh',
    'redirect-client-side',
  ],
  ['a page that reloads itself', page(meta('0')), undefined],
  ['a page that reloads itself by name', page(meta('0;/#x')), undefined],
  ['a refresh to javascript:', page(meta("0;javascript:location='/b'")), undefined],
  ['a meta refresh in noscript', page(`<noscript>${meta('0;/b')}</noscript>`), undefined],
  [
    'a meta refresh in plain text',
    page(meta('0;/b'), { 'content-type': 'text/plain' }),
    undefined,
    'target-no-document',
  ],
  [
    'a meta refresh in XHTML',
    page(meta('0;/b'), { 'content-type': 'application/xhtml+xml' }),
    'meta-refresh',
    'redirect-client-side',
  ],
  ['a script', page('<script>location.href = "/b"</script>'), undefined, 'redirect-javascript-suspected'],
  [
    'a script that waits for a click',
    page('<script>go = () => { location.href = "/b" }</script>'),
    undefined,
  ],
];

const clientSide: readonly Scenario[] = [
  ...pages.map(([what, first, via, ...broken], index) => ({
    name: `${what} ${via === undefined ? 'is not followed' : 'is followed'}`,
    start: `https://page${index}.test/`,
    sites: { [`https://page${index}.test`]: paths({ '/': first, '/b': page() }) },
    broken,
    expected: {
      ended: 'ok',
      redirects: via === undefined ? 0 : 1,
      hops: via === undefined ? [{ status: 200 }] : [{ via, location: `https://page${index}.test/b` }, {}],
    },
  })),
  {
    name: 'a Refresh beside a Location means nothing',
    start: 'https://refloc.test/',
    sites: { 'https://refloc.test': paths({ '/': to('/b', 302, { refresh: '0;/c' }), '/b': page() }) },
    broken: [],
    expected: { finalUrl: 'https://refloc.test/b', hops: [{ via: 'http' }, {}] },
  },
  {
    name: 'a Refresh beside a redirect without Location is followed',
    start: 'https://refonly.test/',
    sites: { 'https://refonly.test': paths({ '/': page('', { refresh: '0;/b' }, 302), '/b': page() }) },
    broken: ['location-missing', 'redirect-client-side'],
    expected: { finalUrl: 'https://refonly.test/b', hops: [{ via: 'refresh-header' }, {}] },
  },
  {
    name: 'a refresh to an app leads out of the web',
    start: 'https://app.test/',
    sites: { 'https://app.test': page(meta('0;app://open')) },
    broken: ['location-app-scheme'],
    expected: { ended: 'refused' },
  },
  {
    name: 'credentials in a refresh appear nowhere',
    start: 'https://refsecret.test/',
    sites: { 'https://refsecret.test': page(meta('9;https://user:secret@other-site.test/')) },
    broken: ['redirect-client-side-delayed'],
    expected: { ended: 'ok' },
  },
];

const https: readonly Scenario[] = [
  {
    name: 'a page that stays in clear text',
    start: 'http://plain.test/',
    sites: { 'http://plain.test': page() },
    broken: ['http-not-upgraded'],
    expected: { ended: 'ok', hops: [{ tls: null }] },
  },
  {
    name: 'HSTS in clear text',
    start: 'http://clear.test/',
    sites: {
      'http://clear.test': to('https://clear.test/', 301, { 'strict-transport-security': 'max-age=9' }),
      'https://clear.test': page(),
    },
    broken: ['hsts-over-http'],
    expected: { ended: 'ok' },
  },
  {
    name: 'a clear-text hop behind HSTS',
    start: 'https://hsts.test/',
    sites: {
      'https://hsts.test': paths({
        '/': to('http://hsts.test/b', 302, { 'strict-transport-security': 'max-age=9' }),
        '/b': page(),
      }),
      'http://hsts.test': to('https://hsts.test/b'),
    },
    broken: ['hsts-upgrades-browser'],
    expected: {
      ended: 'ok',
      finalUrl: 'https://hsts.test/b',
      hops: [{ location: 'http://hsts.test/b', upgradedTo: 'https://hsts.test/b' }, {}],
    },
  },
  {
    name: 'HSTS with includeSubDomains holds the hosts below',
    start: 'https://hstssub.test/',
    sites: {
      'https://hstssub.test': to('http://www.hstssub.test/', 301, {
        'strict-transport-security': 'max-age=9; includeSubDomains',
      }),
      'https://www.hstssub.test': page(),
      'http://www.hstssub.test': page(),
    },
    broken: ['hsts-upgrades-browser'],
    expected: { finalUrl: 'https://www.hstssub.test/' },
  },
  {
    name: 'where a later visit begins',
    start: 'http://later.test/x',
    sites: {
      'http://later.test': to('https://later.test/x'),
      'https://later.test': to('https://www.later.test/x', 301, { 'strict-transport-security': 'max-age=9' }),
      'https://www.later.test': page(),
    },
    broken: [],
    expected: { redirects: 2, laterVisit: { url: 'https://later.test/x', by: 'header', redirects: 1 } },
  },
  {
    name: 'of two HSTS fields browsers read the first',
    start: 'https://hsts2.test/',
    sites: {
      'https://hsts2.test': paths({
        '/': to('http://hsts2.test/b', 302, { 'strict-transport-security': ['max-age=0', 'max-age=9'] }),
        '/b': page(),
      }),
      'http://hsts2.test': to('https://hsts2.test/b'),
    },
    broken: ['https-downgrade'],
    expected: { ended: 'ok' },
  },
  ...[1500, 3000].map((count) => ({
    name: `HSTS behind ${count} other headers is seen`,
    start: `https://h${count}.test/`,
    sites: {
      [`https://h${count}.test`]: ((_request, response) => {
        const fillers = Array.from({ length: count }, (_, index) => [`x-${index}`, 'y']).flat();
        const fields = [
          ...fillers,
          'strict-transport-security',
          'max-age=9',
          'location',
          `http://h${count}.test/`,
        ];
        response.writeHead(302, fields).end();
      }) satisfies Sites[string],
      [`http://h${count}.test`]: page(),
    },
    // It leads to itself, once browsers have made https of it.
    broken: ['redirect-loop', 'hsts-upgrades-browser'] satisfies RedirectCode[],
    expected: { ended: 'loop' },
  })),
  {
    name: 'a canonical Link field',
    start: 'https://canon.test/',
    sites: { 'https://canon.test': page('', { link: '<https://www.canon.test/>; rel="canonical"' }) },
    broken: ['canonical-differs'],
    expected: { ended: 'ok' },
  },
  {
    name: 'a canonical element',
    start: 'https://canon2.test/',
    sites: { 'https://canon2.test': page('<link rel=canonical href="//www.canon2.test/">') },
    broken: ['canonical-differs'],
    expected: { ended: 'ok' },
  },
  {
    name: 'a canonical element of the page itself',
    start: 'https://canon3.test/',
    sites: { 'https://canon3.test': page('<link rel=canonical href="/">') },
    broken: [],
    expected: { ended: 'ok' },
  },
];

const connections: readonly Scenario[] = [
  {
    name: 'a second hop on the same host reuses the connection, and says so',
    start: 'https://keep.test/',
    sites: { 'https://keep.test': paths({ '/': to('/b', 302), '/b': page() }) },
    broken: [],
    expected: {
      hops: [
        { timings: { reused: false } },
        { timings: { reused: true, dns: 0, tcp: 0, tls: 0 }, address: '127.0.0.1', tls: { trusted: true } },
      ],
    },
  },
  {
    name: 'a closed connection is opened anew, and says so',
    start: 'https://close.test/',
    sites: { 'https://close.test': paths({ '/': to('/b', 302, { connection: 'close' }), '/b': page() }) },
    broken: [],
    expected: { hops: [{ timings: { reused: false } }, { timings: { reused: false } }] },
  },
  {
    name: 'a redirect with a page of 1 kB keeps its connection',
    start: 'https://small.test/',
    sites: {
      'https://small.test': paths({
        '/': (_request, response) => response.writeHead(302, { location: '/b' }).end('x'.repeat(1000)),
        '/b': page(),
      }),
    },
    broken: [],
    expected: { hops: [{}, { timings: { reused: true } }] },
  },
  {
    name: 'a redirect with a page of 1 MB costs its connection',
    start: 'https://large.test/',
    sites: {
      'https://large.test': paths({
        '/': (_request, response) => response.writeHead(302, { location: '/b' }).end('x'.repeat(1_000_000)),
        '/b': page(),
      }),
    },
    broken: [],
    expected: { ended: 'ok', hops: [{}, { timings: { reused: false } }] },
  },
  {
    name: 'HTTP/1.0 arrives',
    start: 'https://old.test/',
    sites: { 'https://old.test': bytes('HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n<p>hello') },
    broken: [],
    expected: { ended: 'ok', finalStatus: 200 },
  },
  {
    name: 'a page longer than we read still arrives',
    start: 'https://big.test/',
    sites: { 'https://big.test': page('x'.repeat(600_000)) },
    broken: [],
    expected: { ended: 'ok', finalStatus: 200 },
  },
];

/** Where a Location must not lead us, from https://<host>.test/. */
const forbidden: readonly (readonly [
  location: string,
  code: 'target-not-allowed' | 'target-address-not-allowed',
])[] = [
  ['http://10.0.0.1/', 'target-not-allowed'],
  ['http://127.0.0.2/', 'target-not-allowed'],
  ['http://169.254.169.254/latest/meta-data/', 'target-not-allowed'],
  ['http://0x0a000001/', 'target-not-allowed'],
  ['http://167772161/', 'target-not-allowed'],
  ['http://10.1/', 'target-not-allowed'],
  ['http://[::1]/', 'target-not-allowed'],
  ['http://[::ffff:10.0.0.1]/', 'target-not-allowed'],
  ['http://[fd00::1]/', 'target-not-allowed'],
  ['http://router.local/', 'target-not-allowed'],
  ['http://metadata.google.internal/', 'target-not-allowed'],
  ['http://other-site.test:25/', 'target-not-allowed'],
  ['http://private.test/', 'target-address-not-allowed'],
  ['http://mixed.test/', 'target-address-not-allowed'],
];

const guarded: readonly Scenario[] = forbidden.map(([location, code], index) => ({
  name: `a redirect to ${location} is not followed`,
  start: `https://guard${index}.test/`,
  sites: { [`https://guard${index}.test`]: to(location, 302) },
  broken: [code, 'https-downgrade', 'redirect-cross-site'],
  expected: {
    state: 'unreachable',
    ended: 'refused',
    redirects: 1,
    hops: [
      { status: 302, location },
      { status: null, address: null, error: { code } },
    ],
  },
}));

const nowhere: readonly Scenario[] = [
  'https://https//a.test/',
  'https://undefined/a',
  'https://$host/a',
  'http://localhost:8080/',
  'http://intranet/',
].map((location, index): Scenario => ({
  name: `a redirect to ${location} leads to nobody`,
  start: `https://nowhere${index}.test/`,
  sites: { [`https://nowhere${index}.test`]: to(location, 302) },
  broken: location.startsWith('http:') ? ['redirect-to-nowhere', 'https-downgrade'] : ['redirect-to-nowhere'],
  expected: { state: 'complete', ended: 'unreachable', hops: [{ status: 302, location }, { status: null }] },
}));

/** Ordinary servers, good and bad; all of them answer. */
export const scenarios: readonly Scenario[] = [
  ...path,
  ...statuses,
  ...locations,
  ...cookies,
  ...clientSide,
  ...https,
  ...connections,
  ...guarded,
  ...nowhere,
];
