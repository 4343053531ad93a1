import { expect, test } from 'vitest';
import { assessHeaders } from '../../../worker/checks/security-header-check/assess.ts';
import type { HeaderEvidence } from '../../../worker/checks/security-header-check/evidence.ts';
import type { HeaderLine } from '../../../worker/web/fields.ts';
import {
  answer,
  chain,
  corsAlways,
  csp,
  html,
  meta,
  metaCsp,
  origin,
  page,
  redirect,
  see,
} from './observations.ts';

/** What a browser did with such a response, or what the standard says it does. */
type Truth = { readonly name: string; readonly evidence: HeaderEvidence; readonly effective: object };

const xfo = (...values: readonly string[]) =>
  page(...values.map((value): HeaderLine => ['X-Frame-Options', value]));
const hsts = (...values: readonly string[]) =>
  page(...values.map((value): HeaderLine => ['Strict-Transport-Security', value]));
const framed = (allowed: string, by: string) => ({ framing: { allowed, by } });
const year = 'max-age=31536000';

const truths: readonly Truth[] = [
  {
    name: 'SAMEORIGIN twice restricts framing',
    evidence: xfo('SAMEORIGIN', 'SAMEORIGIN'),
    effective: framed('same-origin', 'x-frame-options'),
  },
  {
    name: 'DENY and SAMEORIGIN block all framing',
    evidence: xfo('DENY', 'SAMEORIGIN'),
    effective: framed('none', 'x-frame-options'),
  },
  {
    name: 'ALLOW-FROM is no restriction',
    evidence: xfo('ALLOW-FROM https://a.test'),
    effective: framed('all', 'nothing'),
  },
  {
    name: 'frame-ancestors * wins over DENY',
    evidence: page(csp('frame-ancestors *'), ['X-Frame-Options', 'DENY']),
    effective: framed('all', 'frame-ancestors'),
  },
  {
    name: "frame-ancestors 'self' wins over DENY",
    evidence: page(csp("frame-ancestors 'self'"), ['X-Frame-Options', 'DENY']),
    effective: framed('same-origin', 'frame-ancestors'),
  },
  {
    name: 'of two frame-ancestors the stricter decides',
    evidence: page(csp('frame-ancestors *'), csp("frame-ancestors 'none'")),
    effective: framed('none', 'frame-ancestors'),
  },
  {
    name: 'frame-ancestors that only reports leaves it to X-Frame-Options',
    evidence: page(['Content-Security-Policy-Report-Only', 'frame-ancestors *'], ['X-Frame-Options', 'DENY']),
    effective: framed('none', 'x-frame-options'),
  },
  {
    name: 'frame-ancestors in a meta element does not count',
    evidence: see({ elements: [metaCsp("frame-ancestors 'none'")] }),
    effective: framed('all', 'nothing'),
  },
  {
    name: 'without script-src a second policy decides',
    evidence: page(csp("img-src 'self'"), csp("script-src * 'unsafe-inline' 'unsafe-eval'")),
    effective: { script: { level: 'open', inline: true, eval: true, anyHost: true, policies: 2 } },
  },
  {
    name: 'script-src-elem decides for elements',
    evidence: page(csp("script-src 'self'; script-src-elem * 'unsafe-inline'")),
    effective: { script: { level: 'open', inline: true, eval: false } },
  },
  {
    name: 'the first of two equal directives decides',
    evidence: page(csp("script-src 'self'; script-src 'unsafe-inline'")),
    effective: { script: { level: 'hosts', inline: false } },
  },
  {
    name: "'strict-dynamic' alone blocks all scripts",
    evidence: page(csp("script-src 'strict-dynamic'")),
    effective: { script: { level: 'strict', inline: false, anyHost: false } },
  },
  {
    name: 'a policy in the body is ignored',
    evidence: see({ elements: [metaCsp("script-src 'none'", 'body')] }),
    effective: { script: { level: 'none', policies: 0 } },
  },
  {
    name: 'a directive with non-ASCII bytes is dropped',
    evidence: page(csp("script-src 'self' b\u00fccher.test; img-src 'self'")),
    effective: { script: { level: 'open', inline: true } },
  },
  {
    name: 'a report-only policy is told apart from none',
    evidence: page(['Content-Security-Policy-Report-Only', "script-src 'none'"]),
    effective: { script: { level: 'report-only', inline: true } },
  },
  {
    name: 'nosniff twice works',
    evidence: page(['X-Content-Type-Options', 'nosniff'], ['X-Content-Type-Options', 'nosniff']),
    effective: { sniffing: { nosniff: true } },
  },
  {
    name: 'HSTS twice works by its first line',
    evidence: hsts(year, 'max-age=1'),
    effective: { hsts: { applied: true, seconds: 31_536_000 } },
  },
  {
    name: 'max-age=oneyear is not applied',
    evidence: hsts('max-age=oneyear'),
    effective: { hsts: { applied: false, seconds: null } },
  },
  {
    name: 'max-age=31536000abc is not applied',
    evidence: hsts('max-age=31536000abc'),
    effective: { hsts: { applied: false } },
  },
  {
    name: 'max-age = 31536000 is applied',
    evidence: hsts('max-age = 31536000'),
    effective: { hsts: { applied: true } },
  },
  {
    name: 'max-age="300" is five minutes',
    evidence: hsts('max-age="300"'),
    effective: { hsts: { applied: true, seconds: 300 } },
  },
  {
    name: 'max-age=0 is not applied',
    evidence: hsts('max-age=0'),
    effective: { hsts: { applied: false, seconds: 0 } },
  },
  {
    name: 'HSTS behind a bad certificate is not applied',
    evidence: see({
      headers: [html, ['Strict-Transport-Security', year]],
      tls: { trusted: false, error: 'CERT_HAS_EXPIRED' },
    }),
    effective: { hsts: { applied: false } },
  },
  {
    name: 'never sends no referrer',
    evidence: see({ elements: [meta({ name: 'referrer', content: 'never' })] }),
    effective: { referrer: { policy: 'no-referrer', by: 'meta' } },
  },
  {
    name: 'without any referrer policy the default is in force',
    evidence: page(),
    effective: { referrer: { policy: 'strict-origin-when-cross-origin', by: 'default' } },
  },
  {
    name: 'Same-Origin is no resource policy',
    evidence: page(['Cross-Origin-Resource-Policy', 'Same-Origin']),
    effective: { isolation: { resource: null } },
  },
  {
    name: 'opener and embedder policy together isolate',
    evidence: page(
      ['Cross-Origin-Opener-Policy', 'same-origin'],
      ['Cross-Origin-Embedder-Policy', 'credentialless'],
    ),
    effective: { isolation: { crossOriginIsolated: true } },
  },
  {
    name: 'same-origin-allow-popups does not isolate',
    evidence: page(
      ['Cross-Origin-Opener-Policy', 'same-origin-allow-popups'],
      ['Cross-Origin-Embedder-Policy', 'require-corp'],
    ),
    effective: { isolation: { crossOriginIsolated: false } },
  },
  {
    name: 'a reflected origin with credentials opens everything',
    evidence: see({
      cors: corsAlways(['Access-Control-Allow-Origin', origin], ['Access-Control-Allow-Credentials', 'true']),
    }),
    effective: { cors: { access: 'any-origin-with-credentials', nullOrigin: false } },
  },
  {
    name: 'a fixed origin is a list',
    evidence: see({ cors: corsAlways(['Access-Control-Allow-Origin', 'https://a.test']) }),
    effective: { cors: { access: 'listed' } },
  },
  {
    name: 'a JSON answer has no framing, scripts and referrer',
    evidence: see({ headers: [['Content-Type', 'application/json']], elements: null }),
    effective: { framing: null, script: null, referrer: null, sniffing: { nosniff: false } },
  },
];

