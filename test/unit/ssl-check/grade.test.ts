import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { caps, leastOf, placeOf } from '#shared/catalogue/ssl-check/grade/caps';
import { attributeScore, type RatedFacts, rateSsl, scoreOf } from '#shared/catalogue/ssl-check/grade/grade';
import { sslLabsLetters, sslReportShape } from '#shared/catalogue/ssl-check/report';
import { rules, type SslCode } from '#shared/catalogue/ssl-check/rules';
import { sslCheck } from '#shared/catalogue/ssl-check/spec';
import { lifetimeDays } from '#shared/model/lifetime';
import { lifetimeLimitDays } from '#shared/model/lifetime';
import { gradeOf } from '#shared/model/score';
import { codesOf } from '#shared/model/verdict';
import { assessSsl } from '../../../worker/checks/ssl-check/assess.ts';
import { readMaxAge } from '../../../worker/web/hsts.ts';
import { evidenceOf } from './evidence-of.ts';

const modern: RatedFacts = {
  versions: ['TLSv1.2', 'TLSv1.3'],
  keys: [{ type: 'curve', bits: 256 }],
  cipherBits: [128, 256],
};

// The four servers that research measured with testssl.sh, and the tables' own corners.
test.for([
  { name: 'a good modern server', facts: modern, broken: [], score: 96, letter: 'A+' },
  { name: 'with an incomplete chain', facts: modern, broken: ['chain-incomplete'], score: 96, letter: 'B' },
  {
    name: 'with TLS 1.0 to 1.3',
    facts: {
      ...modern,
      keys: [{ type: 'modulus', bits: 2048 }],
      versions: ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'],
    },
    broken: ['tls10-offered', 'tls11-offered'],
    score: 91,
    letter: 'B',
  },
  { name: 'for another host', facts: modern, broken: ['certificate-name-mismatch'], score: 96, letter: 'M' },
  {
    name: 'with RSA 2048',
    facts: { ...modern, keys: [{ type: 'modulus', bits: 2048 }] },
    broken: [],
    score: 93,
    letter: 'A+',
  },
  {
    name: 'with AES-256 only',
    facts: { ...modern, cipherBits: [256] },
    broken: [],
    score: 100,
    letter: 'A+',
  },
  {
    name: 'without encryption',
    facts: { ...modern, cipherBits: [0] },
    broken: ['suite-null-offered'],
    score: 0,
    letter: 'F',
  },
  {
    name: 'SSL 2.0 alone',
    facts: { ...modern, versions: ['SSLv2'] },
    broken: ['sslv2-offered'],
    score: 0,
    letter: 'F',
  },
  {
    name: 'untrusted beats mismatch',
    facts: modern,
    broken: ['certificate-name-mismatch', 'certificate-expired'],
    score: 96,
    letter: 'T',
  },
  {
    name: 'a weak prime counts like a weak key',
    facts: { ...modern, keys: [...modern.keys, { type: 'modulus', bits: 1024 }] },
    broken: ['dh-parameters-small'],
    score: 90,
    letter: 'B',
  },
] as const)('SSL Labs 2009r: $name', ({ facts, broken, score, letter }) => {
  expect(rateSsl(facts, broken, true)).toMatchObject({ score, letter });
});

test('A+ is not given where something was not looked at', () => {
  expect(rateSsl(modern, [], false)?.letter).toBe('A');
});

test('without a version, a key or a suite there is no letter', () => {
  expect(rateSsl({ ...modern, versions: [] }, [], true)).toBeNull();
  expect(rateSsl({ ...modern, keys: [] }, [], true)).toBeNull();
  expect(rateSsl({ ...modern, cipherBits: [] }, [], true)).toBeNull();
});

const codes = codesOf(rules);
const someCodes = fc.subarray(codes);

test('mending anything never lowers the score', () => {
  fc.assert(
    fc.property(someCodes, fc.nat(), (broken, pick) => {
      const mended = broken.filter((_, index) => index !== pick % Math.max(1, broken.length));
      const scoreWith = (list: readonly SslCode[]) =>
        scoreOf(rateSsl(modern, list, true)?.ownLetter ?? 'F', list);
      expect(scoreWith(mended)).toBeGreaterThanOrEqual(scoreWith(broken));
    }),
    { numRuns: 1000 },
  );
});

