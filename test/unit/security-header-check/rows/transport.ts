import type { FamiliesObservation, FamilyObservation } from '../../../../worker/web/families.ts';
import type { HeaderLine } from '../../../../worker/web/fields.ts';
import { lostOver, over } from '../../web/family-observations.ts';
import {
  answer,
  baseline,
  baselineWith,
  chain,
  corsAlways,
  failed,
  html,
  redirect,
  see,
} from '../observations.ts';
import type { Row } from './row.ts';

const hsts = 'Strict-Transport-Security';
const year = 'max-age=31536000; includeSubDomains';
const families = (...sights: readonly FamilyObservation[]): FamiliesObservation => ({
  url: 'https://site.test/',
  sights,
  late: false,
});
const home = answer('https://site.test/', baseline);

const baselineWithoutSubdomains: readonly HeaderLine[] = baseline.map(([name, value]) =>
  name === 'Strict-Transport-Security' ? [name, 'max-age=31536000'] : [name, value],
);

export const transportRows: readonly Row[] = [
  {
    name: 'a site that does all well keeps its 100 points',
    evidence: see({ headers: baseline }),
    broken: [],
    holds: [
      'https-missing',
      'certificate-not-trusted',
      'http-not-upgraded',
      'hsts-missing',
      'hsts-preload-ineligible',
    ],
    score: 100,
  },
  {
    name: 'a closed port 443 is a missing https',
    evidence: see({
      https: failed('https://site.test/'),
      http: chain([answer('http://site.test/', [html])]),
      cors: [],
    }),
    broken: ['https-missing', 'csp-missing', 'framing-open', 'xcto-missing', 'permissions-policy-missing'],
    notApplicable: ['hsts-missing', 'http-not-upgraded'],
    score: 100 - 25 - 15 - 7.5 - 2.5 - 0.5,
  },
  {
    name: 'a silent port 443 is not tested, as the silence may be ours',
    evidence: see({
      https: failed('https://site.test/', 'connection-timeout', 'no connection was made in time'),
      http: chain([
        answer(
          'http://site.test/',
          baseline.filter(([name]) => name !== hsts && name !== 'Set-Cookie'),
        ),
      ]),
      cors: [],
    }),
    broken: [],
    notTested: ['https-missing'],
  },
  {
    name: 'a self-signed certificate is refused and voids HSTS',
    evidence: see({ headers: baseline, tls: { trusted: false, error: 'DEPTH_ZERO_SELF_SIGNED_CERT' } }),
    broken: ['certificate-not-trusted'],
    notApplicable: ['hsts-missing', 'hsts-short'],
    score: 75,
  },
  {
    name: 'a page that is served over http too lacks its redirect',
    evidence: see({ headers: baseline, http: chain([answer('http://site.test/', [html])]) }),
    broken: ['http-not-upgraded', 'hsts-preload-ineligible'],
    score: 81.25,
  },
  {
    name: 'an http port that only answers errors shows nobody anything',
    evidence: see({ headers: baseline, http: chain([answer('http://site.test/', [], { status: 404 })]) }),
    broken: ['hsts-preload-ineligible'],
    holds: ['http-not-upgraded'],
  },
  {
    name: 'a closed port 80 needs no redirect',
    evidence: see({ headers: baseline, http: failed('http://site.test/') }),
    broken: [],
    notApplicable: ['http-not-upgraded', 'redirect-http-first'],
  },
  {
    name: 'a silent port 80 leaves the redirect untested',
    evidence: see({
      headers: baseline,
      http: failed('http://site.test/', 'connection-timeout', 'it took too long'),
    }),
    broken: [],
    notTested: ['http-not-upgraded', 'https-upgrade-late'],
  },
  {
    name: 'a later host whose name could not be resolved may not be public',
    evidence: see({
      headers: baseline,
      http: chain([redirect('http://site.test/', 'http://gone.test/')], {
        kind: 'failed',
        url: 'http://gone.test/',
        code: 'name-unresolved',
        reason: 'the resolver gave no answer',
      }),
    }),
    broken: ['hsts-preload-ineligible'],
    notTested: ['target-address-not-allowed', 'https-downgrade', 'redirect-no-page', 'http-not-upgraded'],
  },
  {
    name: 'redirects that end on http never reach https',
    evidence: see({
      headers: baseline,
      http: chain([redirect('http://site.test/', 'http://site.test/home'), answer('http://site.test/home')]),
    }),
    broken: ['http-not-upgraded', 'hsts-preload-ineligible'],
    score: 81,
    notApplicable: ['redirect-http-first'],
  },
  {
    name: 'a redirect from https to http is a downgrade',
    evidence: see({
      https: chain([
        redirect('https://site.test/', 'http://site.test/a', [hsts, year]),
        redirect('http://site.test/a', 'https://site.test/b'),
        answer('https://site.test/b', baseline),
      ]),
    }),
    broken: ['https-downgrade', 'redirect-chain-long'],
    score: 75,
  },
  {
    name: 'a page that sends its visitor on is told, and the page behind it is judged',
    evidence: see({
      https: chain([
        { ...answer('https://site.test/', [html, [hsts, year]]), leftBy: 'meta-refresh' },
        answer('https://site.test/home', baseline),
      ]),
    }),
    broken: ['redirect-client-side'],
    holds: ['csp-missing', 'hsts-missing'],
    score: 100,
  },
  {
    name: 'a page that calls an app is judged itself',
    evidence: see({
      https: chain([answer('https://site.test/', baseline)], { kind: 'answered', calls: 'intent' }),
    }),
    broken: [],
    holds: ['redirect-client-side', 'redirect-no-page'],
    score: 100,
  },
  {
    name: 'http to http first leaves a hop open',
    evidence: see({
      headers: baseline,
      http: chain([
        redirect('http://site.test/', 'http://www.site.test/'),
        redirect('http://www.site.test/', 'https://site.test/'),
        home,
      ]),
    }),
    broken: ['redirect-http-first', 'hsts-preload-ineligible'],
    score: 93,
    notApplicable: ['https-upgrade-late'],
  },
  {
    name: 'http straight to another host keeps HSTS from the first one',
    evidence: see({
      url: 'https://site.test/',
      https: chain([
        redirect('https://site.test/', 'https://www.site.test/', [hsts, year]),
        answer('https://www.site.test/', baseline),
      ]),
      http: chain([
        redirect('http://site.test/', 'https://www.site.test/'),
        answer('https://www.site.test/', baseline),
      ]),
    }),
    broken: ['https-upgrade-late'],
    holds: ['hsts-not-on-first-hop'],
  },
  {
    name: 'an endless redirect is no A+',
    evidence: see({
      https: chain([redirect('https://site.test/', 'https://site.test/', [hsts, year])], {
        kind: 'loop',
        url: 'https://site.test/',
      }),
      http: chain(
        [
          redirect('http://site.test/', 'https://site.test/'),
          redirect('https://site.test/', 'https://site.test/'),
        ],
        { kind: 'loop', url: 'https://site.test/' },
      ),
      cors: [],
    }),
    broken: ['redirect-no-page'],
    notTested: ['csp-missing', 'hsts-missing', 'http-not-upgraded', 'cors-reflects-origin'],
    score: null,
  },
  {
    name: 'a Location that is no URL leads to no page',
    evidence: see({
      https: chain([redirect('https://site.test/', 'https://[')], {
        kind: 'invalid-location',
        url: 'https://site.test/',
        location: 'https://[',
      }),
      http: failed('http://site.test/'),
      cors: [],
    }),
    broken: ['redirect-no-page'],
    score: null,
  },
  {
    name: 'a third redirect is one more than needed',
    evidence: see({
      headers: baseline,
      http: chain([
        redirect('http://site.test/', 'https://site.test/1'),
        ...[1, 2].map((at) => redirect(`https://site.test/${at}`, `https://site.test/${at + 1}`)),
        answer('https://site.test/3', baseline),
      ]),
    }),
    broken: ['redirect-chain-long'],
  },
  {
    name: 'no HSTS at all',
    evidence: baselineWith({ [hsts]: null }),
    broken: ['hsts-missing'],
    score: 81.25,
  },
  {
    name: 'max-age=0 switches HSTS off',
    evidence: baselineWith({ [hsts]: 'max-age=0' }),
    broken: ['hsts-off'],
    holds: ['hsts-missing', 'hsts-invalid'],
  },
  {
    name: 'max-age=oneyear is ignored by browsers',
    evidence: baselineWith({ [hsts]: 'max-age=oneyear' }),
    broken: ['hsts-invalid'],
  },
  {
    name: 'max-age=31536000abc is ignored by browsers',
    evidence: baselineWith({ [hsts]: 'max-age=31536000abc' }),
    broken: ['hsts-invalid'],
  },
  {
    name: 'a directive twice makes HSTS invalid',
    evidence: baselineWith({ [hsts]: 'max-age=1; max-age=31536000' }),
    broken: ['hsts-invalid'],
  },
  {
    name: 'includeSubDomains alone is invalid',
    evidence: baselineWith({ [hsts]: 'includeSubDomains' }),
    broken: ['hsts-invalid'],
  },
  {
    name: 'spaces around the equals sign are fine',
    evidence: baselineWith({ [hsts]: 'max-age = 31536000 ; includeSubDomains' }),
    broken: [],
    holds: ['hsts-invalid', 'hsts-short'],
  },
  {
    name: 'max-age="300" is five minutes, not six months',
    evidence: baselineWith({ [hsts]: 'max-age="300"; includeSubDomains' }),
    broken: ['hsts-short'],
    score: 92.5,
  },
  {
    name: 'the same HSTS twice works',
    evidence: baselineWith({ [hsts]: [year, 'max-age=31536000;includeSubDomains'] }),
    broken: ['hsts-duplicate'],
    holds: ['hsts-duplicate-conflict'],
  },
  {
    name: 'of two different HSTS lines the first counts',
    evidence: baselineWith({ [hsts]: [year, 'max-age=0'] }),
    broken: ['hsts-duplicate-conflict'],
    holds: ['hsts-off', 'hsts-duplicate'],
  },
  {
    name: 'HSTS over http is ignored',
    evidence: see({
      headers: baseline,
      http: chain([redirect('http://site.test/', 'https://site.test/', [hsts, year]), home]),
    }),
    broken: [],
    info: ['hsts-over-http'],
  },
  {
    name: 'a first https hop without HSTS leaves its host open',
    evidence: see({
      https: chain([
        redirect('https://site.test/', 'https://www.site.test/'),
        answer('https://www.site.test/', baseline),
      ]),
      http: chain([
        redirect('http://site.test/', 'https://site.test/'),
        redirect('https://site.test/', 'https://www.site.test/'),
        answer('https://www.site.test/', baseline),
      ]),
    }),
    broken: ['hsts-not-on-first-hop'],
  },
  {
    name: 'a host in front that browsers know from their list needs no header to be protected',
    evidence: see({
      url: 'https://www.site.test/',
      preload: [
        ['www.site.test', 'listed'],
        ['site.test', 'not-listed'],
      ],
      https: chain([
        redirect('https://www.site.test/', 'https://site.test/'),
        answer('https://site.test/', baselineWithoutSubdomains),
      ]),
      http: chain([
        redirect('http://www.site.test/', 'https://www.site.test/'),
        redirect('https://www.site.test/', 'https://site.test/'),
        answer('https://site.test/', baselineWithoutSubdomains),
      ]),
    }),
    broken: ['hsts-no-subdomains'],
    holds: ['hsts-not-on-first-hop'],
  },
  {
    name: 'HSTS of the domain covers the www host in front of it',
    evidence: see({
      url: 'https://www.site.test/',
      https: chain([redirect('https://www.site.test/', 'https://site.test/'), home]),
      http: chain([
        redirect('http://www.site.test/', 'https://www.site.test/'),
        redirect('https://www.site.test/', 'https://site.test/'),
        home,
      ]),
      preload: [],
    }),
    broken: [],
    holds: ['hsts-not-on-first-hop'],
  },
  {
    name: 'HSTS without subdomains',
    evidence: baselineWith({ [hsts]: 'max-age=31536000' }),
    broken: ['hsts-no-subdomains'],
    score: 97.5,
  },
  {
    name: 'preload with 180 days is not eligible',
    evidence: baselineWith({ [hsts]: 'max-age=15552000; includeSubDomains; preload' }),
    broken: ['hsts-preload-ineligible'],
  },
  {
    name: 'a preloaded top-level domain needs no header',
    evidence: see({
      headers: baseline.filter(([name]) => name !== hsts),
      preload: [['site.test', 'listed']],
    }),
    broken: [],
    info: ['hsts-preloaded'],
    notApplicable: ['hsts-off'],
  },
  {
    name: 'HSTS for an address is void',
    evidence: see({ url: 'https://192.0.2.1/', headers: baseline.filter(([name]) => name !== 'Set-Cookie') }),
    broken: [],
    notApplicable: ['hsts-missing', 'hsts-no-subdomains'],
  },
  {
    name: 'nothing answers at all',
    evidence: see({
      https: failed('https://site.test/', 'name-not-found', 'the name does not exist'),
      http: failed('http://site.test/', 'name-not-found', 'the name does not exist'),
      cors: [],
    }),
    broken: ['target-unreachable'],
    notTested: [
      'https-missing',
      'csp-missing',
      'cookie-refused',
      'leak-version',
      'headers-large',
      'hsts-missing',
      'sri-missing',
    ],
    score: null,
  },
  {
    name: 'a name that resolves to a private address is named, not its address',
    evidence: see({
      https: failed('https://site.test/', 'target-address-not-allowed', 'its address is not public'),
      http: failed('http://site.test/', 'target-address-not-allowed', 'its address is not public'),
      cors: [],
    }),
    broken: ['target-address-not-allowed'],
    score: null,
  },
  {
    name: 'a redirect to a port that is not checked',
    evidence: see({
      https: chain([redirect('https://site.test/', 'https://site.test:22/')], {
        kind: 'failed',
        url: 'https://site.test:22/',
        code: 'target-not-allowed',
        reason: 'port 22 is not checked',
      }),
      http: failed('http://site.test/'),
      cors: [],
    }),
    broken: ['target-not-allowed'],
    score: null,
  },
  {
    name: 'IPv6 that refuses is broken',
    evidence: { ...see({ headers: baseline }), families: families(lostOver(6, 'connection-refused')) },
    broken: ['ipv6-broken'],
    score: 100,
  },
  {
    name: 'a page without HSTS over IPv6 differs, and a slow one is told',
    evidence: {
      ...see({ headers: baseline }),
      families: families(over(6, { headers: [], firstByteMs: 900 }), over(4)),
    },
    broken: ['address-families-differ', 'ipv6-slow'],
    holds: ['ipv6-broken'],
  },
  {
    name: 'the same over both families holds',
    evidence: { ...see({ headers: baseline }), families: families(over(6), over(4)) },
    broken: [],
    holds: ['ipv6-broken', 'address-families-differ', 'ipv6-slow'],
  },
  {
    name: 'an error is not judged as the page, but its HSTS is',
    evidence: see({ headers: baseline, status: 500 }),
    broken: ['target-error-status'],
    holds: ['target-blocks-checks', 'certificate-not-trusted', 'https-missing'],
    notTested: ['csp-missing', 'framing-open', 'hsts-missing', 'leak-version'],
    notApplicable: ['target-no-document'],
    score: null,
  },
  {
    name: 'the short HSTS of an error page is kept by browsers, and judged',
    evidence: see({ headers: [html, ['Strict-Transport-Security', 'max-age=60']], status: 404 }),
    broken: ['hsts-no-subdomains', 'hsts-short', 'target-error-status'],
    score: null,
  },
  {
    name: 'a front page of plain text is no page, and gets no score',
    evidence: see({ headers: [...baseline, ['Content-Type', 'text/plain; charset=utf-8']], elements: null }),
    broken: ['target-no-document'],
    holds: ['hsts-missing', 'xcto-missing', 'target-blocks-checks', 'target-error-status'],
    notApplicable: ['csp-missing', 'framing-open'],
    score: null,
  },
  ...['default-nginx', 'parked-domain'].map((sign): Row => ({
    name: `${sign} is no site: no score, no word on its headers, but on HSTS, the certificate and the way`,
    evidence: see({
      headers: [
        html,
        ['Server', 'nginx/1.22.1'],
        ['Strict-Transport-Security', 'max-age=60'],
        ['Set-Cookie', 'sid=1'],
      ],
      bodySigns: [sign],
      cors: corsAlways(['Access-Control-Allow-Origin', '*']),
    }),
    broken: ['target-is-default-page', 'hsts-short', 'hsts-no-subdomains'],
    holds: ['certificate-not-trusted', 'http-not-upgraded', 'target-blocks-checks'],
    notTested: ['csp-missing', 'framing-open', 'xcto-missing', 'leak-version'],
    score: null,
  })),
  {
    name: 'a page of the server that is an error is an error',
    evidence: see({ headers: baseline, bodySigns: ['default-nginx'], status: 404 }),
    broken: ['target-error-status'],
    score: null,
  },
  {
    name: 'plain text at an address with a path is what was asked for',
    evidence: see({
      url: 'https://site.test/notes.txt',
      headers: [...baseline, ['Content-Type', 'text/plain; charset=utf-8']],
      elements: null,
    }),
    broken: [],
    holds: ['target-no-document'],
    score: 100,
  },
  ...(
    ['User-Agent', 'Accept-Encoding, accept-language', 'Sec-CH-UA-Mobile', '*', 'CF-IPCountry'] as const
  ).map((vary): Row => ({
    name: `Vary: ${vary} hints at other headers for other visitors`,
    evidence: see({ headers: [...baseline, ['Vary', vary]] }),
    broken: [],
    info: ['target-differs-by-visitor'],
    score: 100,
  })),
  {
    name: 'Vary: Accept-Encoding, Cookie is usual and no hint',
    evidence: see({ headers: [...baseline, ['Vary', 'Accept-Encoding, Cookie, Origin']] }),
    broken: [],
    holds: ['target-differs-by-visitor'],
  },
  ...(['https://site.test/en-us/', 'https://m.site.test/'] as const).map((to): Row => ({
    name: `a front page that leads to ${to} has chosen by who asked`,
    evidence: see({
      https: chain([redirect('https://site.test/', to, [hsts, year]), answer(to, baseline)]),
      http: failed('http://site.test/'),
    }),
    broken: [],
    info: ['target-differs-by-visitor'],
  })),
  {
    name: 'what an error varies by says nothing of the page',
    evidence: see({ headers: [html, ['Vary', 'User-Agent']], status: 404 }),
    broken: ['target-error-status'],
    score: null,
    notApplicable: ['target-differs-by-visitor'],
  },
  {
    name: 'a page on another site is said to be there',
    evidence: see({
      https: chain([
        redirect('https://site.test/', 'https://other.test/'),
        answer('https://other.test/', baseline),
      ]),
      http: failed('http://site.test/'),
    }),
    broken: ['hsts-not-on-first-hop'],
    info: ['target-other-site'],
  },
  {
    name: 'who blocks us is named, and its headers are not the site’s',
    evidence: see({ headers: [html, ['Server', 'cloudflare'], ['Set-Cookie', 'session=1']], status: 403 }),
    broken: ['target-blocks-checks'],
    notTested: ['csp-missing', 'hsts-missing', 'framing-open', 'cookie-session-no-secure', 'leak-version'],
    holds: ['certificate-not-trusted', 'https-missing'],
    notApplicable: ['target-error-status'],
    score: null,
  },
  {
    name: 'the HSTS of a block page is kept by browsers, and judged',
    evidence: see({
      headers: [html, ['Strict-Transport-Security', 'max-age=0'], ['cf-mitigated', 'challenge']],
    }),
    broken: ['hsts-off', 'target-blocks-checks'],
    score: null,
  },
];
