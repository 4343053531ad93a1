import type { RedirectCode } from '#shared/catalogue/redirect-check/rules';
import type { HopAnswer, RedirectEvidence } from '../../../worker/checks/redirect-check/evidence.ts';
import type { FamilyObservation } from '../../../worker/web/families.ts';
import { lostOver, over } from '../web/family-observations.ts';
import { chain, failed, late, nowhere, type Step, sends, stopped } from './chain.ts';

type Case = {
  readonly name: string;
  readonly evidence: RedirectEvidence;
  /** Exactly these rules are broken. */
  readonly broken: readonly RedirectCode[];
  /** Default: 100 where the page was seen, else null. */
  readonly score?: number | null;
};

export const refreshes = (
  seconds: number,
  to: string,
  via: 'refresh-header' | 'meta-refresh' = 'meta-refresh',
) => ({
  status: 200,
  refresh: { via, seconds, to },
  locations: [],
  page: { setsAddress: false },
  bodyCut: null,
});
const distrusted = (error: string) => ({ tls: { protocol: 'TLSv1.3', trusted: false, error } });
const hsts = (value: string): Partial<HopAnswer> => ({ hsts: value });
/** The first redirect named an http address. */
export const upgraded = (evidence: RedirectEvidence, from: string): RedirectEvidence => {
  const { hostname: host } = new URL(from);
  const [first, ...rest] = evidence.hops;
  if (!first?.next) return evidence;
  const next = { ...first.next, upgraded: { from, by: 'header' as const, host } };
  return { ...evidence, hops: [{ ...first, next }, ...rest] };
};
export const page = (seen: Partial<HopAnswer>): RedirectEvidence => chain(['https://a.test/', seen]);
export const redirect = (seen: Partial<HopAnswer>, from = 'https://a.test/', to = 'https://a.test/b') =>
  chain([from, seen], to);
export const numbered = (count: number): readonly Step[] =>
  Array.from({ length: count }, (_, index) => `https://a.test/${index}`);

export const path: readonly Case[] = [
  { name: 'a page without redirects is as good as it gets', evidence: chain('https://a.test/'), broken: [] },
  {
    name: 'http to https is one comfortable hop',
    evidence: chain('http://a.test/', 'https://a.test/'),
    broken: [],
  },
  {
    name: 'scheme first, then host, is two comfortable hops',
    evidence: chain('http://a.test/x', 'https://a.test/x', 'https://www.a.test/x'),
    broken: [],
  },
  {
    name: 'a page that stays in clear text misses HTTPS',
    evidence: chain('http://a.test/'),
    broken: ['http-not-upgraded'],
    score: 70,
  },
  {
    name: 'https to http is a downgrade, and misses HTTPS at the end',
    evidence: chain('https://a.test/', 'http://a.test/'),
    broken: ['https-downgrade', 'http-not-upgraded'],
    score: 20,
  },
  {
    name: 'a downgrade that is fixed later is still one',
    evidence: chain('https://a.test/', 'http://a.test/b', 'https://a.test/b'),
    broken: ['https-downgrade'],
    score: 50,
  },
  {
    name: 'a downgrade counts although the next hop is dead',
    evidence: failed('connection-refused', 'https://a.test/', 'http://a.test/'),
    broken: ['https-downgrade', 'target-unreachable'],
  },
  {
    name: 'http to http://www to https://www comes too late for the HSTS of the first host',
    evidence: chain('http://a.test/', 'http://www.a.test/', 'https://www.a.test/'),
    broken: ['https-upgrade-late'],
    score: 95,
  },
  {
    name: 'a host change in clear text that never leads to https is no late upgrade',
    evidence: chain('http://a.test/', 'http://www.a.test/'),
    broken: ['http-not-upgraded'],
    score: 70,
  },
  {
    name: 'a loop of two is found at its second hop',
    evidence: stopped({ kind: 'loop', to: 'https://a.test/' }, 'https://a.test/', 'https://a.test/b'),
    broken: ['redirect-loop'],
    score: 50,
  },
  {
    name: 'the 21st redirect is one too many',
    evidence: stopped({ kind: 'too-many' }, ...numbered(21)),
    broken: ['redirect-too-many'],
    score: 50,
  },
  {
    name: '20 redirects arrive in Firefox only',
    evidence: chain(...numbered(21)),
    broken: ['redirect-too-many'],
    score: 50,
  },
  ...(
    [
      [4, 'redirect-chain-long', 92],
      [5, 'redirect-chain-long', 90],
      [6, 'redirect-chain-very-long', 89],
      [10, 'redirect-chain-very-long', 85],
      [11, 'redirect-chain-past-crawlers', 69],
      [19, 'redirect-chain-past-crawlers', 61],
    ] as const
  ).map(([count, code, left]) => ({
    name: `${count} redirects leave ${left} points`,
    evidence: chain(...numbered(count + 1)),
    broken: [code],
    score: left,
  })),
  {
    name: 'a chain that we give up, and browsers do not, has no score',
    evidence: stopped({ kind: 'given-up', to: 'https://a.test/beyond' }, ...numbered(3)),
    broken: [],
  },
  {
    name: 'three redirects are one more than needed',
    evidence: chain('http://a.test/', 'https://a.test/', 'https://www.a.test/', 'https://www.a.test/en/'),
    broken: ['redirect-chain-long'],
    score: 94,
  },
  {
    name: 'a chain that runs out of time is slow, and nothing is said of its end',
    evidence: late('http://a.test/', 'https://a.test/'),
    broken: ['redirect-chain-slow'],
  },
];

