import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeFile } from '../../../../worker/checks/dns-check/mail/bimi/files.ts';
import {
  isSvg,
  judgeSvg,
  lineOf,
  sizeOfSvg,
  titleOf,
} from '../../../../worker/checks/dns-check/mail/bimi/logo.ts';
import {
  isIssuedBy,
  isNamed,
  logoOfMark,
  parsePem,
  readChain,
} from '../../../../worker/checks/dns-check/mail/bimi/mark.ts';
import { parseXml, type Xml } from '../../../../worker/checks/dns-check/mail/bimi/xml.ts';
import { countCpu } from '../../../kit/cpu-time.ts';
import { runsOf } from '../../../kit/property-runs.ts';
import { goodLogo, markOf } from './zone-literal.ts';

function read(text: string): Xml {
  const xml = parseXml(text);
  if ('faults' in xml) throw new Error(xml.faults[0].problem);
  return xml;
}

// The draft's own example (draft-svg-tiny-ps-abrotman §5), its attributes and elements.
const example = `<?xml version="1.0"?>
<svg width="400px" height="400px" xmlns="http://www.w3.org/2000/svg"
    version="1.2" baseProfile="tiny-ps"
    zoomAndPan="disable" externalResourcesRequired="false">
  <title>Example, Inc.</title>
  <desc>Logo for Example, Inc.</desc>
  <rect x="1" y="1" width="399" height="399" fill="teal" stroke="gray" stroke-width="9"/>
  <circle cx="200" cy="200" r="125" fill="white" stroke="black" stroke-width="2"/>
  <polyline fill="gray" stroke="silver" stroke-width="9" points="40,30 25,40 100,330 310,270 40,26"/>
</svg>`;

test('the example of the draft has no fault', () => {
  const xml = read(example);
  expect([isSvg(xml), judgeSvg(xml), sizeOfSvg(xml.root), titleOf(xml)]).toEqual([
    true,
    [],
    { width: 400, height: 400 },
    'Example, Inc.',
  ]);
});

const wellFormed: readonly { name: string; text: string; elements: readonly string[]; text0?: string }[] = [
  { name: 'one empty element', text: '<a/>', elements: ['a'] },
  { name: 'spaces in tags', text: '<a b = "c" ></a >', elements: ['a'] },
  { name: 'quotes of both kinds', text: `<a b='"' c="'"/>`, elements: ['a'] },
  { name: 'a “>” in a value', text: '<a b="/>"><c/></a>', elements: ['a', 'c'] },
  {
    name: 'comments, instructions and spaces around it',
    text: ' <!--<x>--><?p <y>?><a/> \n',
    elements: ['a'],
  },
  { name: 'references', text: '<a>&lt;&#65;&#x42;&amp;</a>', elements: ['a'], text0: '<AB&' },
  { name: 'a CDATA section', text: '<a>x<![CDATA[<b>&c]]>y</a>', elements: ['a'], text0: 'x<b>&cy' },
  {
    name: 'a DOCTYPE with quotes and comments',
    text: `<!DOCTYPE a [<!ENTITY x "]>"><!-- ' ]> -->]><a/>`,
    elements: ['a'],
  },
  { name: 'letters of the world', text: '<é ü="ñ"/>', elements: ['é'] },
];
test.for(wellFormed)('well-formed: $name', ({ text, elements, text0 }) => {
  const xml = read(text);
  expect(xml.elements.map(({ name }) => name)).toEqual(elements);
  expect(xml.root.text).toBe(text0 ?? '');
});

