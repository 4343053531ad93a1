import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withoutFragment } from '#shared/targets/without-fragment';
import { decodeLocation, inheritFragment, resolveLocation } from '../../../worker/web/location.ts';

const bytes = (...values: number[]) => String.fromCharCode(...values);

const texts: readonly (readonly [name: string, value: string, text: string, isUtf8: boolean])[] = [
  ['ASCII stays as it is', '/b?c#d', '/b?c#d', true],
  ['UTF-8 is read as such', `/${bytes(0xc3, 0xa9)}`, '/é', true],
  ['four bytes are one character', bytes(0xf0, 0x9f, 0x98, 0x80), '😀', true],
  ['a byte order mark is kept', bytes(0xef, 0xbb, 0xbf, 0x2f), '\ufeff/', true],
  ['latin1 is percent-encoded byte by byte', `/${bytes(0xe9)}`, '/%E9', false],
  ['bytes ff fe 80 are too', `/${bytes(0xff, 0xfe, 0x80)}`, '/%FF%FE%80', false],
  ['one bad byte spoils the rest', bytes(0xc3, 0xa9, 0xff), '%C3%A9%FF', false],
  ['an overlong slash is no slash', bytes(0xc0, 0xaf), '%C0%AF', false],
  ['half of a surrogate pair is no character', bytes(0xed, 0xa0, 0x80), '%ED%A0%80', false],
  ['nothing is nothing', '', '', true],
];

test.for(texts)('decode: %s', ([, value, text, isUtf8]) => {
  expect(decodeLocation(value)).toEqual({ text, isUtf8 });
});

const latin1 = fc.string({ unit: fc.nat(255).map((code) => String.fromCharCode(code)) });

test('decode: what was UTF-8 can be sent again, all else is ASCII', () => {
  fc.assert(
    fc.property(latin1, (value) => {
      const { text, isUtf8 } = decodeLocation(value);
      expect(isUtf8 ? Buffer.from(text).toString('latin1') : /^[\0-\x7f]*$/.test(text)).toBe(
        isUtf8 ? value : true,
      );
    }),
  );
});

// RFC 3986 §5.4, where the WHATWG URL gives the same for http.
const rfc3986: readonly (readonly [reference: string, expected: string])[] = [
  ['g:h', 'g:h'],
  ['g', 'http://a/b/c/g'],
  ['./g', 'http://a/b/c/g'],
  ['g/', 'http://a/b/c/g/'],
  ['/g', 'http://a/g'],
  ['//g', 'http://g/'],
  ['?y', 'http://a/b/c/d;p?y'],
  ['g?y', 'http://a/b/c/g?y'],
  ['#s', 'http://a/b/c/d;p?q#s'],
  ['g#s', 'http://a/b/c/g#s'],
  ['g?y#s', 'http://a/b/c/g?y#s'],
  [';x', 'http://a/b/c/;x'],
  ['g;x', 'http://a/b/c/g;x'],
  ['g;x?y#s', 'http://a/b/c/g;x?y#s'],
  ['', 'http://a/b/c/d;p?q'],
  ['.', 'http://a/b/c/'],
  ['./', 'http://a/b/c/'],
  ['..', 'http://a/b/'],
  ['../', 'http://a/b/'],
  ['../g', 'http://a/b/g'],
  ['../..', 'http://a/'],
  ['../../', 'http://a/'],
  ['../../g', 'http://a/g'],
  ['../../../g', 'http://a/g'],
  ['../../../../g', 'http://a/g'],
  ['/./g', 'http://a/g'],
  ['/../g', 'http://a/g'],
  ['g.', 'http://a/b/c/g.'],
  ['.g', 'http://a/b/c/.g'],
  ['g..', 'http://a/b/c/g..'],
  ['..g', 'http://a/b/c/..g'],
  ['./../g', 'http://a/b/g'],
  ['./g/.', 'http://a/b/c/g/'],
  ['g/./h', 'http://a/b/c/g/h'],
  ['g/../h', 'http://a/b/c/h'],
  ['g;x=1/./y', 'http://a/b/c/g;x=1/y'],
  ['g;x=1/../y', 'http://a/b/c/y'],
  ['g?y/./x', 'http://a/b/c/g?y/./x'],
  ['g?y/../x', 'http://a/b/c/g?y/../x'],
  ['g#s/./x', 'http://a/b/c/g#s/./x'],
  ['g#s/../x', 'http://a/b/c/g#s/../x'],
  ['http:g', 'http://a/b/c/g'], // §5.4.2 allows it "for backward compatibility"
];

test.for(rfc3986)('RFC 3986 §5.4: %j leads to %s', ([reference, expected]) => {
  expect(resolveLocation(reference, 'http://a/b/c/d;p?q')?.url.href).toBe(expected);
});

const resolutions: readonly (readonly [
  reference: string,
  href: string | undefined,
  hadCredentials?: boolean,
])[] = [
  ['HTTPS://B.test:443/x', 'https://b.test/x'],
  ['\\\\b.test\\x', 'https://b.test/x'],
  [' \thttps://b.test/ ', 'https://b.test/'],
  ['https://bücher.test/', 'https://xn--bcher-kva.test/'],
  ['/a b', 'https://a.test/a%20b'],
  ['http://0x7f.1/', 'http://127.0.0.1/'],
  ['https://u:p@b.test/', 'https://b.test/', true],
  ['https://u@b.test/', 'https://b.test/', true],
  ['https://@b.test/', 'https://b.test/'],
  ['/@u', 'https://a.test/@u'],
  ['ftp://u:p@b.test/', 'ftp://b.test/', true],
  ['app://u:p@b/c', 'app://b/c', true],
  ['javascript:alert(1)', 'javascript:alert(1)'],
  ['data:text/html,x', 'data:text/html,x'],
  ['mailto:u@b.test', 'mailto:u@b.test'],
  ['http://[b', undefined],
  ['http:///', undefined],
  ['http://b.test:99999/', undefined],
  ['http://a b/', undefined],
  ['https://', undefined],
];

test.for(resolutions)(
  'resolve: %j from https://a.test/ is %j',
  ([reference, href, hadCredentials = false]) => {
    const resolved = resolveLocation(reference, 'https://a.test/x');
    expect(resolved?.url.href).toBe(href);
    expect(resolved?.hadCredentials ?? false).toBe(hadCredentials);
  },
);

const fragments: readonly (readonly [to: string, base: string, expected: string])[] = [
  // RFC 9110 §10.2.2, both of its examples.
  [
    'http://www.example.org/People.html#tim',
    'http://www.example.org/~tim',
    'http://www.example.org/People.html#tim',
  ],
  [
    'http://www.example.net/index.html',
    'http://www.example.org/index.html#larry',
    'http://www.example.net/index.html#larry',
  ],
  ['https://a.test/b#own', 'https://a.test/#x', 'https://a.test/b#own'],
  ['https://a.test/b#', 'https://a.test/#x', 'https://a.test/b#'],
  ['https://a.test/b', 'https://a.test/', 'https://a.test/b'],
];

test.for(fragments)('fragment: %s reached from %s is %s', ([to, base, expected]) => {
  expect(inheritFragment(new URL(to), base).href).toBe(expected);
});

test.for([
  ['https://a.test/b#c#d', 'https://a.test/b'],
  ['https://a.test/b', 'https://a.test/b'],
])('without its fragment %s is %s', ([url = '', expected]) => {
  expect(withoutFragment(url)).toBe(expected);
});
