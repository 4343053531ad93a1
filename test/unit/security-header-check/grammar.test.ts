import { describe, expect, test } from 'vitest';
import { isMalformed } from '#shared/model/verdict';
import { parseCacheControl } from '../../../worker/checks/security-header-check/grammar/cache-control.ts';
import { findSkippedTypes } from '../../../worker/checks/security-header-check/grammar/clear-site-data.ts';
import {
  parseEmbedderPolicy,
  parseOpenerPolicy,
  parseResourcePolicy,
} from '../../../worker/checks/security-header-check/grammar/cross-origin-policies.ts';
import { suggestDirective } from '../../../worker/checks/security-header-check/grammar/csp-directives.ts';
import {
  type CspSource,
  parseCspSource,
} from '../../../worker/checks/security-header-check/grammar/csp-source.ts';
import { parseCsp, parseCspList } from '../../../worker/checks/security-header-check/grammar/csp.ts';
import {
  parseBlocksScripts,
  parseIntegrity,
} from '../../../worker/checks/security-header-check/grammar/integrity.ts';
import {
  parseNosniff,
  parseXFrameOptions,
} from '../../../worker/checks/security-header-check/grammar/one-word-fields.ts';
import {
  isFeaturePolicySyntax,
  parsePermissionsPolicy,
} from '../../../worker/checks/security-header-check/grammar/permissions-policy.ts';
import {
  parseReferrerMeta,
  parseReferrerPolicy,
} from '../../../worker/checks/security-header-check/grammar/referrer-policy.ts';
import {
  parseReportingEndpoints,
  parseReportTo,
} from '../../../worker/checks/security-header-check/grammar/reporting-endpoints.ts';
import { findInternalHost } from '../../../worker/checks/security-header-check/judge/leakage.ts';
import { parseContentType } from '../../../worker/web/content-type.ts';
import { splitValues } from '../../../worker/web/fields.ts';
import { parseHsts } from '../../../worker/web/hsts.ts';
import { parseSetCookie } from '../../../worker/web/set-cookie.ts';

describe('Strict-Transport-Security', () => {
  const good = (maxAgeS: number, includeSubDomains = false, preload = false) => ({
    maxAgeS,
    includeSubDomains,
    preload,
  });
  const rows: readonly (readonly [text: string, parsed: object | string])[] = [
    // The examples of RFC 6797 §6.2.
    ['max-age=31536000', good(31_536_000)],
    ['max-age=15768000 ; includeSubDomains', good(15_768_000, true)],
    ['max-age="31536000"', good(31_536_000)],
    ['max-age=0', good(0)],
    ['max-age=0; includeSubDomains', good(0, true)],
    ['MAX-AGE=1;INCLUDESUBDOMAINS;Preload', good(1, true, true)],
    ['max-age = 1', good(1)],
    [';;max-age=1;;', good(1)],
    ['max-age=1; unknown; other="a;b"', good(1)],
    ['max-age="1\\2"', good(12)],
    ['max-age=99999999999999999999', good(Number.MAX_SAFE_INTEGER)],
    ['', 'no max-age'],
    ['includeSubDomains', 'no max-age'],
    ['max-age', 'a max-age that is not a number of seconds'],
    ['max-age=', 'a value of max-age that is neither token nor quoted string'],
    ['max-age=-1', 'a max-age that is not a number of seconds'],
    ['max-age=1.5', 'a max-age that is not a number of seconds'],
    ['max-age=1; max-age=1', 'the directive max-age twice'],
    ['max-age=1; preload; PRELOAD', 'the directive preload twice'],
    ['max-age=1; includeSubDomains=1', 'a value of includesubdomains, which takes none'],
    ['max-age=1; includeSubDomains=""', 'a value of includesubdomains, which takes none'],
    ['max-age=1, max-age=2', 'a value of max-age that is neither token nor quoted string'],
    ['max-age="1', 'a value of max-age that is neither token nor quoted string'],
    ['max-age=1; a b', 'a directive whose name is not a token'],
    ['__proto__=1', 'no max-age'],
  ];
  test.for(rows)('%s', ([text, parsed]) => {
    const read = parseHsts(text);
    expect(isMalformed(read) ? read.malformed : read).toEqual(parsed);
  });
});