test.for(truths)('$name', ({ evidence, effective }) => {
  expect(assessHeaders(evidence).fields['effective']).toMatchObject(effective);
});

const cookies: readonly (readonly [line: string, stored: boolean, reason: string | undefined])[] = [
  ['a=1', true, undefined],
  ['__Host-a=1; Secure; Path=/', true, undefined],
  ['__Host-a=1; Secure', false, 'the prefix __Host- needs Path=/'],
  ['__Host-a=1; Secure; Path=/; Domain=www.site.test', false, 'the prefix __Host- forbids Domain'],
  ['__HOST-a=1; Path=/', false, 'the prefix __HOST- needs Secure'],
  ['__Secure-a=1', false, 'the prefix __Secure- needs Secure'],
  ['__Http-a=1; Secure', false, 'the prefix __Http- needs HttpOnly'],
  ['__Host-Http-a=1; Secure; HttpOnly; Path=/', true, undefined],
  ['=__Host-a', false, 'it has no name and a value that begins like a prefix'],
  ['a=1; Domain=site.test', true, undefined],
  ['a=1; Domain=other.test', false, 'its Domain other.test does not cover www.site.test'],
  ['a=1; Domain=te.test', false, 'its Domain te.test does not cover www.site.test'],
  ['a=1; Domain=test', false, 'its Domain test is a public suffix, shared by strangers'],
  ['a=1; Domain=github.io', false, 'its Domain github.io is a public suffix, shared by strangers'],
  ['a=1; Domain=b\u00fccher.test', false, 'its Domain has characters beyond ASCII'],
  ['a=1; SameSite=None', false, 'SameSite=None needs Secure'],
  ['a=1; SameSite=None; Secure', true, undefined],
  ['a=1; Partitioned', false, 'Partitioned needs Secure'],
  [`a=${'x'.repeat(4095)}`, true, undefined],
  [`a=${'x'.repeat(4096)}`, false, 'its name and value have 4097 octets, more than 4096'],
  ['a=1; Max-Age=0', false, 'it is already expired, which deletes it'],
  ['a=1; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT', true, undefined],
  ['a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT', false, 'it is already expired, which deletes it'],
  ['a=\u0001', false, 'its line has a control character'],
];