const malformed: readonly (readonly [name: string, text: string])[] = [
  ['nothing', ''],
  ['text alone', 'hello'],
  ['text behind the root', '<a/>x'],
  ['two roots', '<a/><b/>'],
  ['an end that was not begun', '</a>'],
  ['ends that cross', '<a><b></a></b>'],
  ['an element without end', '<a><b/>'],
  ['a tag without end', '<a b="c"'],
  ['an attribute without value', '<a b>'],
  ['a value without quotes', '<a b=c/>'],
  ['a value without its second quote', '<a b="c/>'],
  ['an attribute twice', '<a b="1" b="2"/>'],
  ['attributes without a space', '<a b="1"c="2"/>'],
  ['a “<” in a value', '<a b="<"/>'],
  ['an “&” that begins nothing', '<a>x & y</a>'],
  ['an entity that nobody declared', '<a>&nbsp;</a>'],
  ['a character that there is not', '<a>&#1114112;</a>'],
  ['a comment without end', '<!-- <a/>'],
  ['a DOCTYPE without end', '<!DOCTYPE a [ <a/>'],
  ['a DOCTYPE behind the root', '<a/><!DOCTYPE a>'],
  ['two DOCTYPEs', '<!DOCTYPE a><!DOCTYPE a><a/>'],
  ['a declaration that does not stand first', ' <?xml version="1.0"?><a/>'],
  ['a comment with two hyphens in it', '<!-- a -- b --><a/>'],
  ['an end of CDATA that was not begun', '<a>x]]></a>'],
  ['a character that no XML may have', '<a>&#0;</a>'],
  ['half a character', '<a>&#xD800;</a>'],
  ['a name that begins with a digit', '<1a/>'],
  ['an instruction without target', '<??><a/>'],
  ['a DOCTYPE without a name', '<!DOCTYPE><a/>'],
  ['a DOCTYPE with words after its name', '<!DOCTYPE a b c><a/>'],
  ['a DOCTYPE whose identifier has no quotes', '<!DOCTYPE a SYSTEM x><a/>'],
  ['a public identifier without an address', '<!DOCTYPE a PUBLIC "x"><a/>'],
  ['an entity of HTML beside a DOCTYPE of its own', '<!DOCTYPE a [<!ENTITY x "y">]><a>&nbsp;</a>'],
  ['an entity that is a property of every object', '<a>&constructor;</a>'],
  ['an attribute twice, the first one empty', '<a b="" b=""/>'],
  ['a reference by number with a capital X', '<a>&#X41;</a>'],
  ['a character that XML forbids', '<a>\u0001</a>'],
  ['a character that is none', '<a>\uffff</a>'],
  ['half a character in the text', '<a>\ud800</a>'],
  ['a name with a character that no name may have', '<a\u00d7/>'],
  ['an instruction named xml inside', '<a><?XML x?></a>'],
  ['an instruction whose target has no space after it', '<?p+x?><a/>'],
  ['a declaration without a version', '<?xml encoding="UTF-8"?><a/>'],
  ['a declaration with an unknown part', '<?xml version="1.0" x="y"?><a/>'],
  ['a declaration in the wrong order', '<?xml encoding="UTF-8" version="1.0"?><a/>'],
  ['a CDATA section outside of the root', '<![CDATA[x]]><a/>'],
  ['a reference outside of the root', '<a/>&#32;'],
  ['a comment that ends with three hyphens', '<!-- a ---><a/>'],
  ['a slash that does not end the tag', '<a/ >'],
  ['attributes of an end tag', '<a></a b="c">'],
  ['elements deeper than anybody draws', '<a>'.repeat(300)],
];
test.for(malformed)('not well-formed: %s', ([, text]) => {
  const xml = parseXml(text);
  const [fault] = 'faults' in xml ? xml.faults : [];
  expect(fault?.problem).toMatch(/^[^\n]+[^.\n]$/);
  expect(fault?.at).toBeLessThanOrEqual(text.length);
});

test('a fault is told with its line', () => {
  const text = '<a>\n<b>\n&nbsp;</b></a>';
  const xml = parseXml(text);
  expect('faults' in xml ? lineOf(text, xml.faults[0].at) : 0).toBe(3);
});

const nameSign = fc.constantFrom('a', 'B', 'é', '_', ':', 'x1', 'y-z');
const value = fc.string({ maxLength: 12 }).map((text) => text.replace(/[\u0000-\u001f]/g, ''));
type Tree = { name: string; attributes: [string, string][]; text: string; children: Tree[] };
const treeOf = (children: fc.Arbitrary<Tree[]>): fc.Arbitrary<Tree> =>
  fc.record({
    name: nameSign,
    attributes: fc.uniqueArray(fc.tuple(nameSign, value), { selector: ([name]) => name, maxLength: 3 }),
    text: value,
    children,
  });
const leaf = treeOf(fc.constant([]));
const tree = treeOf(fc.array(treeOf(fc.array(leaf, { maxLength: 3 })), { maxLength: 3 }));
const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&#60;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
const print = ({ name, attributes, text, children }: Tree): string =>
  `<${name}${attributes.map(([key, one]) => ` ${key}="${escape(one)}"`).join('')}>${escape(text)}${children.map(print).join('')}</${name}>`;
const flat = (node: Tree): [string, [string, string][], string][] => [
  [node.name, node.attributes, node.text],
  ...node.children.flatMap(flat),
];

