import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  findCanonical,
  type Link,
  parseLinks,
} from '../../../worker/checks/redirect-check/gather/link-field.ts';
import { million, readsPerCharacter } from './count-reads.ts';

const link = (target: string, ...parameters: Link['parameters']): Link => ({ target, parameters });

const cases: readonly (readonly [name: string, text: string, expected: readonly Link[]])[] = [
  [
    'RFC 8288 §3.5, a previous chapter',
    '<http://example.com/TheBook/chapter2>; rel="previous"; title="previous chapter"',
    [link('http://example.com/TheBook/chapter2', ['rel', 'previous'], ['title', 'previous chapter'])],
  ],
  [
    'RFC 8288 §3.5, an extension relation',
    '</>; rel="http://example.net/foo"',
    [link('/', ['rel', 'http://example.net/foo'])],
  ],
  [
    'RFC 8288 §3.5, an anchor',
    '</terms>; rel="copyright"; anchor="#foo"',
    [link('/terms', ['rel', 'copyright'], ['anchor', '#foo'])],
  ],
  [
    'RFC 8288 §3.5, two links with encoded titles',
    `</TheBook/chapter2>; rel="previous"; title*=UTF-8'de'letztes%20Kapitel, </TheBook/chapter4>; rel="next"; title*=UTF-8'de'n%c3%a4chstes%20Kapitel`,
    [
      link('/TheBook/chapter2', ['rel', 'previous'], ['title*', "UTF-8'de'letztes%20Kapitel"]),
      link('/TheBook/chapter4', ['rel', 'next'], ['title*', "UTF-8'de'n%c3%a4chstes%20Kapitel"]),
    ],
  ],
  [
    'RFC 8288 §3.5, two relations',
    '<http://example.org/>; rel="start http://example.net/relation/other"',
    [link('http://example.org/', ['rel', 'start http://example.net/relation/other'])],
  ],
  [
    'RFC 8288 §3.5, one field for two links',
    '<https://example.org/>; rel="start", <https://example.org/index>; rel="index"',
    [link('https://example.org/', ['rel', 'start']), link('https://example.org/index', ['rel', 'index'])],
  ],
  ['a token instead of a quoted string', '</b>;rel=canonical', [link('/b', ['rel', 'canonical'])]],
  ['blanks in every place', ' \t</b> \t;\trel = "x" ; y', [link('/b', ['rel', 'x'], ['y', ''])]],
  ['a comma and a semicolon in quotes', '</b>; title="a,b;c"', [link('/b', ['title', 'a,b;c'])]],
  ['a quote that is escaped', '</b>; title="a\\"b\\\\"', [link('/b', ['title', 'a"b\\'])]],
  ['a quote that is never closed', '</b>; rel="canonical', [link('/b', ['rel', 'canonical'])]],
  ['a comma in the target', '</a,b>', [link('/a,b')]],
  [
    'names that an object would have',
    '</b>; __proto__=x; constructor=y',
    [link('/b', ['__proto__', 'x'], ['constructor', 'y'])],
  ],
  ['links before a fault', '</a>, </b> x, </c>', [link('/a'), link('/b')]],
  ['empty members', ',, </a>,,</b>,', [link('/a'), link('/b')]],
  ['a parameter without a name', '</a>;; =x; rel=y', [link('/a', ['rel', 'y'])]],
  ['a target that is never closed', '</a', []],
  ['no target', 'rel=canonical', []],
  ['nothing', '', []],
];

test.for(cases)('%s', ([, text, expected]) => {
  expect(parseLinks(text)).toEqual(expected);
});

const canonicals: readonly (readonly [name: string, values: readonly string[], expected: string | null])[] = [
  [
    'RFC 6596 §3',
    ['<http://www.example.com/page.php?item=purse>; rel="canonical"'],
    'http://www.example.com/page.php?item=purse',
  ],
  ['one of several relations, in any letter case', ['</b>; rel="next CANONICAL"'], '/b'],
  ['in the second field', ['</a>; rel=next', '</b>; rel=canonical'], '/b'],
  ['the first of two', ['</a>; rel=canonical, </b>; rel=canonical'], '/a'],
  ['a link about another page says nothing of this one', ['</a>; rel=canonical; anchor="/x"'], null],
  ['only the first rel counts (RFC 8288 §3.3)', ['</a>; rel=next; rel=canonical'], null],
  ['a word that only begins so', ['</a>; rel=canonicals'], null],
  ['a title that says so', ['</a>; title="rel=canonical"'], null],
  ['no field', [], null],
];

test.for(canonicals)('canonical: %s', ([, values, expected]) => {
  expect(findCanonical(values)).toBe(expected);
});

test('what is printed is parsed again', () => {
  const quoted = fc.string({ unit: 'binary-ascii' });
  const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,10}$/);
  const target = fc.webPath();
  const links = fc.array(fc.record({ target, parameters: fc.array(fc.tuple(name, quoted)) }));
  const print = ({ target: reference, parameters }: Link) =>
    [
      `<${reference}>`,
      ...parameters.map(([key, value]) => `${key}="${value.replace(/["\\]/g, '\\$&')}"`),
    ].join(';');
  fc.assert(
    fc.property(links, (wanted) => {
      expect(parseLinks(wanted.map(print).join(', '))).toEqual(wanted);
    }),
  );
});

test('no text makes it throw', () => {
  const grammar = fc.string({ unit: fc.constantFrom(...'<>;,="\\ \tarel/'.split('')), maxLength: 60 });
  fc.assert(
    fc.property(fc.oneof(grammar, fc.string({ unit: 'binary' })), (text) => {
      expect(parseLinks(text).length).toBeLessThanOrEqual(text.length);
    }),
  );
});

test.for(['<', '<>', '<>;', '<>;a="', '<>;a=\\', ';', '"', ',', '<a>;b=c,', ' ', '<>;  ='])(
  'a million characters of %j are read at most six times',
  (piece) => {
    expect(readsPerCharacter(parseLinks, million(piece))).toBeLessThan(6);
    expect(readsPerCharacter(parseLinks, `</>; rel="${million(piece)}`)).toBeLessThan(6);
  },
);
