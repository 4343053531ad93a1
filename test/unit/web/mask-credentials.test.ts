import fc from 'fast-check';
import { expect, test } from 'vitest';
import { resolveLocation } from '../../../worker/web/location.ts';
import { maskHeaders, maskLocation, maskUrls } from '../../../worker/web/mask-credentials.ts';

const masks: readonly (readonly [location: string, shown: string])[] = [
  ['https://u:p@b.test/x?y', 'https://***@b.test/x?y'],
  ['//u:p@b.test/', 'https://***@b.test/'],
  ['https:/\\u:p@b.test/', 'https://***@b.test/'],
  ['https:u:p@b.test', 'https:u:p@b.test'], // a path of the same site: no credentials to a browser
  ['http:u:p@b.test', 'http://***@b.test/'],
  ['ht\ttps://u:p@b.test/', 'https://***@b.test/'],
  ['https://u:p@q@b.test/', 'https://***@b.test/'],
  ['app://u:p@b/c', 'app://***@b/c'],
  ['https://u:p@[b', '***@[b'],
  ['https://b.test/@u', 'https://b.test/@u'],
  ['/x y?@', '/x y?@'],
  ['', ''],
];

test.for(masks)('mask: %j is shown as %j', ([location, shown]) => {
  expect(maskLocation(location, 'https://a.test/x/')).toBe(shown);
});

test('mask: a password is never shown, however the address is spelled', () => {
  const scheme = fc.constantFrom('https:', 'HTTP:', 'http:', 'ftp:', 'app:', '', '\thttps:');
  const slashes = fc.constantFrom('//', '/\\', '\\\\', '///', '/');
  const tail = fc.constantFrom('b.test', 'b.test/@x', '[b', 'b.test:99999', '');
  fc.assert(
    fc.property(scheme, slashes, tail, (start, marks, end) => {
      const location = `${start}${marks}user:secret@${end}`;
      const base = 'https://a.test/';
      fc.pre(!resolveLocation(location, base)?.url.pathname.includes('secret')); // a path is no password
      expect(maskLocation(location, base)).not.toContain('secret');
    }),
  );
});

test('mask and resolve: no text makes them throw', () => {
  const grammar = fc.string({ unit: fc.constantFrom(...'htps:/\\@u.[]?#% \t'.split('')) });
  fc.assert(
    fc.property(fc.oneof(grammar, fc.string({ unit: 'binary' })), (location) => {
      expect(maskLocation(location, 'https://a.test/')).toBeTypeOf('string');
      const { username, password } =
        resolveLocation(location, 'https://a.test/')?.url ?? new URL('https://a.test/');
      expect([username, password]).toEqual(['', '']);
    }),
  );
});

// Where a URL stands inside another text: a query, a Refresh field, a meta element, a Link field, a policy.
const texts: readonly (readonly [text: string, shown: string])[] = [
  ['/?next=https://u:p@b.test/', '/?next=https://***@b.test/'],
  ['/?next=//u:p@b.test/&x=a@b', '/?next=//***@b.test/&x=a@b'],
  ['/?next=https%3A%2F%2Fu%3Ap%40b.test%2F', '/?next=https%3A%2F%2F***%40b.test%2F'],
  ['/?next=https%253A%252F%252Fu%253Ap%2540b.test', '/?next=https%253A%252F%252F***%2540b.test'],
  ['/?next=https://u%3Ap%40b.test', '/?next=https://***%40b.test'],
  ['/?next=https:\\\\u:p@b.test', '/?next=https:\\\\***@b.test'],
  ['0; url=https://u:p@b.test/', '0; url=https://***@b.test/'],
  ["0;URL='//u:p@b.test/'", "0;URL='//***@b.test/'"],
  ['<https://u:p@b.test/>; rel=canonical', '<https://***@b.test/>; rel=canonical'],
  ['https://u:p%2Fx@b.test', 'https://***@b.test'],
  ['https://a.test/ https://u@b.test https://c.test', 'https://a.test/ https://***@b.test https://c.test'],
  ['/a//b@c', '/a//b@c'],
  ['me@site.test', 'me@site.test'],
  ['https://a.test/@u', 'https://a.test/@u'],
  ['https://@b.test', 'https://@b.test'],
];

test.for(texts)('mask: %j in a text is shown as %j', ([text, shown]) => {
  expect(maskUrls(text)).toBe(shown);
});

test.for([
  ['an at sign at every place', '@'.repeat(65_536)],
  ['a URL without an end', `https://${'u@'.repeat(32_768)}`],
  ['thousands of URLs', 'https://u@'.repeat(6500)],
  ['percent signs', `@${'%25'.repeat(21_000)}`],
  ['slashes', `=@${'/'.repeat(65_536)}`],
  ['spaces behind an equals sign', `@${'= '.repeat(32_000)}`],
] as const)('mask: 64 KiB of %s cost less than 100 ms of work', ([, text]) => {
  const before = process.threadCpuUsage();
  maskUrls(text);
  expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(100);
});

test('the lines of an answer are kept without anybody’s secret', () => {
  const headers = [
    ['Location', 'https:\\\\u:secret@b.test/'],
    ['Refresh', '0; url=https://u:secret@b.test/'],
    ['Link', '<//u:secret@b.test/>; rel=canonical'],
    ['Set-Cookie', 'sid=secret; Path=/'],
    ['X-Plain', 'a@b'],
  ] as const;
  const kept = maskHeaders(headers, 'https://a.test/');
  expect(JSON.stringify(kept)).not.toContain('secret');
  expect(kept.slice(3)).toEqual([
    ['Set-Cookie', 'sid=[6 octets]; Path=/'],
    ['X-Plain', 'a@b'],
  ]);
});

test.for(['Proxy-Authenticate', 'Proxy-Connection', 'proxy-authorization', 'Authorization', 'COOKIE'])(
  'the value of %s is not kept',
  (name) => {
    expect(maskHeaders([[name, 'Basic dTpw']], 'https://a.test/')).toEqual([[name, '[10 octets]']]);
  },
);