describe('whatever a server sends', () => {
  test('what is printed is read again', () => {
    fc.assert(
      fc.property(tree, (node) => {
        const seen = read(print(node)).elements.map(({ name, attributes, text }) => [
          name,
          [...attributes],
          text,
        ]);
        expect(seen).toEqual(flat(node));
      }),
      { numRuns: runsOf(2000) },
    );
  });

  const scraps = fc
    .array(
      fc.constantFrom(
        '<',
        '>',
        '/',
        '<a',
        '</a>',
        ' b="',
        '"',
        "'",
        '&',
        ';',
        '&#x41;',
        '<!--',
        '-->',
        '<![CDATA[',
        ']]>',
        '<!DOCTYPE',
        '[',
        ']',
        '<?x',
        '?>',
        'url(',
        'xmlns="',
        '=',
        ' ',
        'svg',
        '\u0000',
      ),
      { maxLength: 40 },
    )
    .map((parts) => parts.join(''));
  test('no text makes a parser throw, and a fault is within the text', () => {
    fc.assert(
      fc.property(fc.oneof(scraps, fc.string({ unit: 'binary' })), (text) => {
        const xml = parseXml(text);
        if (!('faults' in xml)) judgeSvg(xml);
        expect('faults' in xml ? xml.faults[0].at : 0).toBeLessThanOrEqual(text.length);
        parsePem(text);
      }),
      { numRuns: runsOf(5000) },
    );
  }, 60_000);

  test('no bytes make the decoding of a file throw', () => {
    const packed = fc.uint8Array().map((bytes) => Buffer.from([0x1f, 0x8b, ...bytes]));
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array(), packed), fc.boolean(), (bytes, isWhole) => {
        expect(typeof decodeFile(bytes, isWhole).text).toBe('string');
      }),
      { numRuns: runsOf(2000) },
    );
  });

  test('a certificate with changed octets is read, or is not', () => {
    const [good = ''] = pemsOf('good');
    const der = Buffer.from(good.replace(/-----[^-]+-----/g, ''), 'base64');
    const change = fc.tuple(fc.nat(der.length - 1), fc.nat(255));
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
        const bytes = Buffer.from(der);
        for (const [at, octet] of changes) bytes[at] = octet;
        const pem = `-----BEGIN CERTIFICATE-----\n${bytes.toString('base64')}\n-----END CERTIFICATE-----`;
        const chain = readChain([pem, ...pemsOf('good').slice(1)]);
        if (chain === null) return;
        const [mark, issuer = mark] = chain;
        const seen = [typeof isNamed(mark, 'good.test'), typeof isIssuedBy(mark, issuer)];
        expect(seen).toEqual(['boolean', 'boolean']);
        logoOfMark(mark);
      }),
      { numRuns: runsOf(3000) },
    );
  });

  test('entities that grow by the billion are not expanded', () => {
    const bomb = Array.from({ length: 9 }, (_, at) => `<!ENTITY e${at + 1} "${`&e${at};`.repeat(10)}">`).join(
      '',
    );
    const xml = read(`<!DOCTYPE svg [<!ENTITY e0 "ha">${bomb}]><svg><title>&e9;</title></svg>`);
    expect([titleOf(xml), xml.hasEntities]).toEqual(['&e9;', true]);
  });

  const words = [
    '<',
    '<a>',
    '<a ',
    ' a="b"',
    '&',
    '&amp;',
    '&#',
    '<!--',
    '<!DOCTYPE [',
    '<?x',
    '<![CDATA[',
    '</',
    '"',
    'url(',
    ']',
  ];
  test.for(words)('64 kB of %s are read to their end', (word) => {
    const long = word.repeat(65_536 / word.length);
    const spentMs = countCpu();
    for (const text of [long, `<a>${long}`, `<a b="${long}`, `<svg c='${long}'/>`, `<!DOCTYPE x [${long}`]) {
      const xml = parseXml(text);
      if (!('faults' in xml)) judgeSvg(xml);
    }
    expect(spentMs()).toBeLessThan(8000);
  });

  test('thousands of elements deep in each other’s namespaces are judged to their end', () => {
    const open = Array.from({ length: 250 }, (_, at) => `<p${at}:g xmlns:p${at}="http://x.test/">`).join('');
    const close = Array.from({ length: 250 }, (_, at) => `</p${249 - at}:g>`).join('');
    const spentMs = countCpu();
    const xml = read(`<svg>${open}${'<q:a/>'.repeat(8000)}${close}</svg>`);
    judgeSvg(xml);
    expect(xml.elements).toHaveLength(8251);
    expect(spentMs()).toBeLessThan(8000);
  });
});

function pemsOf(name: string): readonly string[] {
  const pem = parsePem(markOf(name).toString());
  return 'faults' in pem ? [] : pem.certificates;
}

test('a chain of more certificates than anybody needs is cut', () => {
  const [one = ''] = pemsOf('good');
  const pem = parsePem(`${one}\n`.repeat(100));
  expect('faults' in pem ? 0 : pem.certificates.length).toBe(8);
});

test('the logo in a certificate is the file that was put there', () => {
  const [mark] = readChain(pemsOf('good')) ?? [];
  expect(mark && logoOfMark(mark)).toBe(goodLogo.toString());
});