export const temporary: readonly Case[] = [302, 303, 307].map((status) => ({
  name: `${status} for a lasting change of scheme is temporary`,
  evidence: chain(['http://a.test/', { status }], 'https://a.test/'),
  broken: ['redirect-temporary'],
  score: 95,
}));

const moves: readonly Case[] = [
  {
    name: '308 is as lasting as 301',
    evidence: chain(['http://a.test/', { status: 308 }], 'https://a.test/'),
    broken: [],
  },
  {
    name: '302 to another path is what 302 is for',
    evidence: redirect({ status: 302 }),
    broken: [],
  },
  {
    name: '302 from host to host of one site is temporary',
    evidence: redirect({ status: 302 }, 'https://a.test/x?y=1', 'https://www.a.test/x?y=1'),
    broken: ['redirect-temporary'],
    score: 95,
  },
  {
    name: '302 back to http is a downgrade, and had better not last',
    evidence: chain(['https://a.test/', { status: 302 }], 'http://a.test/'),
    broken: ['https-downgrade', 'http-not-upgraded'],
    score: 20,
  },
  {
    name: 'the path is lost on the way to the other host',
    evidence: chain('https://a.test/x', 'https://www.a.test/'),
    broken: ['redirect-path-not-kept'],
    score: 97,
  },
  {
    name: 'the path is lost on the way to https',
    evidence: chain('http://a.test/x?y', 'https://a.test/'),
    broken: ['redirect-path-not-kept'],
    score: 97,
  },
  {
    name: 'from page to front page of one origin is a choice',
    evidence: chain('https://a.test/x', 'https://a.test/'),
    broken: [],
  },
  {
    name: 'from another site to a front page is a choice',
    evidence: chain('https://a.test/x', 'https://b.test/'),
    broken: ['redirect-cross-site'],
  },
  {
    name: 'hosts under one registrable domain are one site',
    evidence: chain('https://a.co.uk/', 'https://www.a.co.uk/'),
    broken: [],
  },
  {
    name: 'hosts under a private suffix are different sites',
    evidence: chain('https://a.github.io/', 'https://b.github.io/'),
    broken: ['redirect-cross-site'],
  },
  {
    name: 'a redirect that adds utm_source and gclid is told of both',
    evidence: chain('https://a.test/', 'https://a.test/?utm_source=x&gclid=y&utm_source=z'),
    broken: ['redirect-tracking-parameters'],
  },
  {
    name: 'tracking parameters that came with the request are handed on, not added',
    evidence: chain('https://a.test/?gclid=y', 'https://www.a.test/?gclid=y'),
    broken: [],
  },
  {
    name: 'a foreign URL from the query as Location looks like an open redirect',
    evidence: chain('https://a.test/go?to=https%3A%2F%2Fb.test%2Fx', 'https://b.test/x'),
    broken: ['redirect-open-suspected', 'redirect-cross-site'],
    score: 90,
  },
  {
    name: 'a scheme-relative address from the query does too',
    evidence: chain('https://a.test/go?to=//b.test/', 'https://b.test/'),
    broken: ['redirect-open-suspected', 'redirect-cross-site'],
    score: 90,
  },
  {
    name: 'the way back from a sign-on is none',
    evidence: chain(
      ['https://a.test/', { status: 302 }],
      ['https://sso.b.test/?next=https://a.test/in', { status: 302 }],
      'https://a.test/in',
    ),
    broken: ['redirect-cross-site'],
  },
  {
    name: 'nor is an address that a sign-on provider has registered',
    evidence: chain(
      ['https://sso.b.test/?client_id=1&redirect_uri=https://a.test/in', { status: 302 }],
      'https://a.test/in',
    ),
    broken: ['redirect-cross-site'],
  },
  {
    name: 'nor is the service of a CAS login',
    evidence: chain(
      ['https://sso.b.test/cas/login?service=https://a.test/in', { status: 302 }],
      'https://a.test/in',
    ),
    broken: ['redirect-cross-site'],
  },
  {
    name: 'nor is the address after a logout at the provider',
    evidence: chain(
      ['https://sso.b.test/?client_id=1&post_logout_redirect_uri=https://a.test/in', { status: 302 }],
      'https://a.test/in',
    ),
    broken: ['redirect-cross-site'],
  },
  {
    name: 'a bare host from the query does too',
    evidence: chain('https://a.test/go?to=B.test', 'https://b.test/'),
    broken: ['redirect-open-suspected', 'redirect-cross-site'],
    score: 90,
  },
  {
    name: 'an own address from the query is safe to follow',
    evidence: chain('https://a.test/go?to=https://www.a.test/in', 'https://www.a.test/in'),
    broken: [],
  },
  {
    name: 'another site than the one in the query is no open redirect',
    evidence: chain('https://a.test/go?to=https://b.test/', 'https://c.test/'),
    broken: ['redirect-cross-site'],
  },
  {
    name: 'a page that is reached at the second try, with a cookie, wants cookies',
    evidence: chain(['https://a.test/', { status: 302 }], 'https://a.test/#in'),
    broken: ['redirect-cookie-required'],
    score: 85,
  },
  ...[300, 305, 306, 399].map((status) => ({
    name: `a Location with ${status} is not followed`,
    evidence: page({ status, ...sends('/b'), page: null, bodyCut: 'not-read' }),
    broken: ['redirect-status-not-followed' as const],
    score: 85,
  })),
  {
    name: 'a Location with 201 is no redirect at all',
    evidence: page({ status: 201, ...sends('/b') }),
    broken: [],
  },
];

