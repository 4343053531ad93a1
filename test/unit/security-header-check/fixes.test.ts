import { expect, test } from 'vitest';
import { type HeaderCode, rules } from '#shared/catalogue/security-header-check/rules';
import { codesBroken, isBroken, isMalformed } from '#shared/model/verdict';
import { assessHeaders } from '../../../worker/checks/security-header-check/assess.ts';
import type { HeaderEvidence } from '../../../worker/checks/security-header-check/evidence.ts';
import { parsePermissionsPolicy } from '../../../worker/checks/security-header-check/grammar/permissions-policy.ts';
import { baselineWith, html, page, script, see } from './observations.ts';

function fixOf(evidence: HeaderEvidence, code: HeaderCode) {
  const verdict = assessHeaders(evidence).verdicts[code];
  return isBroken(verdict) ? verdict.fix : undefined;
}

test('a missing header comes with the line for each server', () => {
  expect(fixOf(page(), 'xcto-missing')?.snippets).toEqual({
    header: 'X-Content-Type-Options: nosniff',
    nginx: 'add_header X-Content-Type-Options "nosniff" always;',
    apache: 'Header always set X-Content-Type-Options "nosniff"',
    express: 'response.set(\'X-Content-Type-Options\', "nosniff");',
  });
});

test('a policy comes beside the one that is there', () => {
  const fix = fixOf(page(['Content-Security-Policy', "script-src 'self'"]), 'csp-object-unrestricted');
  expect(fix?.snippets).toMatchObject({
    apache: 'Header always add Content-Security-Policy "object-src \'none\'"',
    express: "response.append('Content-Security-Policy', \"object-src 'none'\");",
  });
});

test('a header that tells too much is taken out', () => {
  expect(fixOf(page(['X-Powered-By', 'Express']), 'leak-product')?.snippets).toEqual({
    nginx: 'proxy_hide_header X-Powered-By;',
    apache: 'Header always unset X-Powered-By',
    express: "app.disable('x-powered-by');",
  });
});

test('a cookie gets its attributes, and its value is not repeated', () => {
  const fix = fixOf(page(['Set-Cookie', 'sid=secret; Path=/; Secure']), 'cookie-session-no-httponly');
  expect(fix?.snippets).toEqual({
    header: 'Set-Cookie: sid=…; HttpOnly',
    nginx: 'proxy_cookie_flags sid httponly;',
    apache: 'Header always edit Set-Cookie "^(sid=.*)$" "$1; HttpOnly"',
    express: "response.cookie('sid', value, { ...options, httpOnly: true });",
  });
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
  ['csp-base-uri-missing-with-hosts', page(['Content-Security-Policy', "script-src 'self'"]), "'none'"],
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
