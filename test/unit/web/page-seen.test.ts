import { expect, test } from 'vitest';
import type { HeaderLine } from '../../../worker/web/fields.ts';
import { readUnseen } from '../../../worker/web/page-seen.ts';

const typed = (type: string): readonly HeaderLine[] => [['Content-Type', type]];
const html = typed('text/html');
const kindOf = (status: number, headers = html, start = 'https://a.test/') =>
  readUnseen({ url: start, status, headers, bodySigns: [] }, start)?.kind;

test.for([
  [200, undefined],
  [203, undefined],
  [302, undefined],
  [204, 'no-document'],
  [205, 'no-document'],
  [400, 'error-status'],
  [403, 'blocked'],
  [404, 'error-status'],
  [410, 'error-status'],
  [418, 'blocked'],
  [440, 'blocked'],
  [500, 'error-status'],
  [501, 'error-status'],
  [502, 'error-status'],
  [503, 'blocked'],
  [999, 'blocked'],
] as const)('%d: %s', ([status, kind]) => {
  expect(kindOf(status)).toBe(kind);
});

test.for([
  ['text/html', undefined],
  ['application/xhtml+xml', undefined],
  ['image/svg+xml', undefined],
  ['text/plain', 'no-document'],
  ['application/json', 'no-document'],
  ['application/pdf', 'no-document'],
] as const)('a front page of type %s', ([type, kind]) => {
  expect(kindOf(200, typed(type))).toBe(kind);
});

test('a type that is missing is guessed at, and may be a page', () => {
  expect(kindOf(200, [])).toBeUndefined();
});

test('what is no page at an address with a path or a query is what was asked for', () => {
  expect(kindOf(200, typed('application/json'), 'https://a.test/v1/list')).toBeUndefined();
  expect(kindOf(200, typed('text/plain'), 'https://a.test/?format=text')).toBeUndefined();
});

test('a chain without an end shows no page', () => {
  expect(readUnseen(undefined, 'https://a.test/')?.kind).toBe('unfinished');
});
