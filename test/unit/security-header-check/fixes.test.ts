import { expect, test } from 'vitest';
import { type HeaderCode, rules } from '#shared/catalogue/security-header-check/rules';
import { listVerdicts } from '#shared/model/finding';
import { codesBroken, isMalformed } from '#shared/model/verdict';
import { assessHeaders } from '../../../worker/checks/security-header-check/assess.ts';
import type { HeaderEvidence } from '../../../worker/checks/security-header-check/evidence.ts';
import { parsePermissionsPolicy } from '../../../worker/checks/security-header-check/grammar/permissions-policy.ts';
import type { HeaderLine } from '../../../worker/web/fields.ts';
import { answer, baselineWith, chain, html, page, script, see } from './observations.ts';

function fixOf(evidence: HeaderEvidence, code: HeaderCode) {
  const { findings } = listVerdicts(rules, assessHeaders(evidence).verdicts);
  return findings.find((finding) => finding.code === code)?.fix;
}

/** The lines without their comments. */
function bare(text = ''): readonly string[] {
  return text.split('\n').filter((line) => !/^(?:#|\/\/|<!--)/.test(line));
}

const linesOf = (fix: ReturnType<typeof fixOf>) =>
  Object.fromEntries(Object.entries(fix?.snippets ?? {}).map(([server, text]) => [server, bare(text)]));

test('a missing header comes with the line for each server', () => {
  const fix = fixOf(page(), 'xcto-missing');
  expect(linesOf(fix)).toEqual({
    header: ['X-Content-Type-Options: nosniff'],
    nginx: ['add_header X-Content-Type-Options "nosniff" always;'],
    apache: ['Header always set X-Content-Type-Options "nosniff"'],
    caddy: ['header X-Content-Type-Options "nosniff"'],
    haproxy: ['http-after-response set-header X-Content-Type-Options "nosniff"'],
    express: ['response.set(\'X-Content-Type-Options\', "nosniff");'],
    iis: [
      '<remove name="X-Content-Type-Options" />',
      '<add name="X-Content-Type-Options" value="nosniff" />',
    ],
    cloudflare: [
      'Rules > Create rule > Response Header Transform Rule > Set static: X-Content-Type-Options = nosniff',
    ],
  });
  expect(fix?.notTried).toEqual(['iis', 'cloudflare']);
});

test('a header that is sent wrongly is replaced, whether the server or what is behind it sends it', () => {
  const fix = fixOf(page(['X-Content-Type-Options', 'no-sniff']), 'xcto-invalid');
  expect(fix?.text).toContain('change that line');
  expect(linesOf(fix)).toMatchObject({
    nginx: [
      'proxy_hide_header X-Content-Type-Options;',
      'fastcgi_hide_header X-Content-Type-Options;',
      'add_header X-Content-Type-Options "nosniff" always;',
    ],
    apache: [
      'Header onsuccess unset X-Content-Type-Options',
      'Header always set X-Content-Type-Options "nosniff"',
    ],
    caddy: ['header {', '\tX-Content-Type-Options "nosniff"', '\tdefer', '}'],
  });
});

test('a policy comes beside the one that is there', () => {
  const fix = fixOf(
    page(['Content-Security-Policy', "script-src 'self'; base-uri 'none'; frame-ancestors 'self'"]),
    'csp-object-unrestricted',
  );
  expect(linesOf(fix)).toMatchObject({
    nginx: ['add_header Content-Security-Policy "object-src \'none\'" always;'],
    apache: ['Header always add Content-Security-Policy "object-src \'none\'"'],
    express: ["response.append('Content-Security-Policy', \"object-src 'none'\");"],
  });
});

test('what several findings want of one header is one line, which each of them shows', () => {
  const seen = page(
    ['Content-Security-Policy', "script-src 'self'"],
    ['Strict-Transport-Security', 'max-age=300'],
  );
  const joint = "object-src 'none'; base-uri 'self'; frame-ancestors 'self'";
  for (const code of ['csp-object-unrestricted', 'csp-base-uri-missing-with-hosts'] as const)
    expect(fixOf(seen, code)?.snippets?.['header']).toBe(`Content-Security-Policy: ${joint}`);
  for (const code of ['hsts-short', 'hsts-no-subdomains'] as const)
    expect(fixOf(seen, code)?.snippets?.['header']).toBe(
      'Strict-Transport-Security: max-age=31536000; includeSubDomains',
    );
  expect(fixOf(seen, 'hsts-short')?.text).toContain('Leave includeSubDomains out until');
});

test('a header that tells too much is taken out', () => {
  expect(linesOf(fixOf(page(['X-Powered-By', 'Express']), 'leak-product'))).toMatchObject({
    nginx: ['proxy_hide_header X-Powered-By;', 'fastcgi_hide_header X-Powered-By;'],
    apache: ['Header onsuccess unset X-Powered-By', 'Header always unset X-Powered-By'],
    express: ["app.disable('x-powered-by');"],
  });
});

test('there are lines for all that was seen', () => {
  const seen = page(['X-AspNet-Version', '4.0.3'], ['X-Generator', 'A 1.2'], ['X-Powered-By', 'B 3.4']);
  expect(linesOf(fixOf(seen, 'leak-version'))['haproxy']).toEqual([
    'http-after-response del-header X-AspNet-Version',
    'http-after-response del-header X-Generator',
    'http-after-response del-header X-Powered-By',
  ]);
});

test('what names itself has its lines first, and a service in front says where it is set there', () => {
  const first = (...headers: readonly HeaderLine[]) =>
    Object.keys(fixOf(page(...headers), 'xcto-missing')?.snippets ?? {})[0];
  expect(first()).toBe('header');
  expect(first(['Server', 'Apache/2.4.1 (Debian)'])).toBe('apache');
  expect(first(['Server', 'Microsoft-IIS/10.0'])).toBe('iis');
  expect(first(['X-Powered-By', 'Express'])).toBe('express');
  expect(first(['Server', 'Apache-Coyote/1.1'])).toBe('header');
  const frontOf = (...headers: readonly HeaderLine[]) =>
    /(\S+(?: \S+)?) answers for this site/.exec(fixOf(page(...headers), 'xcto-missing')?.text ?? '')?.[1];
  expect(frontOf(['Server', 'GitHub.com'], ['X-Served-By', 'cache-fra-1'])).toBe('GitHub Pages');
  expect(frontOf(['Server', 'github.com'])).toBeUndefined();
  expect(frontOf(['X-Served-By', 'cache-fra-etou8220091-FRA'])).toMatch(/Fastly$/);
  expect(fixOf(page(['X-Amz-Cf-Id', 'x']), 'xcto-missing')?.text).toMatch(
    /Amazon CloudFront answers for this site: set it there in a response headers policy/,
  );
});

test('a cookie gets its attributes, and its value is not repeated', () => {
  const fix = fixOf(
    page(['Set-Cookie', 'sid=secret; Path=/; Secure; SameSite=Lax']),
    'cookie-session-no-httponly',
  );
  expect(linesOf(fix)).toEqual({
    header: ['Set-Cookie: sid=…; HttpOnly'],
    nginx: ['proxy_cookie_flags sid httponly;'],
    apache: [
      'Header onsuccess edit Set-Cookie "^(sid=.*)$" "$1; HttpOnly"',
      'Header always edit Set-Cookie "^(sid=.*)$" "$1; HttpOnly"',
    ],
    caddy: ['header {', '\tSet-Cookie "^(sid=.*)$" "$1; HttpOnly"', '\tdefer', '}'],
    haproxy: ["http-after-response replace-header Set-Cookie '^(sid=.*)$' '\\1; HttpOnly'"],
    express: ["response.cookie('sid', value, { ...options, httpOnly: true });"],
    php: ["setcookie('sid', $value, ['httponly' => true] + $options);"],
  });
});

test('the session cookie of PHP has settings of its own, first', () => {
  const fix = fixOf(page(['Set-Cookie', 'PHPSESSID=secret; Path=/']), 'cookie-session-no-httponly');
  expect(Object.entries(fix?.snippets ?? {})[0]).toEqual([
    'php',
    '; php.ini\nsession.cookie_secure = 1\nsession.cookie_httponly = 1\nsession.cookie_samesite = "Lax"',
  ]);
  expect(fix?.snippets?.['nginx']).toContain('# With proxy_pass.');
});

test('a redirect leads to the host that was asked', () => {
  const fix = fixOf(see({ http: chain([answer('http://a.test/', [html])]) }), 'http-not-upgraded');
  expect(linesOf(fix)['apache']).toContain('\tRedirect permanent / https://a.test/');
});

test('whoever was to be allowed to frame the page stays so', () => {
  const fix = fixOf(page(['X-Frame-Options', 'ALLOW-FROM https://partner.test/x']), 'xfo-allow-from');
  expect(fix?.snippets?.['header']).toBe(
    "Content-Security-Policy: frame-ancestors 'self' https://partner.test",
  );
});

test('a policy in a meta element is not mended by a header', () => {
  const fix = fixOf(
    see({
      elements: [
        {
          name: 'meta',
          parent: 'head',
          attributes: [
            ['name', 'referrer'],
            ['content', 'unsafe-url'],
          ],
        },
      ],
    }),
    'referrer-policy-unsafe',
  );
  expect(fix).toBeDefined();
  expect(fix?.snippets).toBeUndefined();
});

test('a cookie for other sites is not kept from them by a fix for something else', () => {
  const fix = fixOf(page(['Set-Cookie', 'sid=1; Secure; SameSite=None']), 'cookie-session-no-httponly');
  expect(JSON.stringify(fix)).not.toMatch(/lax|strict/i);
});

test.for([
  ['csp-missing', page(), /^Content-Security-Policy-Report-Only: /],
  [
    'csp-script-unrestricted',
    page(['Content-Security-Policy', "img-src 'self'"]),
    /-Report-Only: script-src/,
  ],
  [
    'csp-form-action-missing',
    page(['Content-Security-Policy', "script-src 'self'"]),
    /-Report-Only: form-action/,
  ],
  [
    'integrity-policy-missing',
    see({ elements: [script({ src: 'https://cdn.test/a.js' })] }),
    /^Integrity-Policy-Report-Only: /,
  ],
] as const)('what could stop a page is tried out first: %s', ([code, evidence, header]) => {
  expect(fixOf(evidence, code)?.snippets?.['header']).toMatch(header);
});

test.for([
  ['hsts-missing', page(), 'includeSubDomains'],
  ['coop-missing', page(), 'Cross-Origin-Opener-Policy: same-origin;'],
  [
    'csp-base-uri-missing-with-hosts',
    page(['Content-Security-Policy', "script-src 'self'"]),
    "base-uri 'none'",
  ],
] as const)('a fix asks for no more than was looked at: %s', ([code, evidence, excess]) => {
  const snippets = fixOf(evidence, code)?.snippets;
  expect(snippets).toBeDefined();
  expect(`${snippets?.['header']};`).not.toContain(excess);
});

test.for([
  'csp-report-only',
  'permissions-policy-invalid',
  'permissions-policy-legacy-syntax',
  'coep-invalid',
] as const)('what somebody meant is not replaced by something else: %s', (code) => {
  const evidence = page(
    ['Content-Security-Policy-Report-Only', "script-src 'self'"],
    ['Permissions-Policy', code.endsWith('invalid') ? '=' : "geolocation 'self'"],
    ['Cross-Origin-Embedder-Policy', 'require_corp'],
  );
  expect(fixOf(evidence, code)).toBeDefined();
  expect(fixOf(evidence, code)?.snippets).toBeUndefined();
});

test('a header that a page needs is not taken out because of its value', () => {
  const fix = fixOf(page(['Link', '<http://10.0.0.1/>; rel=canonical']), 'leak-internal-host');
  expect(fix).toEqual({ text: 'Remove the header at the outermost proxy, or the host from its value.' });
});

test.for([
  ["sid';evil='1", 'quotes'],
  ['sid$1', 'dollars'],
  ['~sid', 'what nginx takes for an expression'],
  ['sid"a', 'double quotes'],
  [`sid${'x'.repeat(200)}`, 'two hundred letters'],
] as const)(
  'a cookie name of the target is not put into configuration lines when it has strange signs: %s',
  ([name]) => {
    const fix =
      fixOf(page(['Set-Cookie', `${name}=1`]), 'cookie-no-secure') ??
      fixOf(page(['Set-Cookie', `${name}=1`]), 'cookie-session-no-secure');
    expect(fix?.text).toBe('Add Secure.');
    expect(fix?.snippets).toBeUndefined();
  },
);

test('a header name of the target is not either', () => {
  const fix = fixOf(page(["X-Evil;'`", 'http://10.0.0.1/']), 'leak-internal-host');
  expect(fix).toEqual({ text: 'Remove the header at the outermost proxy, or the host from its value.' });
});

test('the lines that are recommended leave no more than the next step: to enforce, and to take subdomains in', () => {
  const lines = [
    'hsts-missing',
    'csp-missing',
    'xcto-missing',
    'referrer-policy-missing',
    'permissions-policy-missing',
    'coop-missing',
    'corp-missing',
  ] as const;
  const headers = lines.map((code) => {
    const [name = '', value = ''] = fixOf(page(), code)?.snippets?.['header']?.split(/: (.*)/s) ?? [];
    return [name, value] as const;
  });
  const { verdicts } = assessHeaders(see({ headers: [html, ...headers] }));
  const left = codesBroken(verdicts).filter((code) => rules[code].severity !== 'info');
  expect(left).toEqual(['hsts-no-subdomains', 'csp-report-only', 'framing-open']);
  expect(
    isMalformed(
      parsePermissionsPolicy(
        headers.flatMap(([name, value]) => (name === 'Permissions-Policy' ? [value] : [])),
      ),
    ),
  ).toBe(false);
});

test('a fix that names what was sent has it filled in', () => {
  expect(
    fixOf(
      baselineWith({ 'Content-Security-Policy': "script-src self; base-uri 'none'" }),
      'csp-keyword-unquoted',
    )?.text,
  ).toBe("Put it in single quotes: 'self'.");
});

test.for([
  ['max-age=47474747', 'hsts-no-subdomains', 'max-age=47474747; includeSubDomains'],
  ['max-age=300; includeSubDomains; preload', 'hsts-short', 'max-age=31536000; includeSubDomains; preload'],
  ['max-age=47474747; preload', 'hsts-preload-ineligible', 'max-age=47474747; includeSubDomains; preload'],
  ['max-age=0; includeSubDomains', 'hsts-off', 'max-age=31536000; includeSubDomains'],
] as const)('%s: the fix of %s begins with what was sent', ([sent, code, wanted]) => {
  expect(fixOf(page(['Strict-Transport-Security', sent]), code)?.snippets).toMatchObject({
    header: `Strict-Transport-Security: ${wanted}`,
  });
});