describe('Content-Security-Policy', () => {
  const show = (text: string) =>
    parseCspList(text).map(({ directives }) =>
      [...directives.values()].map(({ name, values }) => [name, ...values.map((value) => value.text)]),
    );
  const rows: readonly (readonly [text: string, policies: readonly (readonly (readonly string[])[])[]])[] = [
    [
      "script-src 'self'; report-to csp-reporting-endpoint",
      [
        [
          ['script-src', "'self'"],
          ['report-to', 'csp-reporting-endpoint'],
        ],
      ],
    ],
    [
      "default-src 'self' http://example.com; connect-src 'none'",
      [
        [
          ['default-src', "'self'", 'http://example.com'],
          ['connect-src', "'none'"],
        ],
      ],
    ],
    ["default-src 'self', script-src a.test", [[['default-src', "'self'"]], [['script-src', 'a.test']]]],
    ['', []],
    [';;  ;', []],
    [' IMG-SRC\ta.test\fb.test ', [[['img-src', 'a.test', 'b.test']]]],
    ['img-src a; img-src b', [[['img-src', 'a']]]],
    [
      '__proto__ a; constructor b',
      [
        [
          ['__proto__', 'a'],
          ['constructor', 'b'],
        ],
      ],
    ],
  ];
  test.for(rows)('%s', ([text, policies]) => {
    expect(show(text)).toEqual(policies);
  });

  test('places count from the start of the header value', () => {
    const [, second] = parseCspList("default-src 'self', script-src  a.test");
    const directive = second?.directives.get('script-src');
    expect([directive?.offset, directive?.values[0]?.offset]).toEqual([20, 32]);
  });

  test('a comma has no meaning in a single policy', () => {
    expect(
      parseCsp('img-src a,b')
        .directives.get('img-src')
        ?.values.map(({ text }) => text),
    ).toEqual(['a,b']);
  });

  test.for([
    ['scirpt-src', 'script-src'],
    ['frame-ancestor', 'frame-ancestors'],
    ['defaultsrc', 'default-src'],
    ['style-src-elm', 'style-src-elem'],
    ['x', undefined],
    ['completely-else', undefined],
  ] as const)('%s was meant for %s', ([name, meant]) => {
    expect(suggestDirective(name)).toBe(meant);
  });
});

describe('a source of a policy', () => {
  const host = (name: string, more: Partial<Extract<CspSource, { kind: 'host' }>> = {}): CspSource => ({
    kind: 'host',
    scheme: null,
    host: name,
    port: null,
    path: null,
    ...more,
  });
  const rows: readonly (readonly [text: string, source: CspSource])[] = [
    ["'self'", { kind: 'keyword', keyword: 'self' }],
    ["'UNSAFE-INLINE'", { kind: 'keyword', keyword: 'unsafe-inline' }],
    ["'nonce-AbC+/=='", { kind: 'nonce', value: 'AbC+/==' }],
    ["'NONCE-AbC'", { kind: 'nonce', value: 'AbC' }],
    ["'sha384-AbC_-='", { kind: 'hash', algorithm: 'sha384', value: 'AbC_-=' }],
    ['https:', { kind: 'scheme', scheme: 'https' }],
    ['Data:', { kind: 'scheme', scheme: 'data' }],
    ['*', host('*')],
    ['*:*', host('*', { port: '*' })],
    ['EXAMPLE.com', host('example.com')],
    ['*.example.com:8080', host('*.example.com', { port: '8080' })],
    [
      'https://example.com/a/B?',
      { kind: 'invalid', reason: 'has a query or fragment, which no path of a source may have' },
    ],
    ['https://example.com/a/B', host('example.com', { scheme: 'https', path: '/a/B' })],
    ['https://*', host('*', { scheme: 'https' })],
    ['self', host('self')],
    ["'self", { kind: 'invalid', reason: 'has an opening quote without its closing one' }],
    ["'", { kind: 'invalid', reason: 'has an opening quote without its closing one' }],
    ["'nonce-'", { kind: 'invalid', reason: 'has a nonce that is not base64' }],
    ["'nonce-a b'", { kind: 'invalid', reason: 'has a nonce that is not base64' }],
    ["'sha256-$'", { kind: 'invalid', reason: 'has a hash that is not base64' }],
    ["'md5-abc'", { kind: 'invalid', reason: 'is no keyword that browsers know' }],
    ['a.*.test', { kind: 'invalid', reason: 'has a wildcard that is not its first label' }],
    ['https://[::1]', { kind: 'invalid', reason: 'is an IPv6 address, which no source may be' }],
    ['https://', { kind: 'invalid', reason: 'has no host' }],
    ['1://a', { kind: 'invalid', reason: 'has a scheme that is not valid' }],
    ['a.test:http', { kind: 'invalid', reason: 'has a port that is not a number' }],
    ['a!b.test', { kind: 'invalid', reason: 'has characters that no host has' }],
  ];
  test.for(rows)('%s', ([text, source]) => {
    expect(parseCspSource(text)).toEqual(source);
  });
});