const pages: readonly Case[] = [
  {
    name: 'a Refresh field redirects instead of a status',
    evidence: chain(
      ['https://a.test/', refreshes(0, 'https://a.test/b', 'refresh-header'), 'refresh-header'],
      'https://a.test/b',
    ),
    broken: ['redirect-client-side'],
    score: 95,
  },
  {
    name: 'a meta refresh redirects instead of a status',
    evidence: chain(
      ['https://a.test/', refreshes(5, 'https://a.test/b'), 'meta-refresh'],
      'https://a.test/b',
    ),
    broken: ['redirect-client-side'],
    score: 95,
  },
  {
    name: 'a page that moves on after six seconds is told, not followed',
    evidence: page(refreshes(6, 'https://a.test/b')),
    broken: ['redirect-client-side-delayed'],
  },
  {
    name: 'a page that reloads itself every minute stays where it is',
    evidence: page(refreshes(60, '')),
    broken: [],
  },
  {
    name: 'so does one that names its own address',
    evidence: page(refreshes(60, 'https://a.test/#top')),
    broken: [],
  },
  {
    name: 'a delayed refresh seen in the beginning of a page counts although the rest was not read',
    evidence: page({ ...refreshes(6, 'https://b.test/'), bodyCut: 'limit' }),
    broken: ['redirect-client-side-delayed'],
  },
  {
    name: 'a Refresh field that reloads the page leaves no place for a refresh in the unread rest',
    evidence: page({ ...refreshes(60, '', 'refresh-header'), bodyCut: 'limit' }),
    broken: [],
  },
  {
    name: 'a script that sets the address is told, not run',
    evidence: page({ page: { setsAddress: true } }),
    broken: ['redirect-javascript-suspected'],
  },
  {
    name: 'a script seen in the beginning of a page counts although the rest was not read',
    evidence: page({ page: { setsAddress: true }, bodyCut: 'limit' }),
    broken: ['redirect-javascript-suspected'],
  },
  { name: 'an image runs no scripts', evidence: page({ page: null }), broken: [] },
  {
    name: 'a page longer than we read may have a script in its end',
    evidence: page({ bodyCut: 'limit' }),
    broken: [],
  },
];

