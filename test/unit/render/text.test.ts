import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fileNameOf } from '#shared/render/formats';
import { cut, jsonText, linkTo, textOf, visible, visibleLines } from '#shared/render/visible-text';
import { zoneLine } from '#shared/render/zone';
import { reportOf } from './reports.ts';

test.for([
  { name: 'plain text stays', text: 'Zürich – 日本語 ß', shown: 'Zürich – 日本語 ß' },
  { name: 'line ends become pictures', text: 'a\r\nb\tc', shown: 'a␍␊b␉c' },
  { name: 'NUL and escape become pictures', text: '\0\u001b[31m', shown: '␀␛[31m' },
  { name: 'delete becomes a picture', text: '\u007f', shown: '␡' },
  { name: 'C1 controls are named', text: '\u0085\u009b', shown: '⟨U+0085⟩⟨U+009B⟩' },
  { name: 'a reversed file name shows why', text: 'gpj\u202eexe', shown: 'gpj⟨U+202E⟩exe' },
  {
    name: 'isolates and marks are named',
    text: '\u2066a\u2069\u200f\u061c',
    shown: '⟨U+2066⟩a⟨U+2069⟩⟨U+200F⟩⟨U+061C⟩',
  },
  { name: 'a joiner inside a name is named', text: 'exa\u200dmple', shown: 'exa⟨U+200D⟩mple' },
  { name: 'line and paragraph separators are named', text: '\u2028\u2029', shown: '⟨U+2028⟩⟨U+2029⟩' },
  {
    name: 'half a surrogate pair is named, a whole one stays',
    text: '\ud83d\ude00\ud83d',
    shown: '😀⟨U+D83D⟩',
  },
  { name: 'a filler that looks like nothing is named', text: '\u3164', shown: '⟨U+3164⟩' },
  { name: 'tags that hide text are named', text: '\u{e0041}', shown: '⟨U+E0041⟩' },
  { name: 'a noncharacter is named', text: '\ufffe', shown: '⟨U+FFFE⟩' },
  { name: 'the variation selector of an emoji stays', text: '❤\ufe0f', shown: '❤\ufe0f' },
])('$name', ({ text, shown }) => {
  expect(visible(text)).toBe(shown);
});

test('a block keeps line feeds and tabs, and shows carriage returns', () => {
  expect(visibleLines('a\r\n\tb\u202e')).toBe('a␍\n\tb⟨U+202E⟩');
});

test.for([
  { name: 'a short text stays', text: 'abc', limit: 3, shown: 'abc' },
  { name: 'what is left out is counted', text: 'abcdef', limit: 4, shown: 'abcd… (2 more)' },
  { name: 'no character is halved', text: 'ab😀c', limit: 3, shown: 'ab… (3 more)' },
])('cut: $name', ({ text, limit, shown }) => {
  expect(cut(text, limit)).toBe(shown);
});

test('values that are no strings are shown as JSON, and absent ones as nothing', () => {
  expect([null, 3, true, ['a'], undefined, ''].map(textOf)).toEqual(['null', '3', 'true', '["a"]', '', '']);
});

test('what visible gives has nothing unseen left, and showing it again changes nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const shown = visible(text);
      expect(shown.isWellFormed()).toBe(true);
      expect(visible(shown)).toBe(shown);
      expect(/[\p{Cc}\p{Cf}]/u.test(shown)).toBe(false);
    }),
  );
});

test('JSON text hides nothing and is the same value', () => {
  expect(jsonText({ a: '\u202e\u0085\n' })).toBe('{"a":"\\u202e\\u0085\\n"}');
  fc.assert(
    fc.property(fc.json(), (json) => {
      const value: unknown = JSON.parse(json);
      expect(JSON.parse(jsonText(value, 2))).toEqual(value);
    }),
  );
});

test.for([
  { text: 'https://example.com/a?b=1&c=2#d', link: 'https://example.com/a?b=1&c=2#d' },
  { text: 'http://example.com', link: 'http://example.com/' },
  {
    text: 'https://example.com/a b"<>`{}|^\'()*[]',
    link: 'https://example.com/a%20b%22%3C%3E%60%7B%7D%7C%5E%27%28%29%2A%5B%5D',
  },
  { text: 'https://bücher.example/', link: 'https://xn--bcher-kva.example/' },
  { text: 'HTTPS://EXAMPLE.COM/', link: 'https://example.com/' },
])('$text may be a link', ({ text, link }) => {
  expect(linkTo(text)).toBe(link);
});