describe('get, decode, and split (Fetch Standard)', () => {
  test.for([
    [['nosniff,'], ['nosniff', '']],
    [[''], ['']],
    [[], []],
    [['text/html;", x/x'], ['text/html;", x/x']],
    [['text/html;"'], ['text/html;"']],
    [['x/x;test="hi",y/y'], ['x/x;test="hi"', 'y/y']],
    [
      ['x/x;test="hi,there"', 'y/y'],
      ['x/x;test="hi,there"', 'y/y'],
    ],
    [['"a\\"b,c",d'], ['"a\\"b,c"', 'd']],
  ] as const)('%j', ([lines, values]) => {
    expect(splitValues(lines)).toEqual(values);
  });
});

describe('X-Frame-Options (HTML Standard)', () => {
  test.for([
    [[], undefined],
    [['DENY'], 'deny'],
    [['SAMEORIGIN'], 'sameorigin'],
    [['SAMEORIGIN', 'sameorigin'], 'sameorigin'],
    [['SAMEORIGIN,SAMEORIGIN'], 'sameorigin'],
    [['SAMEORIGIN,DENY'], 'conflict'],
    [['DENY', 'INVALID'], 'conflict'],
    [['SAMEORIGIN,'], 'conflict'],
    [['ALLOWALL'], 'allowall'],
    [['ALLOWALL', 'SAMEORIGIN'], 'conflict'],
    [['INVALID', 'OTHER'], 'invalid'],
    [['"DENY"'], 'invalid'],
    [[''], 'invalid'],
    [['ALLOW-FROM https://a.test'], 'allow-from'],
  ] as const)('%j is %s', ([lines, kind]) => {
    expect(parseXFrameOptions(lines)?.kind).toBe(kind);
  });
});

describe('X-Content-Type-Options (Fetch Standard)', () => {
  test.for([
    [['nosniff'], true],
    [['NOSNIFF'], true],
    [['nosniff,'], true],
    [['nosniff', 'no'], true],
    [[',nosniff'], false],
    [['no', 'nosniff'], false],
    [['"nosniff"'], false],
    [["'nosniff'"], false],
    [[''], false],
  ] as const)('%j: %s', ([lines, nosniff]) => {
    expect(parseNosniff(lines)?.nosniff).toBe(nosniff);
  });
});

describe('Referrer-Policy', () => {
  test.for([
    [['no-referrer'], 'no-referrer'],
    [['unsafe-url, no-referrer, unknown'], 'no-referrer'],
    [['no-referrer', 'origin'], 'origin'],
    [['NO-REFERRER'], 'no-referrer'],
    [['never'], undefined],
    [[''], undefined],
  ] as const)('%j: %s', ([lines, policy]) => {
    expect(parseReferrerPolicy(lines)).toBe(policy);
  });

  test.for([
    ['never', 'no-referrer'],
    ['default', 'strict-origin-when-cross-origin'],
    ['always', 'unsafe-url'],
    ['origin-when-crossorigin', 'origin-when-cross-origin'],
    ['Origin', 'origin'],
    ['origin, no-referrer', undefined],
  ] as const)('meta %s: %s', ([content, policy]) => {
    expect(parseReferrerMeta(content)).toBe(policy);
  });
});

describe('Permissions-Policy (RFC 9651)', () => {
  const open = (...lines: string[]) => {
    const read = parsePermissionsPolicy(lines);
    return isMalformed(read)
      ? read.malformed
      : [...read.features].filter(([, { wildcard }]) => wildcard).map(([feature]) => feature);
  };
  test.for([
    ['geolocation=(self "https://example.com"), camera=*', ['camera']],
    ['fullscreen=(), camera=(self *)', ['camera']],
    ['camera="*"', ['camera']],
    ['camera=("https:")', ['camera']],
    ['camera=("https://*")', ['camera']],
    ['camera=("https://*.a.test")', []],
    ['camera', []],
    ['camera=(self', 'it is no structured dictionary'],
    ["camera='self'", 'it is no structured dictionary'],
    ['camera=(),', 'it is no structured dictionary'],
    ['Camera=()', 'it is no structured dictionary'],
    ['__proto__=()', 'it is no structured dictionary'],
  ] as const)('%s', ([line, wanted]) => {
    expect(open(line)).toEqual(wanted);
  });

  test.for([
    ["camera 'none'; microphone 'none'", true],
    ["camera 'self'", true],
    ['camera none', true],
    ['camera=(self', false],
  ] as const)('%s is the old syntax: %s', ([text, isOld]) => {
    expect(isFeaturePolicySyntax(text)).toBe(isOld);
  });
});

