import { expect, test } from 'vitest';
import { openRouter, pathOf } from '../../api/listener/router.ts';

const router = openRouter();
for (const pattern of ['/', '/a', '/a/:id', '/a/:id/more', '/a/:id/:other', '/b/:file'])
  router.add(pattern, () => undefined);

test.for([
  ['/', '/', {}],
  ['/a', '/a', {}],
  ['/a/1', '/a/:id', { id: '1' }],
  ['/a/1/more', '/a/:id/more', { id: '1' }],
  ['/a/1/less', '/a/:id/:other', { id: '1', other: 'less' }],
  ['/b/%C3%BC%2Fx', '/b/:file', { file: 'ü/x' }],
  ['/b/__proto__', '/b/:file', { file: '__proto__' }],
] as const)('%s leads to %s', ([path, pattern, params]) => {
  expect(router.find(path)).toMatchObject({ pattern, params });
});

test.for(['', '/A', '/a/', '//a', '/a//more', '/a/1/2/3', '/b/', 'a', '*'])('%j leads nowhere', (path) => {
  expect(router.find(path)).toBeUndefined();
});

test('a segment that is not percent-encoded UTF-8 is a URIError', () => {
  expect(() => router.find('/b/%FF')).toThrow(URIError);
});

test.for([
  ['/a?b=/c', '/a'],
  ['/a', '/a'],
  ['/a#b', '/a'],
  ['http://a.test/b?c', '/b'],
  ['*', '*'],
] as const)('the path of %s is %s', ([address, path]) => {
  expect(pathOf(address)).toBe(path);
});
