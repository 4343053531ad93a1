import { expect, test } from 'vitest';
import type { HeaderCode } from '../../../shared/catalogue/security-header-check/rules.ts';
import { isBroken } from '../../../shared/model/verdict.ts';
import { assessHeaders } from '../../../worker/checks/security-header-check/assess.ts';
import type { HeaderEvidence } from '../../../worker/checks/security-header-check/evidence.ts';
import { isMalformed } from '../../../worker/checks/security-header-check/grammar/malformed.ts';
import { parsePermissionsPolicy } from '../../../worker/checks/security-header-check/grammar/permissions-policy.ts';
import { baselineWith, html, page, see } from './sights.ts';

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
  const fix = fixOf(page(['Content-Security-Policy', "script-src 'self'"]), 'csp-form-action-missing');
  expect(fix?.snippets).toMatchObject({
    apache: 'Header always add Content-Security-Policy "form-action \'self\'"',
    express: "response.append('Content-Security-Policy', \"form-action 'self'\");",
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
    header: 'Set-Cookie: sid=…; Path=/; Secure; HttpOnly; SameSite=Lax',
    nginx: 'proxy_cookie_flags sid secure httponly samesite=lax;',
    apache: 'Header always edit Set-Cookie "^(sid=.*)$" "$1; Secure; HttpOnly; SameSite=Lax"',
    express: "response.cookie('sid', value, { secure: true, httpOnly: true, sameSite: 'lax' });",
  });
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
  expect(fix).toEqual({ text: 'Take the header out at the outermost proxy.' });
});

test('the lines that are recommended find nothing worse than info', () => {
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
  const { score } = assessHeaders(see({ headers: [html, ...headers] }));
  expect(score).toBe(100);
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
