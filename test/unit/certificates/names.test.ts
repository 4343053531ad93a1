import { expect, test } from 'vitest';
import { isNamedBy } from '../../../worker/certificates/names.ts';

test.for([
  // RFC 9525 §6.3: the whole first label, for exactly one label.
  ['foo.example.com', ['*.example.com'], true],
  ['bar.foo.example.com', ['*.example.com'], false],
  ['example.com', ['*.example.com'], false],
  ['bar.example.net', ['bar.*.net'], false],
  ['bar.example.net', ['b*.example.net'], false],
  ['baz.example.net', ['*z.example.net'], false],
  ['foo.bar.example.net', ['*.*.example.net'], false],
  ['example.net', ['*'], false],
  // RFC 9525 §6.2: without regard to case.
  ['www.example.com', ['WWW.Example.COM'], true],
  ['www.example.com', ['*.EXAMPLE.com'], true],
  // RFC 9525 §6.3: A-labels are compared as they are, and a wildcard stands for one.
  ['xn--caf-dma.example.net', ['xn--caf-dma.example.net'], true],
  ['xn--caf-dma.example.net', ['*.example.net'], true],
  ['xn--caf-dma.example.net', ['xn--*.example.net'], false],
  // Labels that no host name has are names all the same.
  ['my_site.bar.test', ['*.bar.test'], true],
  ['my_site.bar.test', ['my_site.bar.test'], true],
  ['-a.bar.test', ['*.bar.test'], true],
  // Public suffixes.
  ['a.co.uk', ['*.co.uk'], false],
  ['a.com', ['*.com'], false],
  ['a.test', ['*.test'], false],
  ['a.github.io', ['*.github.io'], true],
  // What breaks the grammar of a name names nothing.
  ['a.bar.test', ['.bar.test'], false],
  ['a.bar.test', ['a..bar.test'], false],
  ['a.bar.test', ['a.bar.test.'], false],
  ['a.bar.test', ['*..bar.test'], false],
  ['a.bar.test', [' a.bar.test'], false],
  ['a.bar.test', ['a.bar.test\0.evil.test'], false],
  ['a.bar.test', [''], false],
  ['a.bar.test', [], false],
  ['a.bar.test', ['b.bar.test', '*.bar.test'], true],
] as const)('%s by %j: %s', ([host, names, isNamed]) => {
  expect(isNamedBy(host, names)).toBe(isNamed);
});