describe('cross-origin policies', () => {
  const word = (read: object | undefined) =>
    read && 'policy' in read ? read.policy : read && 'malformed' in read ? 'malformed' : undefined;
  test.for([
    [['same-origin'], 'same-origin'],
    [['same-origin; report-to="x"'], 'same-origin'],
    [['noopener-allow-popups'], 'noopener-allow-popups'],
    [['Same-Origin'], 'malformed'],
    [['"same-origin"'], 'malformed'],
    [['same-origin', 'same-origin'], 'malformed'],
    [[''], 'malformed'],
    [[], undefined],
  ] as const)('opener %j: %s', ([lines, policy]) => {
    expect(word(parseOpenerPolicy(lines))).toBe(policy);
  });
  test.for([
    [['require-corp'], 'require-corp'],
    [['credentialless'], 'credentialless'],
    [['require-corp, require-corp'], 'malformed'],
    [['none'], 'malformed'],
  ] as const)('embedder %j: %s', ([lines, policy]) => {
    expect(word(parseEmbedderPolicy(lines))).toBe(policy);
  });
  test.for([
    [['same-site'], 'same-site'],
    [['Same-Site'], 'malformed'],
    [['same-site, same-site'], 'malformed'],
    [['same-origin; a'], 'malformed'],
  ] as const)('resource %j: %s', ([lines, policy]) => {
    expect(word(parseResourcePolicy(lines))).toBe(policy);
  });
});

describe('Set-Cookie (RFC 6265bis)', () => {
  const read = (line: string) => {
    const cookie = parseSetCookie(line);
    return isMalformed(cookie) ? cookie.malformed : cookie;
  };
  const rows: readonly (readonly [line: string, parts: object | string])[] = [
    ['SID=31d4d96e407aad42', { name: 'SID', value: '31d4d96e407aad42' }],
    ['SID=31d4d96e407aad42; Path=/; Secure; HttpOnly', { path: '/', secure: true, httpOnly: true }],
    ['lang=en-US; Path=/; Domain=example.com', { domain: 'example.com' }],
    ['lang=en-US; Expires=Wed, 09 Jun 2021 10:18:14 GMT', { expiresMs: Date.UTC(2021, 5, 9, 10, 18, 14) }],
    ['a=b=c', { name: 'a', value: 'b=c' }],
    ['justvalue', { name: '', value: 'justvalue' }],
    ['=value', { name: '', value: 'value' }],
    [' a \t=\t b ', { name: 'a', value: 'b' }],
    ['a="b"', { value: '"b"' }],
    ['a=b; DOMAIN=.Example.COM', { domain: 'example.com' }],
    ['a=b; Domain=x.test; Domain=', { domain: null }],
    ['a=b; Path=x', { path: null }],
    ['a=b; Path=/x; Path=/y', { path: '/y' }],
    ['a=b; SameSite=lax', { sameSite: 'Lax', sameSiteUnknown: null }],
    ['a=b; SameSite=Lax; SameSite=x', { sameSite: null, sameSiteUnknown: 'x' }],
    ['a=b; SameSite', { sameSite: null, sameSiteUnknown: '' }],
    ['a=b; Max-Age=60', { maxAgeS: 60 }],
    ['a=b; Max-Age=-1', { maxAgeS: -1 }],
    ['a=b; Max-Age=1a', { maxAgeS: null }],
    ['a=b; Expires=tomorrow', { expiresMs: null }],
    [`a=b; Path=/${'x'.repeat(1024)}`, { path: null }],
    ['a=b; Partitioned', { partitioned: true }],
    ['__proto__=x; constructor=y', { name: '__proto__', value: 'x' }],
    ['a=b\u0000c', 'a control character'],
    ['a=b; x=\u007f', 'a control character'],
    ['', 'neither a name nor a value'],
    ['=; Path=/', 'neither a name nor a value'],
  ];
  test.for(rows)('%s', ([line, parts]) => {
    const cookie = read(line);
    expect(typeof parts === 'string' ? cookie : { ...(cookie as object), ...parts }).toEqual(
      typeof parts === 'string' ? parts : cookie,
    );
  });
});

