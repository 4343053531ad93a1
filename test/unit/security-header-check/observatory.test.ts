import { expect, test } from 'vitest';
import { assessHeaders } from '../../../worker/checks/security-header-check/assess.ts';
import type { HeaderEvidence } from '../../../worker/checks/security-header-check/evidence.ts';
import type { Observatory } from '../../../worker/checks/security-header-check/report/observatory/compare.ts';
import type { HeaderLine } from '../../../worker/web/fields.ts';
import {
  answer,
  chain,
  cors,
  csp,
  failed,
  html,
  meta,
  metaCsp,
  origin,
  redirect,
  script,
  see,
} from './observations.ts';

/** Worked out by hand from the table of results: 100, the losses, and the bonuses where the losses leave 90. */
type Response = ReturnType<typeof says>;
type Grading = readonly [score: number | null, grade: string | null];

function says(
  [score, grade]: Grading,
  name: string,
  evidence: HeaderEvidence,
  results: Readonly<Record<string, string>> = {},
) {
  return { name, evidence, score, grade, results };
}

const hsts: HeaderLine = ['Strict-Transport-Security', 'max-age=31536000'];
const nosniff: HeaderLine = ['X-Content-Type-Options', 'nosniff'];
const deny: HeaderLine = ['X-Frame-Options', 'DENY'];
const good = csp("default-src 'none'; frame-ancestors 'none'");
const opener: HeaderLine = ['Cross-Origin-Opener-Policy', 'same-origin'];
const embedder: HeaderLine = ['Cross-Origin-Embedder-Policy', 'require-corp'];
const resource: HeaderLine = ['Cross-Origin-Resource-Policy', 'same-origin'];
const referrer: HeaderLine = ['Referrer-Policy', 'no-referrer'];
/** Loses nothing and gains nothing: 100. With DENY, or frame-ancestors, +5 each as one test. */
const page = (...headers: readonly HeaderLine[]) => see({ headers: [html, ...headers] });
const safe = (...headers: readonly HeaderLine[]) => page(hsts, nosniff, deny, ...headers);
const http = 'http://site.test/';
const https = 'https://site.test/';
const withHttp = (...hops: Parameters<typeof chain>[0]) =>
  see({ headers: [html, hsts, nosniff, good], http: chain(hops) });
const withScript = (attributes: Record<string, string>) =>
  see({ headers: [html, hsts, nosniff, good], elements: [script(attributes)] });

const deletion = (more = ''): HeaderLine => [
  'Set-Cookie',
  `sess=; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Secure${more}`,
];
const via = (first: ReturnType<typeof redirect>, last = 'https://site.test/a') =>
  see({ https: chain([first, answer(last, [html, hsts, nosniff, good])]) });

