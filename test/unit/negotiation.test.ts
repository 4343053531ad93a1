import { expect, test } from 'vitest';
import { chooseCoding, takesJson } from '../../api/answer/representation.ts';

const codings: [string | undefined, ReturnType<typeof chooseCoding>][] = [
  [undefined, 'identity'],
  ['', 'identity'],
  ['gzip', 'gzip'],
  ['gzip, deflate, br, zstd', 'gzip'],
  ['gzip;q=1, zstd;q=0.1', 'gzip'],
  ['gzip;q=0.5, zstd;q=0.5', 'gzip'],
  ['gzip;q=0.5, zstd', 'zstd'],
  ['GZIP', 'gzip'],
  ['gzip ; q = 0', 'identity'],
  ['gzip;q=0, *', 'zstd'],
  ['*;q=0.1, identity', 'identity'],
  ['*', 'gzip'],
  ['*;q=0', 'identity'],
  ['identity;q=0', 'identity'],
  ['identity;q=1, gzip;q=0.5', 'identity'],
  ['br', 'identity'],
  ['gzip;q=0.000', 'identity'],
  ['gzipped', 'identity'],
  ['x-gzip', 'identity'],
];
test.for(codings)('Accept-Encoding %j gets %s', ([field, coding]) => {
  expect(chooseCoding(field, 2000)).toBe(coding);
});

test('a small body is sent as it is', () => {
  expect(chooseCoding('gzip', 1000)).toBe('identity');
});

const accepts: [string | undefined, boolean][] = [
  [undefined, true],
  ['', true],
  ['*/*', true],
  ['application/json', true],
  ['application/json; charset=utf-8', true],
  ['application/json, text/plain, */*', true],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', true],
  ['application/*', true],
  ['text/html', false],
  ['application/json;q=0', false],
  ['application/json;q=0, */*', false],
  ['*/*;q=0', false],
  ['application/vnd.api+json', false],
];
test.for(accepts)('Accept %j takes JSON: %s', ([field, takes]) => {
  expect(takesJson(field)).toBe(takes);
});

test('a thousand texts of other clients change no answer', () => {
  for (let index = 0; index < 1000; index += 1) chooseCoding(`br;q=0.${index}, gzip`, 2000);
  expect(chooseCoding('gzip;q=1, zstd;q=0.1', 2000)).toBe('gzip');
});
