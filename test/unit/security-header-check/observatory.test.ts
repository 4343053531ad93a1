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
} from './sights.ts';

/** Worked out by hand from the table of results: 100, the losses, and the bonuses where the losses leave 90. */
type Response = {
  readonly name: string;
  readonly evidence: HeaderEvidence;
  readonly score: number | null;
  readonly grade: string | null;
  readonly results?: Readonly<Record<string, string>>;
};

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

const responses: readonly Response[] = [
  // Nothing: csp -25, hsts -20, xcto -5, xfo -20.
  { name: 'a bare page', evidence: page(), score: 30, grade: 'D' },
  { name: 'nosniff alone', evidence: page(nosniff), score: 35, grade: 'D' },
  { name: 'HSTS alone', evidence: page(hsts), score: 50, grade: 'C' },
  { name: 'HSTS and nosniff', evidence: page(hsts, nosniff), score: 55, grade: 'C' },
  {
    name: 'no policy, all else: the bonus for DENY does not count below 90',
    evidence: safe(),
    score: 75,
    grade: 'B',
  },
  // 100 + csp 10 + xfo 5 by frame-ancestors.
  {
    name: 'the best policy',
    evidence: safe(good),
    score: 115,
    grade: 'A+',
    results: { 'x-frame-options': 'x-frame-options-implemented-via-csp' },
  },
  {
    name: 'every bonus but cookies, integrity and preload',
    evidence: safe(good, opener, embedder, resource, referrer),
    score: 150,
    grade: 'A+',
  },
  {
    name: 'a good policy that is not none',
    evidence: safe(csp("default-src 'self'")),
    score: 110,
    grade: 'A+',
  },
  {
    name: 'inline styles',
    evidence: safe(csp("default-src 'self'; style-src 'unsafe-inline'")),
    score: 105,
    grade: 'A+',
    results: { 'content-security-policy': 'csp-implemented-with-unsafe-inline-in-style-src-only' },
  },
  {
    name: 'images in clear text: -10 leaves 90, so the bonus counts',
    evidence: safe(csp("default-src 'self'; img-src http://a.test")),
    score: 95,
    grade: 'A',
  },
  {
    name: 'eval',
    evidence: safe(csp("default-src 'self'; script-src 'self' 'unsafe-eval'")),
    score: 95,
    grade: 'A',
  },
  {
    name: 'eval in styles',
    evidence: safe(csp("default-src 'self'; style-src 'unsafe-eval'")),
    score: 95,
    grade: 'A',
  },
  {
    name: 'inline scripts',
    evidence: safe(csp("default-src 'self' 'unsafe-inline'")),
    score: 80,
    grade: 'B+',
  },
  { name: 'scripts from data:', evidence: safe(csp("default-src 'self' data:")), score: 80, grade: 'B+' },
  { name: 'any https host', evidence: safe(csp('default-src https:')), score: 80, grade: 'B+' },
  { name: 'no script-src is any script', evidence: safe(csp("img-src 'self'")), score: 80, grade: 'B+' },
  {
    name: 'a clear-text frame',
    evidence: safe(csp("default-src 'self'; frame-src http://a.test")),
    score: 80,
    grade: 'B+',
    results: { 'content-security-policy': 'csp-implemented-with-insecure-scheme' },
  },
  {
    name: 'a nonce beside unsafe-inline',
    evidence: safe(csp("default-src 'none'; script-src 'nonce-abc' 'unsafe-inline'")),
    score: 115,
    grade: 'A+',
  },
  {
    name: 'strict-dynamic with a nonce',
    evidence: safe(csp("default-src 'none'; script-src 'nonce-abc' 'strict-dynamic' https:")),
    score: 115,
    grade: 'A+',
  },
  {
    name: 'strict-dynamic alone is invalid',
    evidence: safe(csp("default-src 'none'; script-src 'strict-dynamic'")),
    score: 75,
    grade: 'B',
    results: { 'content-security-policy': 'csp-header-invalid' },
  },
  {
    name: 'a directive twice is invalid',
    evidence: safe(csp("default-src 'none'; img-src a.test; img-src b.test")),
    score: 75,
    grade: 'B',
  },
  {
    name: 'report-uri twice is not',
    evidence: safe(csp("default-src 'none'; report-uri /a; report-uri /b")),
    score: 105,
    grade: 'A+',
    results: { 'content-security-policy': 'csp-implemented-but-duplicate-directives' },
  },
  { name: 'a policy of three letters is invalid', evidence: safe(csp('abc')), score: 75, grade: 'B' },
  {
    name: 'a comma at the end is an empty policy, which is invalid',
    evidence: safe(csp("default-src 'none',")),
    score: 75,
    grade: 'B',
  },
  {
    name: 'a report-only policy',
    evidence: safe(['Content-Security-Policy-Report-Only', "default-src 'none'"]),
    score: 75,
    grade: 'B',
    results: { 'content-security-policy': 'csp-not-implemented-but-reporting-enabled' },
  },
  // A directive that only the second policy has becomes 'none'; style-src is in neither, which costs the bonus and no more.
  {
    name: 'a second policy that allows everything',
    evidence: safe(csp("img-src 'self'"), csp("script-src * 'unsafe-inline'; object-src 'none'")),
    score: 105,
    grade: 'A+',
  },
  {
    name: 'a policy in a meta element',
    evidence: see({ headers: [html, hsts, nosniff, deny], elements: [metaCsp("default-src 'none'")] }),
    score: 115,
    grade: 'A+',
  },
  {
    name: 'a policy in a meta element of the body',
    evidence: see({
      headers: [html, hsts, nosniff, deny],
      elements: [metaCsp("default-src 'none'", 'body')],
    }),
    score: 115,
    grade: 'A+',
  },
  {
    name: 'frame-ancestors alone in a meta element is no policy',
    evidence: see({ headers: [html, hsts, nosniff], elements: [metaCsp("frame-ancestors 'none'")] }),
    score: 55,
    grade: 'C',
  },
  {
    name: 'frame-ancestors in a meta element counts beside another directive',
    evidence: see({
      headers: [html, hsts, nosniff],
      elements: [metaCsp("default-src 'none'; frame-ancestors 'none'")],
    }),
    score: 115,
    grade: 'A+',
  },
  {
    name: 'meta elements count only for lower-case text/html',
    evidence: see({
      headers: [['Content-Type', 'Text/HTML'], hsts, nosniff, deny],
      elements: [metaCsp("default-src 'none'")],
    }),
    score: 75,
    grade: 'B',
  },
  {
    name: 'frame-ancestors *',
    evidence: page(hsts, nosniff, csp("default-src 'none'; frame-ancestors *")),
    score: 115,
    grade: 'A+',
  },
  {
    name: 'ALLOW-FROM passes without bonus',
    evidence: page(hsts, nosniff, csp("default-src 'none'"), [
      'X-Frame-Options',
      'ALLOW-FROM https://a.test',
    ]),
    score: 110,
    grade: 'A+',
  },
  {
    name: 'SAMEORIGIN twice is invalid',
    evidence: page(
      hsts,
      nosniff,
      csp("default-src 'none'"),
      ['X-Frame-Options', 'SAMEORIGIN'],
      ['X-Frame-Options', 'SAMEORIGIN'],
    ),
    score: 80,
    grade: 'B+',
  },
  {
    name: 'nosniff twice is invalid: -5 leaves 95',
    evidence: page(hsts, nosniff, nosniff, good),
    score: 110,
    grade: 'A+',
    results: { 'x-content-type-options': 'x-content-type-options-header-invalid' },
  },
  { name: 'HSTS twice is invalid', evidence: page(hsts, hsts, nosniff, good), score: 80, grade: 'B+' },
  {
    name: 'HSTS of five months',
    evidence: page(['Strict-Transport-Security', 'max-age=13000000'], nosniff, good),
    score: 105,
    grade: 'A+',
  },
  {
    name: 'HSTS of 180 days is six months to it',
    evidence: page(['Strict-Transport-Security', 'max-age=15552000'], nosniff, good),
    score: 115,
    grade: 'A+',
  },
  {
    name: 'max-age=0 is only short',
    evidence: page(['Strict-Transport-Security', 'max-age=0'], nosniff, good),
    score: 105,
    grade: 'A+',
  },
  {
    name: 'max-age=oneyear passes',
    evidence: page(['Strict-Transport-Security', 'max-age=oneyear'], nosniff, good),
    score: 115,
    grade: 'A+',
  },
  {
    name: 'max-age = 31536000 is invalid',
    evidence: page(['Strict-Transport-Security', 'max-age = 31536000'], nosniff, good),
    score: 80,
    grade: 'B+',
  },
  {
    name: 'max-age="300" passes as six months',
    evidence: page(['Strict-Transport-Security', 'max-age="300"'], nosniff, good),
    score: 115,
    grade: 'A+',
  },
  {
    name: 'a preloaded host: hsts +5, redirects all preloaded',
    evidence: see({ headers: [html, nosniff, good], preload: [['site.test', 'listed']] }),
    score: 120,
    grade: 'A+',
  },
  {
    name: 'a certificate that is refused: hsts -20, redirection -20',
    evidence: see({
      headers: [html, hsts, nosniff, good],
      tls: { trusted: false, error: 'CERT_HAS_EXPIRED' },
    }),
    score: 60,
    grade: 'C+',
  },
  {
    name: 'no https: hsts -20, redirection -20',
    evidence: see({ https: failed(https), http: chain([answer(http, [html, nosniff, good])]) }),
    score: 60,
    grade: 'C+',
  },
  {
    name: 'no http',
    evidence: see({ headers: [html, hsts, nosniff, good], http: failed(http) }),
    score: 115,
    grade: 'A+',
    results: { redirection: 'redirection-not-needed-no-http' },
  },
  { name: 'http without redirect', evidence: withHttp(answer(http)), score: 80, grade: 'B+' },
  {
    name: 'http that ends on http',
    evidence: withHttp(redirect(http, `${http}a`), answer(`${http}a`)),
    score: 80,
    grade: 'B+',
    results: { redirection: 'redirection-not-to-https' },
  },
  {
    name: 'http to http first',
    evidence: withHttp(redirect(http, `${http}a`), redirect(`${http}a`, https), answer(https)),
    score: 105,
    grade: 'A+',
  },
  {
    name: 'http straight to another host',
    evidence: withHttp(redirect(http, 'https://www.site.test/'), answer('https://www.site.test/')),
    score: 110,
    grade: 'A+',
  },
  {
    name: 'an endless redirect is an A+',
    evidence: see({
      https: {
        ...chain([redirect(https, https, html, hsts, nosniff, good)]),
        end: { kind: 'loop', url: https },
      },
      http: { ...chain([redirect(http, https), redirect(https, https)]), end: { kind: 'loop', url: https } },
    }),
    score: 115,
    grade: 'A+',
  },
  {
    name: 'an address that answers 404 is not graded',
    evidence: see({ headers: [html, hsts], status: 404 }),
    score: null,
    grade: null,
  },
  {
    name: 'an address that answers 401 is',
    evidence: see({ headers: [html, hsts, nosniff, good], status: 401 }),
    score: 115,
    grade: 'A+',
  },
  {
    name: 'nothing answers',
    evidence: see({ https: failed(https), http: failed(http) }),
    score: null,
    grade: null,
  },
  {
    name: 'more than 16 KiB of headers',
    evidence: page(hsts, nosniff, good, ['X-Filler', 'x'.repeat(17_000)]),
    score: null,
    grade: null,
  },
  {
    name: 'a JSON answer is judged as a page',
    evidence: see({ headers: [['Content-Type', 'application/json'], hsts, nosniff], elements: null }),
    score: 55,
    grade: 'C',
  },
  {
    name: 'good cookies: +5',
    evidence: page(hsts, nosniff, good, ['Set-Cookie', 'sess=1; Secure; HttpOnly; SameSite=Lax']),
    score: 120,
    grade: 'A+',
  },
  {
    name: 'cookies without SameSite: 0',
    evidence: page(hsts, nosniff, good, ['Set-Cookie', 'sess=1; Secure; HttpOnly']),
    score: 115,
    grade: 'A+',
  },
  {
    name: 'a cookie without Secure, behind HSTS: -5',
    evidence: page(hsts, nosniff, good, ['Set-Cookie', 'a=1']),
    score: 110,
    grade: 'A+',
  },
  {
    name: 'a session without Secure, behind HSTS: -10',
    evidence: page(hsts, nosniff, good, ['Set-Cookie', 'sess=1; HttpOnly']),
    score: 105,
    grade: 'A+',
  },
  {
    name: 'a cookie without Secure and HSTS: -20, -20',
    evidence: page(nosniff, good, ['Set-Cookie', 'a=1']),
    score: 60,
    grade: 'C+',
  },
  {
    name: 'a session without Secure and HSTS: -40, -20',
    evidence: page(nosniff, good, ['Set-Cookie', 'sess=1; HttpOnly']),
    score: 40,
    grade: 'D+',
  },
  {
    name: 'a session without HttpOnly: -30',
    evidence: page(hsts, nosniff, good, ['Set-Cookie', 'assessment=1; Secure; SameSite=Lax']),
    score: 70,
    grade: 'B',
  },
  {
    name: 'a CSRF token without SameSite: -20',
    evidence: page(hsts, nosniff, good, ['Set-Cookie', 'csrf=1; Secure']),
    score: 80,
    grade: 'B+',
  },
  {
    name: 'SameSite=Loose: -20',
    evidence: page(hsts, nosniff, good, ['Set-Cookie', 'a=1; Secure; SameSite=Loose']),
    score: 80,
    grade: 'B+',
  },
  {
    name: 'a refused cookie is no cookie',
    evidence: page(hsts, nosniff, good, ['Set-Cookie', '__Host-sess=1; Domain=site.test']),
    score: 115,
    grade: 'A+',
    results: { cookies: 'cookies-not-found' },
  },
  {
    name: 'a deleted session is no cookie',
    evidence: page(hsts, nosniff, good, [
      'Set-Cookie',
      'sess=; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Secure',
    ]),
    score: 115,
    grade: 'A+',
  },
  {
    name: 'a token in a cookie named auth is good',
    evidence: page(hsts, nosniff, good, ['Set-Cookie', 'auth=eyJhIjoxfQ.e30.c2ln; Secure; SameSite=Lax']),
    score: 120,
    grade: 'A+',
  },
  {
    name: 'a reflected origin with credentials passes',
    evidence: see({
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
    score: 115,
    grade: 'A+',
    results: {
      'cross-origin-resource-sharing': 'cross-origin-resource-sharing-implemented-with-restricted-access',
    },
  },
  {
    name: 'public content',
    evidence: see({
      headers: [html, hsts, nosniff, good],
      cors: [cors([['Access-Control-Allow-Origin', '*']], { method: 'OPTIONS' })],
    }),
    score: 115,
    grade: 'A+',
    results: {
      'cross-origin-resource-sharing': 'cross-origin-resource-sharing-implemented-with-public-access',
    },
  },
  {
    name: 'an OPTIONS that answers 405 is dropped',
    evidence: see({
      headers: [html, hsts, nosniff, good],
      cors: [cors([['Access-Control-Allow-Origin', '*']], { method: 'OPTIONS', status: 405 })],
    }),
    score: 115,
    grade: 'A+',
    results: { 'cross-origin-resource-sharing': 'cross-origin-resource-sharing-not-implemented' },
  },
  {
    name: 'an opener policy in quotes: -5',
    evidence: page(hsts, nosniff, good, ['Cross-Origin-Opener-Policy', '"same-origin"']),
    score: 110,
    grade: 'A+',
  },
  {
    name: 'unsafe-none: 0',
    evidence: page(
      hsts,
      nosniff,
      good,
      ['Cross-Origin-Opener-Policy', 'unsafe-none'],
      ['Cross-Origin-Embedder-Policy', 'unsafe-none'],
    ),
    score: 115,
    grade: 'A+',
  },
  {
    name: 'an embedder policy that is none: -5',
    evidence: page(hsts, nosniff, good, ['Cross-Origin-Embedder-Policy', 'require-cors']),
    score: 110,
    grade: 'A+',
  },
  {
    name: 'Same-Origin counts as same-origin: +10',
    evidence: page(hsts, nosniff, good, ['Cross-Origin-Resource-Policy', 'Same-Origin']),
    score: 125,
    grade: 'A+',
  },
  {
    name: 'a resource policy that is none: -5',
    evidence: page(hsts, nosniff, good, ['Cross-Origin-Resource-Policy', 'same']),
    score: 110,
    grade: 'A+',
  },
  {
    name: 'an unsafe referrer policy: -5',
    evidence: page(hsts, nosniff, good, ['Referrer-Policy', 'unsafe-url']),
    score: 110,
    grade: 'A+',
  },
  {
    name: 'the last known referrer policy counts: +5',
    evidence: page(hsts, nosniff, good, ['Referrer-Policy', 'unsafe-url, no-referrer, x']),
    score: 120,
    grade: 'A+',
  },
  {
    name: 'never in a meta element is invalid: -5',
    evidence: see({
      headers: [html, hsts, nosniff, good],
      elements: [meta({ name: 'referrer', content: 'never' })],
    }),
    score: 110,
    grade: 'A+',
  },
  {
    name: 'a foreign script: -5',
    evidence: withScript({ src: 'https://cdn.other.test/a.js' }),
    score: 110,
    grade: 'A+',
  },
  {
    name: 'a foreign script with any integrity: +5',
    evidence: withScript({ src: 'https://cdn.other.test/a.js', integrity: 'md5-abc' }),
    score: 120,
    grade: 'A+',
  },
  {
    name: 'a home script with integrity: +5',
    evidence: withScript({ src: '/a.js', integrity: 'sha384-abc' }),
    score: 120,
    grade: 'A+',
  },
  { name: 'a home script without: 0', evidence: withScript({ src: '/a.js' }), score: 115, grade: 'A+' },
  {
    name: '//cdn without integrity: -50',
    evidence: withScript({ src: '//cdn.other.test/a.js' }),
    score: 50,
    grade: 'C',
  },
  {
    name: '//cdn with integrity: -20',
    evidence: withScript({ src: '//cdn.other.test/a.js', integrity: 'sha384-abc' }),
    score: 80,
    grade: 'B+',
  },
  {
    name: 'HTTPS:// in capitals is home',
    evidence: withScript({ src: 'HTTPS://cdn.other.test/a.js' }),
    score: 115,
    grade: 'A+',
  },
];

test('there are at least sixty', () => {
  expect(responses.length).toBeGreaterThanOrEqual(60);
});

test.for(responses)('$name: $score $grade', ({ evidence, score, grade, results = {} }) => {
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