const responses: readonly Response[] = [
  // Nothing: csp -25, hsts -20, xcto -5, xfo -20.
  says([30, 'D'], 'a bare page', page()),
  says([35, 'D'], 'nosniff alone', page(nosniff)),
  says([50, 'C'], 'HSTS alone', page(hsts)),
  says([55, 'C'], 'HSTS and nosniff', page(hsts, nosniff)),
  says([75, 'B'], 'no policy, all else: the bonus for DENY does not count below 90', safe()),
  // 100 + csp 10 + xfo 5 by frame-ancestors.
  says([115, 'A+'], 'the best policy', safe(good), {
    'x-frame-options': 'x-frame-options-implemented-via-csp',
  }),
  says(
    [150, 'A+'],
    'every bonus but cookies, integrity and preload',
    safe(good, opener, embedder, resource, referrer),
  ),
  says([110, 'A+'], 'a good policy that is not none', safe(csp("default-src 'self'"))),
  says([105, 'A+'], 'inline styles', safe(csp("default-src 'self'; style-src 'unsafe-inline'")), {
    'content-security-policy': 'csp-implemented-with-unsafe-inline-in-style-src-only',
  }),
  says(
    [95, 'A'],
    'images in clear text: -10 leaves 90, so the bonus counts',
    safe(csp("default-src 'self'; img-src http://a.test")),
  ),
  says([95, 'A'], 'eval', safe(csp("default-src 'self'; script-src 'self' 'unsafe-eval'"))),
  says([95, 'A'], 'eval in styles', safe(csp("default-src 'self'; style-src 'unsafe-eval'"))),
  says([80, 'B+'], 'inline scripts', safe(csp("default-src 'self' 'unsafe-inline'"))),
  says([80, 'B+'], 'scripts from data:', safe(csp("default-src 'self' data:"))),
  says([80, 'B+'], 'any https host', safe(csp('default-src https:'))),
  says([80, 'B+'], 'no script-src is any script', safe(csp("img-src 'self'"))),
  says([80, 'B+'], 'a clear-text frame', safe(csp("default-src 'self'; frame-src http://a.test")), {
    'content-security-policy': 'csp-implemented-with-insecure-scheme',
  }),
  says(
    [115, 'A+'],
    'a nonce beside unsafe-inline',
    safe(csp("default-src 'none'; script-src 'nonce-abc' 'unsafe-inline'")),
  ),
  says(
    [115, 'A+'],
    'strict-dynamic with a nonce',
    safe(csp("default-src 'none'; script-src 'nonce-abc' 'strict-dynamic' https:")),
  ),
  says(
    [75, 'B'],
    'strict-dynamic alone is invalid',
    safe(csp("default-src 'none'; script-src 'strict-dynamic'")),
    { 'content-security-policy': 'csp-header-invalid' },
  ),
  says(
    [75, 'B'],
    'a directive twice is invalid',
    safe(csp("default-src 'none'; img-src a.test; img-src b.test")),
  ),
  says(
    [105, 'A+'],
    'report-uri twice is not',
    safe(csp("default-src 'none'; report-uri /a; report-uri /b")),
    { 'content-security-policy': 'csp-implemented-but-duplicate-directives' },
  ),
  says([75, 'B'], 'a policy of three letters is invalid', safe(csp('abc'))),
  says(
    [75, 'B'],
    'a comma at the end is an empty policy, which is invalid',
    safe(csp("default-src 'none',")),
  ),
  says(
    [75, 'B'],
    'a report-only policy',
    safe(['Content-Security-Policy-Report-Only', "default-src 'none'"]),
    { 'content-security-policy': 'csp-not-implemented-but-reporting-enabled' },
  ),
  // A directive that only the second policy has becomes 'none'; style-src is in neither, which costs the bonus and no more.
  says(
    [105, 'A+'],
    'a second policy that allows everything',
    safe(csp("img-src 'self'"), csp("script-src * 'unsafe-inline'; object-src 'none'")),
  ),
  says(
    [115, 'A+'],
    'a policy in a meta element',
    see({ headers: [html, hsts, nosniff, deny], elements: [metaCsp("default-src 'none'")] }),
  ),
  says(
    [115, 'A+'],
    'a policy in a meta element of the body',
    see({
      headers: [html, hsts, nosniff, deny],
      elements: [metaCsp("default-src 'none'", 'body')],
    }),
  ),
  says(
    [55, 'C'],
    'frame-ancestors alone in a meta element is no policy',
    see({ headers: [html, hsts, nosniff], elements: [metaCsp("frame-ancestors 'none'")] }),
  ),
  says(
    [115, 'A+'],
    'frame-ancestors in a meta element counts beside another directive',
    see({
      headers: [html, hsts, nosniff],
      elements: [metaCsp("default-src 'none'; frame-ancestors 'none'")],
    }),
  ),
  says(
    [75, 'B'],
    'meta elements count only for lower-case text/html',
    see({
      headers: [['Content-Type', 'Text/HTML'], hsts, nosniff, deny],
      elements: [metaCsp("default-src 'none'")],
    }),
  ),
  says([115, 'A+'], 'frame-ancestors *', page(hsts, nosniff, csp("default-src 'none'; frame-ancestors *"))),
  says(
    [110, 'A+'],
    'ALLOW-FROM passes without bonus',
    page(hsts, nosniff, csp("default-src 'none'"), ['X-Frame-Options', 'ALLOW-FROM https://a.test']),
  ),
  says(
    [80, 'B+'],
    'SAMEORIGIN twice is invalid',
    page(
      hsts,
      nosniff,
      csp("default-src 'none'"),
      ['X-Frame-Options', 'SAMEORIGIN'],
      ['X-Frame-Options', 'SAMEORIGIN'],
    ),
  ),
  says([110, 'A+'], 'nosniff twice is invalid: -5 leaves 95', page(hsts, nosniff, nosniff, good), {
    'x-content-type-options': 'x-content-type-options-header-invalid',
  }),
  says([80, 'B+'], 'HSTS twice is invalid', page(hsts, hsts, nosniff, good)),
  says(
    [105, 'A+'],
    'HSTS of five months',
    page(['Strict-Transport-Security', 'max-age=13000000'], nosniff, good),
  ),
  says(
    [115, 'A+'],
    'HSTS of 180 days is six months to it',
    page(['Strict-Transport-Security', 'max-age=15552000'], nosniff, good),
  ),
  says(
    [105, 'A+'],
    'max-age=0 is only short',
    page(['Strict-Transport-Security', 'max-age=0'], nosniff, good),
  ),
  says(
    [115, 'A+'],
    'max-age=oneyear passes',
    page(['Strict-Transport-Security', 'max-age=oneyear'], nosniff, good),
  ),
  says(
    [80, 'B+'],
    'max-age = 31536000 is invalid',
    page(['Strict-Transport-Security', 'max-age = 31536000'], nosniff, good),
  ),
  says(
    [115, 'A+'],
    'max-age="300" passes as six months',
    page(['Strict-Transport-Security', 'max-age="300"'], nosniff, good),
  ),
  says(
    [120, 'A+'],
    'a preloaded host: hsts +5, redirects all preloaded',
    see({ headers: [html, nosniff, good], preload: [['site.test', 'listed']] }),
  ),
  says(
    [60, 'C+'],
    'a certificate that is refused: hsts -20, redirection -20',
    see({
      headers: [html, hsts, nosniff, good],
      tls: { trusted: false, error: 'CERT_HAS_EXPIRED' },
    }),
  ),
  says(
    [60, 'C+'],
    'no https: hsts -20, redirection -20',
    see({ https: failed(https), http: chain([answer(http, [html, nosniff, good])]) }),
  ),
  says([115, 'A+'], 'no http', see({ headers: [html, hsts, nosniff, good], http: failed(http) }), {
    redirection: 'redirection-not-needed-no-http',
  }),
  says([80, 'B+'], 'http without redirect', withHttp(answer(http))),
  says([80, 'B+'], 'http that ends on http', withHttp(redirect(http, `${http}a`), answer(`${http}a`)), {
    redirection: 'redirection-not-to-https',
  }),
  says(
    [105, 'A+'],
    'http to http first',
    withHttp(redirect(http, `${http}a`), redirect(`${http}a`, https), answer(https)),
  ),
  says(
    [110, 'A+'],
    'http straight to another host',
    withHttp(redirect(http, 'https://www.site.test/'), answer('https://www.site.test/')),
  ),
  says(
    [115, 'A+'],
    'an endless redirect is an A+',
    see({
      https: {
        ...chain([redirect(https, https, html, hsts, nosniff, good)]),
        end: { kind: 'loop', url: https },
      },
      http: { ...chain([redirect(http, https), redirect(https, https)]), end: { kind: 'loop', url: https } },
    }),
  ),
  says(
    [null, null],
    'an address that answers 404 is not graded',
    see({ headers: [html, hsts], status: 404 }),
  ),
  says(
    [115, 'A+'],
    'an address that answers 401 is',
    see({ headers: [html, hsts, nosniff, good], status: 401 }),
  ),
  says([null, null], 'nothing answers', see({ https: failed(https), http: failed(http) })),
  says(
    [null, null],
    'more than 16 KiB of headers',
    page(hsts, nosniff, good, ['X-Filler', 'x'.repeat(17_000)]),
  ),
  says(
    [55, 'C'],
    'a JSON answer is judged as a page',
    see({ headers: [['Content-Type', 'application/json'], hsts, nosniff], elements: null }),
  ),
  says(
    [120, 'A+'],
    'good cookies: +5',
    page(hsts, nosniff, good, ['Set-Cookie', 'sess=1; Secure; HttpOnly; SameSite=Lax']),
  ),
  says(
    [115, 'A+'],
    'cookies without SameSite: 0',
    page(hsts, nosniff, good, ['Set-Cookie', 'sess=1; Secure; HttpOnly']),
  ),
  says(
    [110, 'A+'],
    'a cookie without Secure, behind HSTS: -5',
    page(hsts, nosniff, good, ['Set-Cookie', 'a=1']),
  ),
  says(
    [105, 'A+'],
    'a session without Secure, behind HSTS: -10',
    page(hsts, nosniff, good, ['Set-Cookie', 'sess=1; HttpOnly']),
  ),
  says([60, 'C+'], 'a cookie without Secure and HSTS: -20, -20', page(nosniff, good, ['Set-Cookie', 'a=1'])),
  says(
    [40, 'D+'],
    'a session without Secure and HSTS: -40, -20',
    page(nosniff, good, ['Set-Cookie', 'sess=1; HttpOnly']),
  ),
  says(
    [70, 'B'],
    'a session without HttpOnly: -30',
    page(hsts, nosniff, good, ['Set-Cookie', 'assessment=1; Secure; SameSite=Lax']),
  ),
  says(
    [80, 'B+'],
    'a CSRF token without SameSite: -20',
    page(hsts, nosniff, good, ['Set-Cookie', 'csrf=1; Secure']),
  ),
  says(
    [80, 'B+'],
    'SameSite=Loose: -20',
    page(hsts, nosniff, good, ['Set-Cookie', 'a=1; Secure; SameSite=Loose']),
  ),
  says(
    [115, 'A+'],
    'a refused cookie is no cookie',
    page(hsts, nosniff, good, ['Set-Cookie', '__Host-sess=1; Domain=site.test']),
    { cookies: 'cookies-not-found' },
  ),
  says(
    [70, 'B'],
    'a session that the last answer deletes stays in its jar: -30',
    page(hsts, nosniff, good, deletion()),
    { cookies: 'cookies-session-without-httponly-flag' },
  ),
  says(
    [115, 'A+'],
    'a deleted session leaves with the next request that would carry it',
    via(redirect(https, 'https://site.test/a', deletion())),
    { cookies: 'cookies-not-found' },
  ),
  says(
    [70, 'B'],
    'a deleted session of another path stays',
    via(redirect(https, 'https://site.test/a', deletion('; Path=/b'))),
  ),
  says(
    [70, 'B'],
    'a deleted session of another host stays',
    via(redirect(https, 'https://site.test/a', deletion()), 'https://www.site.test/'),
  ),
  says(
    [115, 'A+'],
    'a deleted session of the whole domain leaves with a request to a host of it',
    via(redirect(https, 'https://www.site.test/', deletion('; Domain=site.test')), 'https://www.site.test/'),
    { cookies: 'cookies-not-found' },
  ),
  says(
    [120, 'A+'],
    'a token in a cookie named auth is good',
    page(hsts, nosniff, good, ['Set-Cookie', 'auth=eyJhIjoxfQ.e30.c2ln; Secure; SameSite=Lax']),
  ),
  says(
    [115, 'A+'],
    'a reflected origin with credentials passes',
    see({
      headers: [html, hsts, nosniff, good],
      cors: [
        cors(
          [
            ['Access-Control-Allow-Origin', origin],
            ['Access-Control-Allow-Credentials', 'true'],
          ],
          { method: 'OPTIONS' },
        ),
      ],
    }),
    {
      'cross-origin-resource-sharing': 'cross-origin-resource-sharing-implemented-with-restricted-access',
    },
  ),
  says(
    [115, 'A+'],
    'public content',
    see({
      headers: [html, hsts, nosniff, good],
      cors: [cors([['Access-Control-Allow-Origin', '*']], { method: 'OPTIONS' })],
    }),
    {
      'cross-origin-resource-sharing': 'cross-origin-resource-sharing-implemented-with-public-access',
    },
  ),
  says(
    [115, 'A+'],
    'an OPTIONS that answers 405 is dropped',
    see({
      headers: [html, hsts, nosniff, good],
      cors: [cors([['Access-Control-Allow-Origin', '*']], { method: 'OPTIONS', status: 405 })],
    }),
    { 'cross-origin-resource-sharing': 'cross-origin-resource-sharing-not-implemented' },
  ),
  says(
    [110, 'A+'],
    'an opener policy in quotes: -5',
    page(hsts, nosniff, good, ['Cross-Origin-Opener-Policy', '"same-origin"']),
  ),
  says(
    [115, 'A+'],
    'unsafe-none: 0',
    page(
      hsts,
      nosniff,
      good,
      ['Cross-Origin-Opener-Policy', 'unsafe-none'],
      ['Cross-Origin-Embedder-Policy', 'unsafe-none'],
    ),
  ),
  says(
    [110, 'A+'],
    'an embedder policy that is none: -5',
    page(hsts, nosniff, good, ['Cross-Origin-Embedder-Policy', 'require-cors']),
  ),
  says(
    [125, 'A+'],
    'Same-Origin counts as same-origin: +10',
    page(hsts, nosniff, good, ['Cross-Origin-Resource-Policy', 'Same-Origin']),
  ),
  says(
    [110, 'A+'],
    'a resource policy that is none: -5',
    page(hsts, nosniff, good, ['Cross-Origin-Resource-Policy', 'same']),
  ),
  says(
    [110, 'A+'],
    'an unsafe referrer policy: -5',
    page(hsts, nosniff, good, ['Referrer-Policy', 'unsafe-url']),
  ),
  says(
    [120, 'A+'],
    'the last known referrer policy counts: +5',
    page(hsts, nosniff, good, ['Referrer-Policy', 'unsafe-url, no-referrer, x']),
  ),
  says(
    [110, 'A+'],
    'never in a meta element is invalid: -5',
    see({
      headers: [html, hsts, nosniff, good],
      elements: [meta({ name: 'referrer', content: 'never' })],
    }),
  ),
  says([110, 'A+'], 'a foreign script: -5', withScript({ src: 'https://cdn.other.test/a.js' })),
  says(
    [120, 'A+'],
    'a foreign script with any integrity: +5',
    withScript({ src: 'https://cdn.other.test/a.js', integrity: 'md5-abc' }),
  ),
  says(
    [120, 'A+'],
    'a home script with integrity: +5',
    withScript({ src: '/a.js', integrity: 'sha384-abc' }),
  ),
  says([115, 'A+'], 'a home script without: 0', withScript({ src: '/a.js' })),
  says([50, 'C'], '//cdn without integrity: -50', withScript({ src: '//cdn.other.test/a.js' })),
  says(
    [80, 'B+'],
    '//cdn with integrity: -20',
    withScript({ src: '//cdn.other.test/a.js', integrity: 'sha384-abc' }),
  ),
  says([115, 'A+'], 'HTTPS:// in capitals is home', withScript({ src: 'HTTPS://cdn.other.test/a.js' })),
];

