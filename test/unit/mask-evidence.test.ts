import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json } from '#shared/model/verdict';
import { securityHeaderCheck } from '../../worker/checks/security-header-check/index.ts';
import { maskEvidence, mayHoldSecrets } from '../../worker/run/mask-evidence.ts';
import { runsOf } from '../kit/property-runs.ts';
import { page } from './security-header-check/observations.ts';
import { cookieRows } from './security-header-check/rows/cookies.ts';
import { leakageRows } from './security-header-check/rows/leakage.ts';
import { transportRows } from './security-header-check/rows/transport.ts';

const secret = 'f3a9c1d07be24856';
const cases: readonly { readonly name: string; readonly line: string; readonly masked: RegExp }[] = [
  {
    name: 'a value gives way, attributes stay',
    line: `sid=${secret}; Path=/; Secure`,
    masked: /^sid=[0-9a-f]{16}; Path=\/; Secure$/,
  },
  { name: 'a line without a name is all value', line: secret, masked: /^[0-9a-f]{16}$/ },
  {
    name: 'the rest of a value behind a semicolon gives way',
    line: `a=1;${secret}; HttpOnly`,
    masked: /^a=0;[0-9a-f]{16}; HttpOnly$/,
  },
  {
    name: 'a second cookie in an attribute gives way',
    line: `a=1; Path=/, sid=${secret}`,
    masked: /^a=0; Path=\/, sid=[0-9a-f]{16}$/,
  },
  {
    name: 'the front of a signed token stays, its parts stay divided',
    line: `t=eyJ${secret}.${secret}.${secret}`,
    masked: /^t=eyJ[^.]{16}\.[^.]{16}\.[^.]{16}$/,
  },
  { name: 'a prefix stays', line: `=__Secure-${secret}`, masked: /^=__Secure-.{16}$/ },
];

test.for(['Proxy-Authenticate', 'proxy-authorization', 'Authorization', 'Cookie', 'Authentication-Info'])(
  'the value of %s gives way',
  (name) => {
    const evidence = { headers: [[name, `Negotiate ${secret}`]] };
    expect(mayHoldSecrets(JSON.stringify(evidence))).toBe(true);
    const kept = JSON.stringify(maskEvidence(evidence));
    expect(kept).toContain(name);
    expect(kept).not.toContain(secret);
  },
);

test.for(cases)('$name', ({ line, masked }) => {
  const evidence = {
    hops: [
      {
        headers: [
          ['Set-Cookie', line],
          ['Via', secret],
        ],
      },
    ],
    setCookies: [line],
  };
  const kept = maskEvidence(evidence) as { hops: { headers: string[][] }[]; setCookies: string[] };
  const [[, shown = ''] = [], other] = kept.hops[0]?.headers ?? [];
  expect(shown).toMatch(masked);
  expect(shown).not.toContain(secret);
  expect(kept.setCookies).toEqual([shown]);
  expect(other).toEqual(['Via', secret]);
});

test('user information of an address gives way, however it is spelled', () => {
  const mask = (text: string) => maskEvidence([text]);
  expect(mask('https://user:pass@a.test/x@y')).toEqual(['https://***@a.test/x@y']);
  expect(mask('see HTTPS:\\\\u:p@a.test and ftp://b@c.test')).toEqual([
    'see HTTPS:\\\\***@a.test and ftp://***@c.test',
  ]);
  expect(mayHoldSecrets(JSON.stringify('HTTPS:\\\\u:p@a.test'))).toBe(true);
  expect(mayHoldSecrets(JSON.stringify(['https://a.test/', 'me@a.test', 'Via']))).toBe(false);
  expect(mask('mailto:me@a.test, https://a.test/?to=me@a.test')).toEqual([
    'mailto:me@a.test, https://a.test/?to=me@a.test',
  ]);
});

const judge = (evidence: Json) => securityHeaderCheck.assess(evidence);

test.for([...cookieRows, ...leakageRows, ...transportRows])(
  'judged from what is kept, the same: $name',
  ({ evidence }) => {
    const seen = evidence as unknown as Json;
    expect(judge(maskEvidence(seen))).toEqual(judge(seen));
  },
);

test('whatever the value, it is gone, and the cookie is judged the same', () => {
  const character = fc.constantFrom(
    ...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/_=.-% '.split(''),
  );
  const value = fc.oneof(
    fc.string({ unit: character, minLength: 8, maxLength: 80 }),
    fc.string({ unit: fc.constantFrom(...'0123456789abcdef'.split('')), minLength: 24, maxLength: 64 }),
    fc.uuid(),
  );
  fc.assert(
    fc.property(value, (text) => {
      const evidence = page(['Set-Cookie', `id=${text}; Path=/`]) as unknown as Json;
      const kept = maskEvidence(evidence);
      const runs = (text.match(/[a-z0-9]{8,}/gi) ?? []).filter((run) => new Set(run).size > 4);
      for (const run of runs) expect(JSON.stringify(kept)).not.toContain(run);
      expect(judge(kept)).toEqual(judge(evidence));
      expect(mayHoldSecrets(JSON.stringify(evidence))).toBe(true);
    }),
    { numRuns: runsOf(1000) },
  );
});

test('what stands for a value already stays, as its length is read again', () => {
  const lines = [
    'a=[32 octets]; Path=/',
    'b=[120 octets, a signed token]',
    'JSESSIONID=[26 octets, for scripts]',
  ];
  expect(lines.map((line) => maskEvidence(['Set-Cookie', line]))).toEqual(
    lines.map((line) => ['Set-Cookie', line]),
  );
});