test('effects are never gains, and add up to what is lost', () => {
  fc.assert(
    fc.property(someCodes, (broken) => {
      const effects = Object.values(attributeScore('A+', broken));
      const score = scoreOf(rateSsl(modern, broken, true)?.ownLetter ?? 'F', broken);
      expect(effects.every((effect) => effect <= 0)).toBe(true);
      expect(100 + effects.reduce((sum, effect) => sum + effect, 0)).toBe(score);
    }),
  );
});

test('points of a rule that caps the letter lead to its place', () => {
  const capped = codes.filter((code) => caps[code] !== undefined);
  const wrong = capped.filter((code) => rules[code].points !== 100 - placeOf(caps[code] ?? 'A+'));
  expect(wrong).toEqual([]);
});

test.for(sslLabsLetters)('%s of the guide is the same grade of ours, whatever else is found', (letter) => {
  // A- has no place of its own on our scale, E is F, and what browsers refuse is F.
  const ours = { 'A+': 'A', 'A-': 'A', E: 'F', M: 'F', T: 'F' }[letter as string] ?? letter;
  expect(gradeOf(placeOf(letter), true)).toBe(ours);
  expect(gradeOf(leastOf(letter), true)).toBe(ours);
});

test('points of other rules stay inside a letter, and connection rules have none', () => {
  const others = codes.filter((code) => caps[code] === undefined);
  expect(others.filter((code) => rules[code].points > 6)).toEqual([]);
});

test.for([
  ['2018-02-28T23:59:59Z', 1187],
  ['2018-03-01T00:00:00Z', 825],
  ['2020-08-31T23:59:59Z', 825],
  ['2020-09-01T00:00:00Z', 398],
  ['2026-03-14T23:59:59Z', 398],
  ['2026-03-15T00:00:00Z', 200],
  ['2027-03-14T23:59:59Z', 200],
  ['2027-03-15T00:00:00Z', 100],
  ['2029-03-14T23:59:59Z', 100],
  ['2029-03-15T00:00:00Z', 47],
] as const)('a certificate issued at %s may last %i days', ([iso, days]) => {
  expect(lifetimeLimitDays(Date.parse(iso))).toBe(days);
});

test('the last second belongs to the life', () => {
  const validity = {
    notBefore: Date.parse('2026-01-01T00:00:00Z'),
    notAfter: Date.parse('2026-01-01T23:59:59Z'),
  };
  expect(lifetimeDays(validity)).toBe(1);
});

test.for([
  ['max-age=31536000', 31_536_000],
  ['max-age="31536000"; includeSubDomains', 31_536_000],
  ['includeSubDomains; MAX-AGE = 5 ; preload', 5],
  ['max-age=0', 0],
  ['', null],
  ['max-age', null],
  ['max-age=-1', null],
  ['max-age=1; max-age=2', null],
  ['max-age=abc', null],
  ['max-age="300', null],
  ['max-age=300"', null],
  ['max-ages=1; max-age=5', 5],
  ['x="max-age=0; max-age=1"; max-age=5', 5],
  ['max-age=5; includeSubDomains; includesubdomains', null],
  ['max-age=5;; preload;', 5],
  ['max age=5; max-age=5', null],
] as const)('the max-age of %j is %s', ([value, seconds]) => {
  expect(readMaxAge(value)).toBe(seconds);
});

test('the fields of an assessment have the shape that is promised', () => {
  const { fields } = assessSsl(evidenceOf());
  const { target: _target, ...shape } = sslReportShape;
  expect(z.strictObject(shape).safeParse(fields).error).toBeUndefined();
});

test.for([
  ['443', true],
  ['8443', true],
  ['0', false],
  ['', false],
  ['https', false],
  ['4430000', false],
] as const)('the port %j is read: %s', ([port, isGood]) => {
  expect(sslCheck.options.safeParse({ port }).success).toBe(isGood);
});

test('the port is 443 unless another is named', () => {
  expect(sslCheck.options.parse({})).toEqual({ port: '443' });
});
