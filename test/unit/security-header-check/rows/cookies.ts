import { answer, baseline, baselineWith, chain, redirect, see } from '../observations.ts';
import type { Row } from './row.ts';

const cookie = (line: string | readonly string[]) => baselineWith({ 'Set-Cookie': line });
const good = 'Path=/; Secure; HttpOnly; SameSite=Lax';

export const cookieRows: readonly Row[] = [
  {
    name: 'no cookie at all',
    evidence: baselineWith({ 'Set-Cookie': null }),
    broken: [],
    notApplicable: ['cookie-refused', 'cookie-no-secure'],
  },
  {
    name: 'a session cookie without Secure',
    evidence: cookie('sid=1; Path=/; HttpOnly; SameSite=Lax'),
    broken: ['cookie-session-no-secure'],
    holds: ['cookie-session-no-httponly'],
    notApplicable: ['cookie-no-secure'],
    score: 88.75,
  },
  {
    name: 'a session cookie without HttpOnly',
    evidence: cookie('PHPSESSID=1; Path=/; Secure; SameSite=Lax'),
    broken: ['cookie-session-no-httponly'],
    info: ['cookie-no-prefix'],
  },
  {
    name: 'a session cookie without SameSite',
    evidence: cookie('connect.sid=1; Path=/; Secure; HttpOnly'),
    broken: ['cookie-session-no-samesite'],
  },
  {
    name: 'a session cookie for all subdomains',
    evidence: cookie(`auth_token=1; Domain=site.test; ${good}`),
    broken: ['cookie-wide-domain'],
    holds: ['cookie-no-prefix'],
  },
  {
    name: 'a token by its value',
    evidence: cookie('data=eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.c2ln; Path=/; Secure; SameSite=Lax'),
    broken: ['cookie-session-no-httponly'],
  },
  {
    name: 'an assessment is no session',
    evidence: cookie('assessment_banner=1; Secure; SameSite=Lax'),
    broken: [],
    notApplicable: ['cookie-session-no-httponly'],
  },
  {
    name: 'any other cookie without Secure',
    evidence: cookie('theme=dark; SameSite=Lax'),
    broken: ['cookie-no-secure'],
    notApplicable: ['cookie-session-no-secure'],
  },
  {
    name: 'any other cookie without SameSite',
    evidence: cookie('theme=dark; Secure'),
    broken: ['cookie-no-samesite'],
  },
  {
    name: 'a SameSite that does not exist',
    evidence: cookie('theme=dark; Secure; SameSite=Loose'),
    broken: ['cookie-samesite-invalid'],
  },
  {
    name: 'a CSRF token without SameSite',
    evidence: cookie('csrf_token=1; Secure; HttpOnly'),
    broken: ['cookie-csrf-no-samesite'],
    notApplicable: ['cookie-no-samesite'],
  },
  {
    name: 'a CSRF token that scripts send a second time',
    evidence: cookie(['XSRF-TOKEN=1; Secure', 'JSESSIONID="ajax:1234567890123456789"; Secure']),
    broken: [],
    holds: ['cookie-csrf-no-samesite'],
    notApplicable: ['cookie-session-no-httponly', 'cookie-no-samesite'],
  },
  {
    name: 'sessions of counting, of a delivery network and without a value are no logins',
    evidence: cookie(
      [
        'SESSION_TRACKING_COOKIE=4f8a6a1c-5b1e-4c6f-9c6e-0d6a3d1f2b3c',
        'session_tracker=4f8a6a1c-5b1e-4c6f-9c6e-0d6a3d1f2b3c',
        'cdn_site_token=kZ3vQ2w8Jt5mBq7s',
        'session=',
      ].map((line) => `${line}; Secure; SameSite=Lax`),
    ),
    broken: [],
    notApplicable: ['cookie-session-no-httponly'],
  },
  {
    name: 'a country, a device, a date and an experiment beside a public cache are the same for many',
    evidence: baselineWith({
      'Set-Cookie': [
        'country=US',
        'device=desktop',
        'last_visit=2026-11-22',
        'ab_test=control-group-number-2',
      ].map((line) => `${line}; Secure; SameSite=Lax`),
      'Cache-Control': 'public, max-age=600',
    }),
    broken: [],
    holds: ['cookie-cacheable'],
  },
  {
    name: 'a refused cookie of what stands before the site is not the owner’s to correct',
    evidence: cookie(['AWSALBCORS=x; SameSite=None', '__cf_bm=x; Domain=other.test; Secure']),
    broken: [],
    holds: ['cookie-refused'],
  },
  {
    name: 'a CSRF token with SameSite',
    evidence: cookie('csrf_token=1; Secure; SameSite=Lax'),
    broken: [],
    holds: ['cookie-csrf-no-samesite', 'cookie-samesite-invalid'],
  },
  {
    name: 'each cookie that a browser refuses',
    evidence: cookie([
      '__Host-a=1; Domain=site.test; Secure; Path=/',
      '__Secure-b=1',
      'c=1; Domain=other.test',
      'd=1; SameSite=None',
      'e=1; Partitioned',
      `f=${'x'.repeat(5000)}; Secure`,
    ]),
    broken: ['cookie-refused'],
  },
  ...[
    `theme=dark; ${good}, sid=1; ${good}`,
    `theme=dark; ${good},sid=1; ${good}`,
    `theme=dark, sid=1; ${good}`,
    `theme=dark; Secure; SameSite=Lax; Max-Age=60, sid=1; Path=/`,
    `theme=dark; SameSite=Lax; Secure, b=1, sid=1; Path=/`,
  ].map((line): Row => ({
    name: `a second cookie behind a comma is not stored: ${line}`,
    evidence: cookie(line),
    broken: line.includes('Secure, b')
      ? ['cookie-no-secure', 'cookie-refused', 'cookie-comma']
      : ['cookie-refused'],
    ...(line.includes('Secure, b') ? { score: 93 } : {}),
  })),
  ...[
    `prefs=a, b=c; ${good}`,
    `theme=dark; Path=/; Secure; SameSite=Lax; Expires=Wed, 21 Oct 2037 07:28:00 GMT, sid=1`,
  ].map((line): Row => ({
    name: `what stands behind a comma may be a part of the value: ${line}`,
    evidence: cookie(line),
    broken: ['cookie-comma'],
    holds: ['cookie-refused'],
    score: 99,
  })),
  {
    name: 'one cookie to browsers, without any attribute',
    evidence: cookie('prefs=a, b=c'),
    broken: ['cookie-no-secure', 'cookie-no-samesite', 'cookie-comma'],
    holds: ['cookie-refused'],
    score: 99,
  },
  ...[
    'Path=/; HttpOnly; Secure',
    'secure; httponly',
    'HttpOnly',
    'SameSite=Lax; Secure',
    'Max-Age=3600; Path=/',
    'Domain=.site.test; Path=/',
    'Expires=Wed, 21 Oct 2037 07:28:00 GMT; Secure',
  ].map((line): Row => ({
    name: `attributes make a cookie of their own: ${line}`,
    evidence: baselineWith({ 'Set-Cookie': [`theme=dark; ${good}`, line] }),
    broken: ['cookie-attributes-alone'],
    holds: ['cookie-no-secure', 'cookie-refused'],
    score: 100,
  })),
  {
    name: 'the session beside them lacks what they say',
    evidence: baselineWith({ 'Set-Cookie': ['sid=1; SameSite=Lax', 'Path=/; HttpOnly; Secure'] }),
    broken: ['cookie-attributes-alone', 'cookie-session-no-secure', 'cookie-session-no-httponly'],
    score: 89,
  },
  ...[`version=2; ${good}`, `priority=1; ${good}`, `path=abc; ${good}`, `domain=other.test; ${good}`].map(
    (line): Row => ({
      name: `a cookie that is named like an attribute: ${line}`,
      evidence: cookie(line),
      broken: [],
      holds: ['cookie-attributes-alone'],
    }),
  ),
  ...[
    `list=1,2,3; ${good}`,
    `prefs=lang=en, theme=dark; ${good}`,
    `text="a, b=c"; ${good}`,
    `json={"a":1, "b"=2}; ${good}`,
    `list=[1, a=2]; ${good}`,
    `pairs=a=1,b=2; ${good}`,
    `theme=dark; ${good}; Expires=Wed, 21 Oct 2037 07:28:00 GMT`,
    `theme=dark; Path=/a,b; Secure; SameSite=Lax`,
    `token=x, c2VjcmV0==; ${good}`,
  ].map((line): Row => ({
    name: `a comma that joins nothing: ${line}`,
    evidence: cookie(line),
    broken: [],
    holds: ['cookie-refused'],
  })),
  {
    name: 'a deletion is no fault',
    evidence: cookie('sess=; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Path=/'),
    broken: [],
    holds: ['cookie-refused'],
    notApplicable: ['cookie-session-no-secure'],
  },
  {
    name: 'a cookie set over http',
    evidence: see({
      headers: baseline,
      http: chain([
        redirect('http://site.test/', 'https://site.test/', ['Set-Cookie', 'theme=dark; SameSite=Lax']),
        answer('https://site.test/', baseline),
      ]),
    }),
    broken: ['cookie-on-http'],
    notApplicable: ['cookie-no-secure'],
  },
  {
    name: 'a session set in clear text is another matter',
    evidence: see({
      headers: baseline,
      http: chain([
        redirect('http://site.test/', 'https://site.test/', [
          'Set-Cookie',
          'PHPSESSID=1; HttpOnly; SameSite=Lax',
        ]),
        answer('https://site.test/', baseline),
      ]),
    }),
    broken: ['cookie-session-on-http'],
    notApplicable: ['cookie-on-http'],
  },
  {
    name: 'a later cookie of the same name, domain and path replaces the earlier',
    evidence: baselineWith({
      'Set-Cookie': ['theme=1', 'theme=2; Secure; SameSite=Lax'],
    }),
    broken: [],
    holds: ['cookie-no-secure', 'cookie-no-samesite'],
  },
  {
    name: 'a cookie that is deleted at once is none',
    evidence: baselineWith({ 'Set-Cookie': ['PHPSESSID=1', 'PHPSESSID=; Max-Age=0'] }),
    broken: [],
    notApplicable: ['cookie-session-no-secure'],
  },
  {
    name: 'what stands before a site sets its own cookies',
    evidence: baselineWith({
      'Set-Cookie': ['AWSALB=x; Path=/', '__cf_bm=x; Path=/', 'incap_ses_1=x; Path=/'],
      'Cache-Control': 'public, max-age=600',
    }),
    broken: [],
    notApplicable: ['cookie-no-secure', 'cookie-no-samesite', 'cookie-session-no-secure'],
  },
  {
    name: 'a Secure cookie of the http answer that https sets anyway is no fault',
    evidence: see({
      headers: [...baseline, ['Set-Cookie', 'theme=1; Secure; SameSite=Lax']],
      http: chain([
        redirect('http://site.test/', 'https://site.test/', ['Set-Cookie', 'theme=1; Secure; SameSite=Lax']),
        answer('https://site.test/', baseline),
      ]),
    }),
    broken: [],
    holds: ['cookie-refused'],
  },
  {
    name: 'a cookie beside a public cache',
    evidence: baselineWith({ 'Cache-Control': 'public, max-age=600' }),
    broken: ['cookie-cacheable'],
  },
  {
    name: 'a cookie beside a private cache',
    evidence: baselineWith({ 'Cache-Control': 'private, s-maxage=600' }),
    broken: [],
    holds: ['cookie-cacheable'],
  },
  {
    name: 'a session cookie that could be guarded',
    evidence: cookie(`session=1; ${good}`),
    broken: [],
    info: ['cookie-no-prefix'],
    holds: ['cookie-wide-domain'],
  },
  {
    name: 'cookies named like Object.prototype do no harm',
    evidence: cookie([`__proto__=1; ${good}`, `constructor=1; ${good}`]),
    broken: [],
  },
];