const locations: readonly Case[] = [
  {
    name: 'a redirect without Location leads nowhere',
    evidence: page({ status: 301, page: null, bodyCut: 'not-read' }),
    broken: ['location-missing'],
    score: 85,
  },
  {
    name: 'a redirect with an empty Location leads nowhere',
    evidence: page({ status: 302, ...sends(''), page: null, bodyCut: 'not-read' }),
    broken: ['location-empty'],
    score: 85,
  },
  {
    name: 'two different Locations are refused by browsers',
    evidence: redirect(sends('/b', '/c')),
    broken: ['location-ambiguous'],
    score: 50,
  },
  { name: 'the same Location twice is let pass', evidence: redirect(sends('/b', '/b')), broken: [] },
  {
    name: 'an empty Location before a true one is empty and ambiguous',
    evidence: redirect(sends('', '/b')),
    broken: ['location-empty', 'location-ambiguous'],
    score: 35,
  },
  {
    name: 'a Location that is no URL breaks the chain',
    evidence: stopped({ kind: 'invalid-location' }, [
      'https://a.test/',
      { status: 302, ...sends('http://[b') },
    ]),
    broken: ['location-invalid'],
    score: 50,
  },
  {
    name: 'a Location to another scheme leads out of the web',
    evidence: stopped({ kind: 'foreign-scheme', scheme: 'ftp' }, [
      'https://a.test/',
      { status: 302, ...sends('ftp://b.test/') },
    ]),
    broken: ['location-scheme-not-allowed'],
    score: 50,
  },
  {
    name: 'a refresh to an app does not show a page either, without any Location',
    evidence: stopped({ kind: 'foreign-scheme', scheme: 'intent' }, [
      'https://a.test/',
      refreshes(0, 'intent://b'),
    ]),
    broken: ['location-app-scheme'],
  },
  {
    name: 'a Location longer than servers take is told, and followed as browsers do',
    evidence: chain('https://a.test/', `https://a.test/${'b'.repeat(9000)}`),
    broken: ['location-too-long'],
    score: 90,
  },
  {
    name: 'a Location at the end of what everybody takes is usual',
    evidence: chain('https://a.test/', `https://a.test/${'b'.repeat(7985)}`),
    broken: [],
  },
  {
    name: 'a Location longer than we follow leaves nothing to score',
    evidence: stopped({ kind: 'location-too-long', length: 34_000 }, [
      'https://a.test/',
      { status: 302, ...sends('/bbb'), bodyCut: 'not-read', page: null },
    ]),
    broken: ['location-too-long'],
  },
  {
    name: 'a user name that is a host is a lure, and no credentials',
    evidence: redirect(
      sends({
        text: 'https://***@b.test/',
        hasCredentials: true,
        lure: { named: 'www.a.test', host: 'b.test' },
      }),
    ),
    broken: ['location-lure'],
    score: 70,
  },
  ...[
    ['a space', 'https://a.test/b c'],
    ['a letter outside of ASCII', 'https://a.test/é'],
    ['a backslash', 'https:\\\\a.test/b'],
    ['a quotation mark', '/b"c'],
    ['a percent sign without its digits', '/100%'],
    ['a percent sign with a wrong digit', '/%2g'],
  ].map(([what, text = '']) => ({
    name: `${what} in a Location is not allowed by RFC 3986`,
    evidence: redirect(sends(text)),
    broken: ['location-not-encoded' as const],
    score: 97,
  })),
  {
    name: 'bytes that are no UTF-8 are not allowed, although we show them encoded',
    evidence: redirect(sends({ text: '/%FF%FE', isUtf8: false })),
    broken: ['location-not-encoded'],
    score: 97,
  },
  {
    name: 'every character of RFC 3986 appendix A is allowed',
    evidence: redirect(sends("/b:/?#[]@!$&'()*+,;=%20-._~9Z")),
    broken: [],
  },
  {
    name: 'credentials in a Location end in histories',
    evidence: redirect(sends({ text: 'https://***@a.test/b', hasCredentials: true })),
    broken: ['location-credentials'],
    score: 80,
  },
  {
    name: 'what was wrong with a Location stays wrong when the next hop is dead',
    evidence: failed('name-not-found', ['https://a.test/', sends('https://b.test/ ')], 'https://b.test/'),
    broken: ['location-not-encoded', 'redirect-cross-site', 'target-unreachable'],
  },
];