test('there are at least sixty', () => {
  expect(responses.length).toBeGreaterThanOrEqual(60);
});

test.for(responses)('$name: $score $grade', ({ evidence, score, grade, results }) => {
  const observatory = assessHeaders(evidence).fields['observatory'] as Observatory;
  const found = Object.keys(results).map((name) => [name, observatory.tests[name]?.result]);
  expect([observatory.algorithm, observatory.score, observatory.grade]).toEqual([6, score, grade]);
  expect(Object.fromEntries(found)).toEqual(results);
});

const disputes: readonly {
  readonly name: string;
  readonly evidence: HeaderEvidence;
  readonly test: string;
  readonly ours: string;
}[] = [
  {
    name: 'a reflected origin with credentials',
    evidence: see({
      cors: [
        cors([
          ['Access-Control-Allow-Origin', origin],
          ['Access-Control-Allow-Credentials', 'true'],
        ]),
      ],
    }),
    test: 'cross-origin-resource-sharing',
    ours: 'bad',
  },
  {
    name: 'script-src-elem that lets everything in',
    evidence: page(csp("default-src 'none'; script-src-elem * 'unsafe-inline'")),
    test: 'content-security-policy',
    ours: 'bad',
  },
  {
    name: 'frame-ancestors *',
    evidence: page(csp("default-src 'none'; frame-ancestors *")),
    test: 'x-frame-options',
    ours: 'bad',
  },
  {
    name: 'SAMEORIGIN twice',
    evidence: page(['X-Frame-Options', 'SAMEORIGIN'], ['X-Frame-Options', 'SAMEORIGIN']),
    test: 'x-frame-options',
    ours: 'good',
  },
  { name: 'nosniff twice', evidence: page(nosniff, nosniff), test: 'x-content-type-options', ours: 'good' },
  { name: 'HSTS twice', evidence: page(hsts, hsts), test: 'strict-transport-security', ours: 'good' },
  {
    name: 'max-age=oneyear',
    evidence: page(['Strict-Transport-Security', 'max-age=oneyear']),
    test: 'strict-transport-security',
    ours: 'bad',
  },
  {
    name: 'a policy with a directive twice',
    evidence: page(csp("default-src 'none'; base-uri 'none'; script-src 'self'; script-src 'none'")),
    test: 'content-security-policy',
    ours: 'good',
  },
  { name: 'a refused cookie', evidence: page(['Set-Cookie', '__Secure-a=1']), test: 'cookies', ours: 'bad' },
  {
    name: 'md5 as integrity',
    evidence: withScript({ src: 'https://cdn.other.test/a.js', integrity: 'md5-abc', crossorigin: '' }),
    test: 'subresource-integrity',
    ours: 'bad',
  },
  {
    name: 'Same-Origin',
    evidence: page(['Cross-Origin-Resource-Policy', 'Same-Origin']),
    test: 'cross-origin-resource-policy',
    ours: 'bad',
  },
  {
    name: 'never in a meta element',
    evidence: see({ elements: [meta({ name: 'referrer', content: 'never' })] }),
    test: 'referrer-policy',
    ours: 'good',
  },
  {
    name: 'a JSON answer without a policy',
    evidence: see({ headers: [['Content-Type', 'application/json']], elements: null }),
    test: 'content-security-policy',
    ours: 'not-applicable',
  },
];

test.for(disputes)('we dispute what it says of $name', ({ evidence, test: name, ours }) => {
  const observatory = assessHeaders(evidence).fields['observatory'] as Observatory;
  expect(observatory.tests[name]?.disputed?.ours).toBe(ours);
});

test('nothing is disputed of a bare page', () => {
  const observatory = assessHeaders(page()).fields['observatory'] as Observatory;
  expect(Object.values(observatory.tests).filter(({ disputed }) => disputed)).toEqual([]);
});
