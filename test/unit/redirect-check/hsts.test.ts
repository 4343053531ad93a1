import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Hsts, parseHsts } from '../../../worker/checks/redirect-check/hsts.ts';

const kept = (maxAgeS: number, includesSubdomains = false): Hsts => ({ maxAgeS, includesSubdomains });

const cases: readonly (readonly [text: string, expected: Hsts | undefined, why: string])[] = [
  // RFC 6797 §6.2.
  ['max-age=31536000', kept(31_536_000), 'a year'],
  ['max-age=15768000 ; includeSubDomains', kept(15_768_000, true), 'half a year, with all hosts below'],
  ['max-age="31536000"', kept(31_536_000), 'a quoted string'],
  ['max-age=0', kept(0), 'taken back'],
  ['max-age=0; includeSubDomains', kept(0, true), 'taken back for all'],
  [
    'includeSubDomains; MAX-AGE = 1 ;; preload',
    kept(1, true),
    'any order, any case, empty and unknown directives',
  ],
  ['', undefined, 'nothing'],
  ['includeSubDomains', undefined, 'max-age is required'],
  ['max-age', undefined, 'max-age without a value'],
  ['max-age=', undefined, 'an empty value'],
  ['max-age=-1', undefined, 'a sign'],
  ['max-age=1.5', undefined, 'a fraction'],
  ['max-age=1y', undefined, 'a unit'],
  ['max-age="1', undefined, 'a quote that is never closed'],
  ['max-age=1, max-age=2', undefined, 'two fields joined'],
  ['max-age=1; max-age=2', undefined, 'a directive twice (RFC 6797 §6.1)'],
  ['max-age=1; __proto__=x; constructor', kept(1), 'names that an object would have'],
  [`max-age=${'9'.repeat(400)}`, kept(Number.MAX_SAFE_INTEGER), 'more seconds than a number holds'],
];

test.for(cases)('%j gives %j: %s', ([text, expected]) => {
  expect(parseHsts(text)).toEqual(expected);
});

test('no text makes it throw', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'max-age=0;" ,'.split('')) }), (text) => {
      expect(parseHsts(text)?.maxAgeS ?? 0).toBeGreaterThanOrEqual(0);
    }),
  );
});