const arrivals: readonly Case[] = [
  ...[400, 404, 410, 500, 502, 599].map((status) => ({
    name: `a chain that ends with ${status} is broken`,
    evidence: chain('http://a.test/', ['https://a.test/', { status }]),
    broken: ['target-error-status' as const],
  })),
  {
    name: 'a front page that is none leaves nothing to score',
    evidence: page({ headers: [['Content-Type', 'text/plain']], page: null }),
    broken: ['target-no-document'],
  },
  {
    name: 'the own page of a server is no site',
    evidence: page({ bodySigns: ['default-nginx'], headers: [['Content-Type', 'text/html']] }),
    broken: ['target-is-default-page'],
  },
  {
    name: '304 for the front page shows none either',
    evidence: page({ status: 304, page: null }),
    broken: ['target-no-document'],
  },
  {
    name: 'a file below the front page is what was asked for',
    evidence: chain(['https://a.test/file', { headers: [['Content-Type', 'text/plain']], page: null }]),
    broken: [],
  },
  {
    name: 'an answer that was read although it breaks the grammar is told',
    evidence: page({ malformed: 'a line ends with LF alone' }),
    broken: ['answer-malformed'],
    score: 90,
  },
  ...[401, 403, 405, 451, 503].map((status) => ({
    name: `a chain that ends with ${status} is kept out, which says nothing of the page`,
    evidence: chain('http://a.test/', ['https://a.test/', { status }]),
    broken: ['target-blocks-checks' as const],
    score: null,
  })),
  {
    name: 'a block page with status 200 is none of the site',
    evidence: page({ bodySigns: ['imperva-incident'], canonical: 'https://b.test/' }),
    broken: ['target-blocks-checks'],
    score: null,
  },
  {
    name: 'what stands before a block page is judged',
    evidence: chain(
      ['https://a.test/', {}],
      ['http://www.a.test/', { status: 403, headers: [['Server', 'cloudflare']] }],
    ),
    broken: ['https-downgrade', 'target-blocks-checks'],
    score: null,
  },
  {
    name: '429 says nothing of the page, so it costs nothing',
    evidence: page({ status: 429 }),
    broken: ['target-rate-limits'],
    score: null,
  },
  ...(['closed-early', 'bad-encoding', 'timeout'] as const).map((bodyCut) => ({
    name: `a body that ends in "${bodyCut}" cannot be read`,
    evidence: page({ bodyCut }),
    broken: ['target-body-broken' as const],
    score: 85,
  })),
  ...(['limit', 'decompression-bomb', 'too-many-encodings'] as const).map((bodyCut) => ({
    name: `a body that we did not read on for "${bodyCut}" is not called broken`,
    evidence: page({ bodyCut }),
    broken: [],
  })),
  {
    name: 'a certificate that expired stands before the page',
    evidence: page(distrusted('CERT_HAS_EXPIRED')),
    broken: ['certificate-not-trusted'],
    score: 50,
  },
  {
    name: 'a bad certificate on the way counts as much as at the end',
    evidence: chain(['https://a.test/', distrusted('ERR_TLS_CERT_ALTNAME_INVALID')], 'https://www.a.test/'),
    broken: ['certificate-not-trusted'],
    score: 50,
  },
  {
    name: 'Strict-Transport-Security over http is ignored by browsers',
    evidence: chain(['http://a.test/', hsts('max-age=1')], 'https://a.test/'),
    broken: ['hsts-over-http'],
  },
  {
    name: 'a redirect to http that browsers turn into https costs little',
    evidence: upgraded(chain(['https://a.test/', hsts('max-age=60')], 'https://a.test/b'), 'http://a.test/b'),
    broken: ['hsts-upgrades-browser'],
    score: 95,
  },
  {
    name: 'HSTS that nothing needed',
    evidence: chain(['https://a.test/', hsts('max-age=60')], 'https://a.test/b'),
    broken: [],
  },
  {
    name: 'HSTS without includeSubDomains does not',
    evidence: chain(['https://a.test/', hsts('max-age=60')], 'http://www.a.test/', 'https://www.a.test/'),
    broken: ['https-downgrade'],
    score: 50,
  },
  {
    name: 'HSTS behind a bad certificate is not kept',
    evidence: chain(
      ['https://a.test/', { ...hsts('max-age=60'), ...distrusted('CERT_HAS_EXPIRED') }],
      'http://a.test/b',
      'https://a.test/b',
    ),
    broken: ['https-downgrade', 'certificate-not-trusted'],
    score: 0,
  },
  {
    name: 'max-age=0 takes HSTS back',
    evidence: chain(
      ['https://a.test/', hsts('max-age=60')],
      ['https://a.test/b', hsts('max-age=0')],
      'http://a.test/c',
      'https://a.test/c',
    ),
    broken: ['https-downgrade', 'redirect-chain-long'],
    score: 44,
  },
  ...['https:/b', 'https:b', 'https:///a.test/b', 'HTTPS:/b'].map((text): Case => ({
    name: `slashes that browsers put right: ${text}`,
    evidence: chain(['https://a.test/', sends(text)], 'https://a.test/b'),
    broken: ['location-slashes'],
    score: 95,
  })),
  {
    name: 'another canonical address is told',
    evidence: page({ canonical: 'https://www.a.test/' }),
    broken: ['canonical-differs'],
  },
  {
    name: 'the own address as canonical is good, whatever the fragments',
    evidence: chain(['https://a.test/#x', { canonical: 'https://a.test/' }]),
    broken: [],
  },
];

