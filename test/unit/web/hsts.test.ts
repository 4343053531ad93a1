import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isMalformed } from '#shared/model/verdict';
import { type Hsts, parseHsts } from '../../../worker/web/hsts.ts';

const kept = (maxAgeS: number, includeSubDomains = false, preload = false): Hsts => ({
  maxAgeS,
  includeSubDomains,
  preload,
});
const read = (text: string): Hsts | undefined => {
  const parsed = parseHsts(text);
  return isMalformed(parsed) ? undefined : parsed;
};

const cases: readonly (readonly [text: string, expected: Hsts | undefined, why: string])[] = [
  // RFC 6797 §6.2.
  ['max-age=31536000', kept(31_536_000), 'a year'],
  ['max-age=15768000 ; includeSubDomains', kept(15_768_000, true), 'half a year, with all hosts below'],
  ['max-age="31536000"', kept(31_536_000), 'a quoted string'],
  ['max-age=0', kept(0), 'taken back'],
  ['max-age=0; includeSubDomains', kept(0, true), 'taken back for all'],
  [
    'includeSubDomains; MAX-AGE = 1 ;; preload',
    kept(1, true, true),
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
  ['max-age=1; includeSubDomains=1', undefined, 'a value where there is none'],
  ['max-age=1; b c=2', undefined, 'a name that is not a token'],
  ['max-age=1; a=b c', undefined, 'a value that is neither token nor quoted string'],
  ['max-age=1; a="b;c"', kept(1), 'a semicolon in a quoted string'],
  ['max-age="\\1"', kept(1), 'an escape in a quoted string'],
  ['max-age=1; __proto__=x; constructor', kept(1), 'names that an object would have'],
  [`max-age=${'9'.repeat(400)}`, kept(Number.MAX_SAFE_INTEGER), 'more seconds than a number holds'],
];

test.for(cases)('%j gives %j: %s', ([text, expected]) => {
  expect(read(text)).toEqual(expected);
});

test('no text makes it throw', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'max-age=0;" ,'.split('')) }), (text) => {
      expect(read(text)?.maxAgeS ?? 0).toBeGreaterThanOrEqual(0);
    }),
  );
});
