import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseRefresh, type Refresh } from '../../../worker/web/refresh.ts';
import { million, readsPerCharacter } from '../redirect-check/count-reads.ts';

const to = (seconds: number, target: string): Refresh => ({ seconds, target });

const cases: readonly (readonly [text: string, expected: Refresh | undefined, why: string])[] = [
  // HTML Standard, refresh pragma: its own two examples.
  ['300', to(300, ''), 'the page itself, every five minutes'],
  ['20; URL=page4.html', to(20, 'page4.html'), 'a slide show'],
  ['0;https://a.test/', to(0, 'https://a.test/'), 'the prefix may be left out'],
  ['0;url=https://a.test/', to(0, 'https://a.test/'), 'the usual form'],
  ['0, url=/b', to(0, '/b'), 'a comma does as well'],
  ['0 url=/b', to(0, '/b'), 'so does a blank'],
  ['0 ; /b', to(0, '/b'), 'blanks before the mark'],
  [' \t\n\f\r5;/b', to(5, '/b'), 'blanks before the time'],
  ['5;\n url \t= \f/b', to(5, '/b'), 'blanks around the equals sign'],
  ['0;UrL=/b', to(0, '/b'), 'any letter case'],
  ["0;url='/b'", to(0, '/b'), 'single quotes'],
  ['0;url="/b" x', to(0, '/b'), 'what follows the closing quote is dropped'],
  ['0;url="/b', to(0, '/b'), 'a quote that is never closed'],
  ["0;'/b'", to(0, '/b'), 'quotes without the prefix'],
  ['0;url="/b\'', to(0, "/b'"), 'only the same quote closes'],
  ['0;url=""', to(0, ''), 'empty quotes are the page itself'],
  ['0;url=', to(0, ''), 'so is nothing'],
  ['0;', to(0, ''), 'and a mark alone'],
  ['0 ', to(0, ''), 'and a blank alone'],
  ['0;url', to(0, 'url'), 'url without an equals sign is a path'],
  ['0;urlx=/b', to(0, 'urlx=/b'), 'and so is a longer word'],
  ['0;ur', to(0, 'ur'), 'and a shorter one'],
  ['0;url "/b"', to(0, 'url "/b"'), 'without the equals sign quotes mean nothing'],
  ['0;;/b', to(0, ';/b'), 'the second mark belongs to the address'],
  ['0.9;/b', to(0, '/b'), 'a fraction is dropped'],
  ['.5;/b', to(0, '/b'), 'a fraction alone is zero'],
  ['.', to(0, ''), 'even a dot alone'],
  ['1.2.3;/b', to(1, '/b'), 'any digits and dots'],
  ['007;/b', to(7, '/b'), 'zeros in front'],
  [`${'9'.repeat(400)};/b`, to(1_000_000, '/b'), 'more seconds than a number holds'],
  ['0;/é\u00a0', to(0, '/é\u00a0'), 'a no-break space is not a blank'],
  ['', undefined, 'nothing'],
  ['   ', undefined, 'blanks'],
  ['/b', undefined, 'no time'],
  [';/b', undefined, 'no time before the mark'],
  ['url=/b', undefined, 'no time before the prefix'],
  ['-1;/b', undefined, 'a sign'],
  ['+1;/b', undefined, 'another sign'],
  ['5x;/b', undefined, 'a letter after the time'],
  ['5\u00a0;/b', undefined, 'a no-break space after the time'],
  ['\u0660;/b', undefined, 'a digit that is not ASCII'],
];

test.for(cases)('%j gives %j: %s', ([text, expected]) => {
  expect(parseRefresh(text)).toEqual(expected);
});

test('what is printed is parsed again', () => {
  const target = fc.webUrl({ withFragments: true, withQueryParameters: true });
  const quote = fc.constantFrom('', '"');
  fc.assert(
    fc.property(fc.nat(1_000_000), target, quote, (seconds, url, mark) => {
      expect(parseRefresh(`${seconds}; url=${mark}${url}${mark}`)).toEqual({ seconds, target: url });
    }),
  );
});

test('no text makes it throw, and seconds are a number that JSON has', () => {
  const grammar = fc.string({ unit: fc.constantFrom(...'0159.;, \t\'"=urlURLx/'.split('')) });
  fc.assert(
    fc.property(fc.oneof(grammar, fc.string({ unit: 'binary' })), (text) => {
      const seconds = parseRefresh(text)?.seconds ?? 0;
      expect(seconds).toBeGreaterThanOrEqual(0);
      expect(seconds).toBeLessThanOrEqual(1_000_000);
    }),
  );
});

test.for([' ', '0', '.', '0;', '0;url=', "0;url='", '0;url '])(
  'a million characters begun by %j are read at most three times',
  (start) => {
    expect(readsPerCharacter(parseRefresh, start + million(start.at(-1) ?? ''))).toBeLessThan(3);
  },
);