const failures: readonly Case[] = [
  {
    name: 'a name without address cannot be asked',
    evidence: failed('name-not-found', 'https://a.test/'),
    broken: ['target-unreachable'],
  },
  {
    name: 'a hop to a private address is not asked',
    evidence: failed('target-address-not-allowed', 'https://a.test/', 'https://a.test/b'),
    broken: ['target-address-not-allowed'],
  },
  {
    name: 'a hop to a forbidden port is not asked',
    evidence: failed('target-not-allowed', 'https://a.test/', 'https://a.test:25/'),
    broken: ['target-not-allowed'],
  },
  {
    name: 'a redirect to nobody is the mistake of the site, and is scored',
    evidence: nowhere('its host is "none"', 'https://a.test/', 'https://none/b'),
    broken: ['redirect-to-nowhere'],
    score: 50,
  },
];

const overFamilies = (...sights: readonly FamilyObservation[]): RedirectEvidence => ({
  ...chain('https://a.test/'),
  families: { url: 'https://a.test/', sights, late: false },
});
const families: readonly Case[] = [
  { name: 'the same over both families', evidence: overFamilies(over(6), over(4)), broken: [] },
  { name: 'a host without IPv6', evidence: overFamilies(lostOver(6, 'name-not-found')), broken: [] },
  {
    name: 'IPv6 that refuses',
    evidence: overFamilies(lostOver(6, 'connection-refused')),
    broken: ['ipv6-broken'],
    score: 85,
  },
  {
    name: 'another status over IPv6, and slower',
    evidence: overFamilies(over(6, { status: 404, firstByteMs: 900 }), over(4)),
    broken: ['address-families-differ', 'ipv6-slow'],
    score: 87,
  },
];

const ownAnswer = (asOurs: NonNullable<RedirectEvidence['asOurs']>): RedirectEvidence => ({
  ...chain('http://a.test/', 'https://a.test/'),
  asOurs,
});
const clients: readonly Case[] = [
  {
    name: 'the same redirect for both clients',
    evidence: ownAnswer({ kind: 'answered', status: 301, location: 'https://a.test/' }),
    broken: [],
  },
  {
    name: 'another redirect for the chosen client',
    evidence: ownAnswer({ kind: 'answered', status: 302, location: 'https://m.a.test/' }),
    broken: ['client-dependent'],
  },
  {
    name: 'no answer to our own User-Agent',
    evidence: ownAnswer({ kind: 'failed', reason: 'the server did not answer in time' }),
    broken: [],
  },
];

export const cases: readonly Case[] = [
  ...clients,
  ...families,
  ...path,
  ...temporary,
  ...moves,
  ...pages,
  ...locations,
  ...arrivals,
  ...failures,
];