test.for([
  'javascript:alert(1)',
  ' JavaScript:alert(1)',
  'java\tscript:alert(1)',
  '\u0001javascript:alert(1)',
  'data:text/html,<p>',
  'vbscript:x',
  'file:///etc/passwd',
  'blob:https://a.test/1',
  'ftp://a.test/',
  '//a.test/',
  '/a',
  '',
  'https://',
  'https://user@a.test/',
  'https://:secret@a.test/',
  `https://a.test/${'a'.repeat(2000)}`,
])('%j is never a link', (text) => {
  expect(linkTo(text)).toBeUndefined();
});

test('a link is always http or https, and of characters that no format minds', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.webUrl({ withQueryParameters: true, withFragments: true }), fc.string({ unit: 'binary' })),
      (text) => {
        expect(linkTo(text) ?? 'https:').toMatch(/^https?:[\w!#$%&+,\-./:;=?@~]*$/);
      },
    ),
  );
});

test.for([
  {
    name: 'a TXT record is quoted and its name is absolute',
    record: { name: '_dmarc.example.com', type: 'TXT', value: 'v=DMARC1; p=reject' },
    line: '_dmarc.example.com. IN TXT "v=DMARC1; p=reject"',
  },
  {
    name: 'a name that is absolute stays',
    record: { name: 'example.com.', type: 'TXT', value: '' },
    line: 'example.com. IN TXT ""',
  },
  {
    name: 'quotes and backslashes are escaped',
    record: { name: 'a.test', type: 'TXT', value: 'a"b\\c' },
    line: 'a.test. IN TXT "a\\"b\\\\c"',
  },
  {
    name: 'other bytes are decimal (RFC 1035 §5.1)',
    record: { name: 'a.test', type: 'TXT', value: 'ü\n' },
    line: 'a.test. IN TXT "\\195\\188\\010"',
  },
  {
    name: 'other types keep their presentation form',
    record: { name: 'a.test', type: 'CAA', value: '0 issue "ca.example"' },
    line: 'a.test. IN CAA 0 issue "ca.example"',
  },
  {
    name: 'no value begins another line',
    record: { name: 'a.test', type: 'CNAME', value: 'b.test.\n@ IN A 192.0.2.1' },
    line: 'a.test. IN CNAME b.test.␊@ IN A 192.0.2.1',
  },
  {
    name: 'a name cannot end its field',
    record: { name: 'a b;"c"\n', type: 'TXT', value: 'x' },
    line: 'a\\032b\\059\\"c\\"\\010. IN TXT "x"',
  },
])('zone line: $name', ({ record, line }) => {
  expect(zoneLine(record)).toBe(line);
});

test('a long TXT value is cut into strings of 255 bytes, and reads back as it was', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 900 }), (value) => {
      const [, quoted = ''] = /^a\. IN TXT (.*)$/s.exec(zoneLine({ name: 'a', type: 'TXT', value })) ?? [];
      const strings = [...quoted.matchAll(/"((?:[^"\\]|\\\d{3}|\\.)*)"/g)].map(([, text = '']) =>
        unescapeZone(text),
      );
      expect(strings.every((bytes) => bytes.length <= 255)).toBe(true);
      expect(Buffer.concat(strings).toString()).toBe(value);
    }),
  );
});

function unescapeZone(text: string): Buffer {
  const bytes = [...text.matchAll(/\\(\d{3})|\\(.)|(.)/gs)].map(([, decimal, escaped, plain]) =>
    decimal === undefined ? (escaped ?? plain ?? '').charCodeAt(0) : Number(decimal),
  );
  return Buffer.from(bytes);
}

test.for([
  {
    name: 'a URL gives its host',
    url: 'https://www.example.com:8443/a?b',
    file: 'diag-www.example.com-redirect-check-2026-11-21.html',
  },
  { name: 'a name is itself', url: 'example.com', file: 'diag-example.com-redirect-check-2026-11-21.html' },
  {
    name: 'an address literal loses its colons',
    url: 'http://[2001:db8::1]/',
    file: 'diag-2001-db8-1-redirect-check-2026-11-21.html',
  },
  {
    name: 'hostile text leaves its letters',
    url: '../../"\r\nx: y\u202e',
    file: 'diag-x-y-redirect-check-2026-11-21.html',
  },
])('file name: $name', ({ url, file }) => {
  const report = {
    ...reportOf(String),
    check: 'redirect-check',
    target: { url },
    checkedAt: '2026-11-21T03:00:00.000Z',
  };
  expect(fileNameOf(report, 'html')).toBe(file);
});