describe('a cookie date (RFC 6265 §5.1.1)', () => {
  const june = Date.UTC(2021, 5, 9, 10, 18, 14);
  test.for([
    ['Wed, 09 Jun 2021 10:18:14 GMT', june],
    ['Wednesday, 09-Jun-21 10:18:14 GMT', june],
    ['Wed Jun  9 10:18:14 2021', june],
    ['10:18:14 2021 june 9th', june],
    ['09 Jun 71 10:18:14', Date.UTC(1971, 5, 9, 10, 18, 14)],
    ['31 Feb 2021 10:18:14', undefined],
    ['09 Jun 2021', undefined],
    ['09 Jun 1600 10:18:14', undefined],
    ['09 Jun 2021 24:00:00', undefined],
    ['09 Jun 2021 10:18:60', undefined],
    ['', undefined],
  ] as const)('%s', ([text, ms]) => {
    expect(parseSetCookie(`a=b; Expires=${text}`)).toMatchObject({ expiresMs: ms ?? null });
  });
});

describe('the small ones', () => {
  test('Content-Type: the last valid one counts', () => {
    expect(parseContentType(['text/html', 'nonsense', 'Text/Plain ;charset="x"'])).toEqual({
      essence: 'text/plain',
      charset: 'x',
    });
    expect(parseContentType(['', '/', 'a/'])).toBeUndefined();
  });
  test('Cache-Control keeps the first of each', () => {
    expect([...parseCacheControl(['Public, max-age="5"', 'max-age=6'])]).toEqual([
      ['public', null],
      ['max-age', '5'],
    ]);
  });
  test('what Chromium cuts from the ends', () => {
    expect(parseXFrameOptions(['DENY\f', '\vdeny '])).toMatchObject({ kind: 'deny', count: 2 });
    expect(parseXFrameOptions(['DENY\u0001'])).toMatchObject({ kind: 'invalid' });
    expect(parseReferrerPolicy(['no-referrer\v'])).toBe('no-referrer');
    expect(findSkippedTypes(['"cookies"\f'])).toEqual([]);
    expect(parseNosniff(['nosniff\f'])).toMatchObject({ nosniff: false });
  });
  test('Clear-Site-Data takes quoted types', () => {
    expect(findSkippedTypes(['"cache", "cookies"', '"*"'])).toEqual([]);
    expect(findSkippedTypes(['cache, "Cookies", \'storage\', "'])).toEqual([
      { type: 'cache', reason: 'it is not in double quotes' },
      { type: '"Cookies"', reason: 'browsers know no such type' },
      { type: "'storage'", reason: 'it is not in double quotes' },
      { type: '"', reason: 'it is not in double quotes' },
    ]);
  });
  const page = new URL('https://site.test/');
  test('Reporting-Endpoints is a dictionary of strings', () => {
    const read = (...lines: string[]) => [...parseReportingEndpoints(lines, page)];
    expect(read('a="https://a.test", b=x', 'c="/c"')).toEqual(['a', 'c']);
    expect(read('a=https://a.test')).toEqual([]);
    expect(read('a="http://a.test", b="http://127.0.0.1:8080/b", c="http://[::1]/"')).toEqual(['b', 'c']);
    expect([...parseReportingEndpoints(['a="https://a.test"'], new URL('http://site.test/'))]).toEqual([]);
  });
  test('Report-To is JSON', () => {
    const read = (line: string) => [...parseReportTo([line], page)];
    const endpoints = (url: string) => `"endpoints":[{"url":"${url}"}]`;
    expect(read(`{"group":"a",${endpoints('/r')}},{${endpoints('https://b.test')}}`)).toEqual([
      'a',
      'default',
    ]);
    expect(read(`{"group":"a",${endpoints('http://a.test')}},{"group":"b","endpoints":[null]}, 1`)).toEqual(
      [],
    );
    expect(read('{')).toEqual([]);
  });
  test('integrity keeps what browsers check', () => {
    expect(parseIntegrity('md5-x sha256-abc=?foo  SHA512-def sha384-')).toEqual([
      { algorithm: 'sha256', digest: 'abc=' },
      { algorithm: 'sha512', digest: 'def' },
    ]);
  });
  test('Integrity-Policy blocks scripts', () => {
    expect(
      ['blocked-destinations=(script), endpoints=(a)', 'blocked-destinations=("script")', 'x', '('].map(
        (line) => parseBlocksScripts([line]),
      ),
    ).toEqual([true, false, false, false]);
  });
  test.for([
    ['1.1 10.0.0.5:8080', '10.0.0.5'],
    ['web-01.corp', 'web-01.corp'],
    ['ip-172-16-3-4', 'ip-172-16-3-4'],
    ['127.0.0.1', '127.0.0.1'],
    ['http://10.0.0.1/a', '10.0.0.1'],
    ['nginx/10.0.0.1', undefined],
    ['8.8.8.8', undefined],
    ['1.1 varnish', undefined],
    ['.local', undefined],
  ] as const)('%s hides %s', ([text, host]) => {
    expect(findInternalHost(text)).toBe(host);
  });
});
