import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rules } from '#shared/catalogue/security-header-check/rules';
import { listVerdicts } from '#shared/model/finding';
import { assessHeaders } from '../../../worker/checks/security-header-check/assess.ts';
import { maskSetCookie } from '../../../worker/web/mask-cookie.ts';
import { answer, baselineWith, chain, page, redirect, see } from '../security-header-check/observations.ts';

test.for([
  ['sid=secret; Path=/; HttpOnly', 'sid=[6 octets]; Path=/; HttpOnly'],
  ['sid=; Max-Age=0', 'sid=; Max-Age=0'],
  ['sid="a;b"; Secure', 'sid=[2 octets]; [2 octets]; Secure'],
  ['secret', '[6 octets]'],
  ['=secret', '=[6 octets]'],
  ['a=b=c', 'a=[3 octets]'],
  ['a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT', 'a=[1 octets]; Expires=Wed, 21 Oct 2026 07:28:00 GMT'],
  ['a=1; Path=/, sid=secret; Secure', 'a=[1 octets]; Path=/, sid=[6 octets]; Secure'],
  ['a=1; HttpOnly,sid=secret; Secure', 'a=[1 octets]; HttpOnly,sid=[6 octets]; Secure'],
  ['a=1, sid=secret; Secure', 'a=[1 octets], sid=[6 octets]; Secure'],
  ['a=1; Path="/, sid=secret"', 'a=[1 octets]; Path=[15 octets]'],
  ['a=x, c2VjcmV0==; Secure', 'a=[13 octets]; Secure'],
  ['a=1; secret', 'a=[1 octets]; [7 octets]'],
  ['a=1; SAMESITE=lax;;', 'a=[1 octets]; SAMESITE=lax;;'],
  ['', ''],
] as const)('%j is shown as %j', ([line, shown]) => {
  expect(maskSetCookie(line)).toBe(shown);
});

const shownOf = (evidence: Parameters<typeof assessHeaders>[0]) => {
  const { fields, verdicts } = assessHeaders(evidence);
  return JSON.stringify({ fields, ...listVerdicts(rules, verdicts) }).toLowerCase();
};
const secret = 'S3CR3Tc0ffee0123456789abcdefS3CR3T';

test.for([
  `sid=${secret}`,
  `sid=${secret}; Path=/; Secure; HttpOnly; SameSite=Lax`,
  secret,
  `=${secret}`,
  `sid=\u0001${secret}`,
  `\u0001${secret}`,
  `sid=\u00e9${secret}`,
  `__Host-sid=${secret}; Domain=site.test`,
  `sid="x;${secret}"`,
  `a=1; Path=/, sid=${secret}`,
  `a=1; Domain=site.test, sid=${secret}`,
  `a=1; SameSite=Lax, sid=${secret}; Secure`,
  `a=1; ${secret}=1`,
  `sid=${secret.repeat(200)}`,
  `sid=${secret}; Max-Age=0`,
  `sid=${secret}; SameSite=None`,
])('no report shows the value of %j', (line) => {
  const hop = redirect('https://site.test/', 'https://www.site.test/', ['Set-Cookie', line]);
  const walked = chain([hop, answer('https://www.site.test/', [['Set-Cookie', line]])]);
  for (const evidence of [
    page(['Set-Cookie', line]),
    baselineWith({ 'Set-Cookie': [line, line], 'Cache-Control': 'public, max-age=60' }),
    see({ https: walked }),
    see({
      https: walked,
      http: chain([redirect('http://site.test/', 'https://site.test/', ['set-cookie', line])]),
    }),
  ])
    expect(shownOf(evidence)).not.toContain('s3cr3t');
});

test('no report shows a value, wherever the line is broken', () => {
  const pieces = fc.array(
    fc.constantFrom(
      '; ',
      ';',
      '=',
      ', ',
      'sid',
      'Path=',
      'Domain=',
      'SameSite=',
      'Expires=',
      '"',
      '\t',
      '\u0001',
      'é',
    ),
    { maxLength: 6 },
  );
  fc.assert(
    fc.property(pieces, pieces, (before, after) => {
      const line = `a=1${before.join('')}=${secret}${after.join('')}`;
      expect(shownOf(page(['Set-Cookie', line]))).not.toContain('s3cr3t');
    }),
    { numRuns: 300 },
  );
});

test('name, attributes and length stay', () => {
  const { fields } = assessHeaders(page(['Set-Cookie', 'sid=secret; Path=/app; Secure']));
  expect(fields).toMatchObject({
    hops: [
      { headers: [expect.anything(), ['Set-Cookie', 'sid=[6 octets]; Path=/app; Secure']] },
      expect.anything(),
    ],
    cookies: [{ name: 'sid', valueOctets: 6, path: '/app', secure: true }],
  });
});