test.for(cookies)('the cookie %s', ([line, stored, reason]) => {
  const evidence = see({ url: 'https://www.site.test/', headers: [html, ['Set-Cookie', line]] });
  const [cookie] = assessHeaders(evidence).fields['cookies'] as readonly {
    stored: boolean;
    reason?: string;
  }[];
  expect([cookie?.stored, cookie?.reason]).toEqual([stored, reason]);
});

test('a Secure cookie over http is refused, and a cookie of an address has no Domain', () => {
  const evidence = see({
    http: chain([
      redirect('http://site.test/', 'https://site.test/', ['Set-Cookie', 'a=1; Secure']),
      answer('https://site.test/'),
    ]),
  });
  expect(assessHeaders(evidence).fields['cookies']).toMatchObject([
    { stored: false, reason: 'it has Secure but came over http' },
  ]);
  const address = see({ url: 'https://192.0.2.1/', headers: [html, ['Set-Cookie', 'a=1; Domain=2.1']] });
  expect(assessHeaders(address).fields['cookies']).toMatchObject([{ stored: false }]);
});

const sessions: readonly (readonly [line: string, session: boolean])[] = [
  ['PHPSESSID=1', true],
  ['connect.sid=1', true],
  ['laravel_session=1', true],
  ['ASP.NET_SessionId=1', true],
  ['accessToken=1', true],
  ['__Host-login=1; Secure; Path=/', true],
  ['id=4f8b2c9d1e6a7f305b8c2d9e1f6a7b3c', false],
  ['id=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln', true],
  ['assessment=1', false],
  ['blogging=1', false],
  ['author=1', false],
  ['csrf_token=1', false],
  ['XSRF-TOKEN=1', false],
  ['AWSALB=4f8b2c9d1e6a7f305b8c2d9e1f6a7b3c4f8b2c9d1e6a7f30', false],
  ['_ga=GA1.2.1234567890.1234567890', false],
  ['theme=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1', false],
];

test.for(sessions)('%s opens a session: %s', ([line, session]) => {
  const [cookie] = assessHeaders(page(['Set-Cookie', line])).fields['cookies'] as readonly {
    session: boolean;
  }[];
  expect(cookie?.session).toBe(session);
});
