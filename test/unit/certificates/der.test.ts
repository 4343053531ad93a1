import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  derAt,
  derChildren,
  derIn,
  hasBit,
  parseDer,
  readObjectIdentifier,
  readSmallInteger,
  readTime,
} from '../../../worker/certificates/grammar/der.ts';
import { der, integer, objectIdentifier, sequence, text } from '../ssl-check/write-der.ts';

const bytes = (...values: number[]) => Uint8Array.from(values);

test.for([
  { name: 'a short length', source: bytes(0x04, 2, 1, 2, 9), content: [1, 2] },
  { name: 'no content', source: bytes(0x05, 0), content: [] },
  {
    name: 'a length of one digit',
    source: bytes(0x04, 0x81, 0x80, ...new Uint8Array(128).fill(7)),
    content: new Uint8Array(128).fill(7),
  },
])('reads a value with $name', ({ source, content }) => {
  expect(parseDer(source)).toMatchObject({ kind: 'der', content: Uint8Array.from(content) });
});

test.for([
  { name: 'nothing', source: [], at: 0 },
  { name: 'a tag alone', source: [0x30], at: 1 },
  { name: 'a tag number above 30', source: [0x1f, 0x81, 1, 0], at: 0 },
  { name: 'the indefinite length (X.690 §10.1)', source: [0x30, 0x80, 0, 0], at: 1 },
  { name: 'a long length where a short one does (X.690 §10.1)', source: [0x04, 0x81, 1, 7], at: 1 },
  { name: 'a length with a leading zero', source: [0x04, 0x82, 0, 1, 7], at: 1 },
  { name: 'a length of five digits', source: [0x04, 0x85, 1, 0, 0, 0, 0], at: 1 },
  { name: 'a length that is cut off', source: [0x04, 0x82, 1], at: 1 },
  { name: 'content that is cut off', source: [0x04, 3, 1, 2], at: 1 },
])('refuses $name', ({ source, at }) => {
  expect(parseDer(Uint8Array.from(source))).toMatchObject({ kind: 'malformed', at });
});

test('children that do not fill their parent are none', () => {
  expect(derChildren({ kind: 'der', tag: 0x30, content: bytes(2, 1, 5, 2), whole: bytes() })).toEqual([]);
});

test('a path leads down, or nowhere', () => {
  const node = derIn(sequence(integer(1), sequence(integer(2), integer(3))));
  expect(readSmallInteger(derAt(node, 1, 1))).toBe(3);
  expect(derAt(node, 1, 2)).toBeUndefined();
  expect(derAt(node, 0, 0)).toBeUndefined();
  expect(derAt(undefined, 0)).toBeUndefined();
});

test.for([
  ['X.690 §8.19.5', '2.999.3', [0x06, 3, 0x88, 0x37, 3]],
  [
    'sha256WithRSAEncryption',
    '1.2.840.113549.1.1.11',
    [0x06, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 0x0b],
  ],
] as const)('%s: %s', ([, dotted, source]) => {
  expect(readObjectIdentifier(derIn(Uint8Array.from(source)))).toBe(dotted);
});

test.for([
  { name: 'empty', source: [0x06, 0] },
  { name: 'cut off in an arc', source: [0x06, 3, 0x2a, 0x86, 0x48 | 0x80] },
  { name: 'with an arc longer than needed (X.690 §8.19.2)', source: [0x06, 3, 0x2a, 0x80, 0x01] },
  { name: 'of another tag', source: [0x05, 0] },
])('an object identifier that is $name is none', ({ source }) => {
  expect(readObjectIdentifier(derIn(Uint8Array.from(source)))).toBe('');
});

test('an object identifier that is written reads the same', () => {
  const arc = fc.nat(2 ** 40);
  const dotted = fc
    .tuple(fc.constantFrom(0, 1, 2), fc.nat(39), fc.array(arc, { maxLength: 8 }))
    .map(([first, second, rest]) => [first, second, ...rest].join('.'));
  fc.assert(
    fc.property(dotted, (value) => {
      expect(readObjectIdentifier(derIn(objectIdentifier(value)))).toBe(value);
    }),
  );
});

test.for([
  [0x17, '491231235959Z', '2049-12-31T23:59:59.000Z'],
  [0x17, '500101000000Z', '1950-01-01T00:00:00.000Z'],
  [0x18, '20261121034500Z', '2026-11-21T03:45:00.000Z'],
  [0x18, '20260230000000Z', null],
  [0x18, '20261121034500.5Z', null],
  [0x17, '2611210345Z', null],
  [0x17, '261121034500+0100', null],
  [0x04, '20261121034500Z', null],
] as const)('the time %i %s is %s', ([tag, value, iso]) => {
  const ms = readTime(derIn(text(tag, value)));
  expect(ms === null ? null : new Date(ms).toISOString()).toBe(iso);
});

test.for([
  [[0x02, 1, 0], 0],
  [[0x02, 3, 0, 0x80, 0], 32768],
  [[0x0a, 1, 6], 6],
  [[0x02, 1, 0x80], null],
  [[0x02, 0], null],
  [[0x02, 7, 1, 0, 0, 0, 0, 0, 0], null],
  [[0x04, 1, 1], null],
] as const)('the number %j is %s', ([source, number]) => {
  expect(readSmallInteger(derIn(Uint8Array.from(source)))).toBe(number);
});

test.for([
  [[0x03, 2, 1, 0x06], 6, true],
  [[0x03, 2, 1, 0x06], 5, true],
  [[0x03, 2, 1, 0x06], 4, false],
  [[0x03, 3, 7, 0, 0x80], 8, true],
  [[0x03, 2, 1, 0x06], 20, false],
  [[0x04, 2, 1, 0x06], 6, false],
] as const)('in %j bit %i is set: %s', ([source, index, isSet]) => {
  expect(hasBit(derIn(Uint8Array.from(source)), index)).toBe(isSet);
});

test('what is written reads back, whatever its size', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 0xfe }), fc.uint8Array({ maxLength: 700 }), (tag, content) => {
      fc.pre((tag & 0x1f) !== 0x1f);
      expect(parseDer(der(tag, content))).toMatchObject({ kind: 'der', tag, content });
    }),
  );
});

test('any bytes are read without throwing', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (source) => {
      const node = derIn(source);
      const reads = [readObjectIdentifier(node), readTime(node), readSmallInteger(node), derAt(node, 0, 0)];
      expect(reads).toHaveLength(4);
    }),
  );
});
