import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type HtmlObservation,
  readPage as readWithin,
} from '../../../worker/checks/redirect-check/gather/read-page.ts';
import { openWork } from '../../../worker/probes/work.ts';
import { resolveRefresh } from '../../../worker/web/page-refresh.ts';
import { million } from './count-reads.ts';

/** Pages of tests are longer than those of a run. */
const readPage = (html: string, url: string) => readWithin(html, url, openWork(undefined, Infinity));

const nothing: HtmlObservation = { refresh: null, canonical: null, setsAddress: false, scriptTarget: null };
const refresh = (seconds: number, target: string): Partial<HtmlObservation> => ({
  refresh: { seconds, target },
});
const meta = '<meta http-equiv=refresh content="0;url=/b">';
const script = '<script>location="/b"</script>';

const cases: readonly (readonly [name: string, html: string, expected: Partial<HtmlObservation>])[] = [
  ['an empty page says nothing', '', {}],
  [
    'a page that tests its own scheme stays',
    '<script>if (location.protocol !== "https:") location = "https://www.a.test/"</script>',
    {},
  ],
  [
    'a function that nothing calls sends nobody on',
    '<script>function go() { location.replace("/b") }</script><body onload="stay()">',
    {},
  ],
  ['a text says nothing', 'meta http-equiv=refresh', {}],
  ['a meta refresh leads on', `<!doctype html><head>${meta}`, refresh(0, 'https://a.test/b')],
  ['also in the body', `<p>x${meta}`, refresh(0, 'https://a.test/b')],
  [
    'letter case means nothing',
    '<META HTTP-EQUIV="ReFresh" CONTENT="5; URL=/b">',
    refresh(5, 'https://a.test/b'),
  ],
  [
    'character references are read',
    '<meta http-equiv=refresh content="0;url=/b?c&amp;d">',
    refresh(0, 'https://a.test/b?c&d'),
  ],
  ['the page itself stays ""', '<meta http-equiv=refresh content=60>', refresh(60, '')],
  ['the soonest counts', `<meta http-equiv=refresh content="9;/a">${meta}`, refresh(0, 'https://a.test/b')],
  ['also before others', `${meta}<meta http-equiv=refresh content="9;/a">`, refresh(0, 'https://a.test/b')],
  [
    'of two with the same time the later',
    `<meta http-equiv=refresh content="0;/a">${meta}`,
    refresh(0, 'https://a.test/b'),
  ],
  [
    'one that cannot be read does not',
    `<meta http-equiv=refresh content="x;/a">${meta}`,
    refresh(0, 'https://a.test/b'),
  ],
  ['nor one without content', `<meta http-equiv=refresh>${meta}`, refresh(0, 'https://a.test/b')],
  [
    'nor one to javascript:',
    `<meta http-equiv=refresh content="0;javascript:x">${meta}`,
    refresh(0, 'https://a.test/b'),
  ],
  [
    'nor one to no URL',
    `<meta http-equiv=refresh content="0;http://[b">${meta}`,
    refresh(0, 'https://a.test/b'),
  ],
  [
    'credentials are dropped',
    '<meta http-equiv=refresh content="0;https://u:p@b.test/">',
    refresh(0, 'https://b.test/'),
  ],
  ['another scheme is kept', '<meta http-equiv=refresh content="0;app://b">', refresh(0, 'app://b')],
  [
    'base changes where it leads',
    `<base href="https://b.test/c/"><base href=/x>${meta.replace('/b', 'b')}`,
    refresh(0, 'https://b.test/c/b'),
  ],
  ['but not what stood before it', `${meta}<base href="https://b.test/">`, refresh(0, 'https://a.test/b')],
  ['a base without href is none', `<base target=_top>${meta}`, refresh(0, 'https://a.test/b')],
  ['a comment is no element', `<!-- ${meta} -->`, {}],
  ['a title is text', `<title>${meta}</title>`, {}],
  ['a textarea is text', `<textarea>${meta}</textarea>`, {}],
  ['a style is text', `<style>${meta}</style>`, {}],
  ['a script is text', `<script>"${meta}"</script>`, {}],
  ['noscript is text to those who run scripts', `<noscript>${meta}</noscript>`, {}],
  ['an iframe is text', `<iframe>${meta}</iframe>`, {}],
  [
    'xmp, noembed, noframes are text',
    `<xmp>${meta}</xmp><noembed>${meta}</noembed><noframes>${meta}</noframes>`,
    {},
  ],
  ['plaintext never ends', `<plaintext></plaintext>${meta}`, {}],
  ['a template is not shown', `<template><template></template>${meta}</template>`, {}],
  ['behind a template the page goes on', `<template>x</template>${meta}`, refresh(0, 'https://a.test/b')],
  ['an end tag alone closes nothing', `</template></script>${meta}`, refresh(0, 'https://a.test/b')],
  ['an attribute value is no element', `<p title='${meta}'>`, {}],
  ['a tag that is never closed is none', meta.slice(0, -1), {}],

  ['a canonical link is resolved', '<link rel=canonical href="../b">', { canonical: 'https://a.test/b' }],
  ['one of several relations', '<link rel="next Canonical" href=/b>', { canonical: 'https://a.test/b' }],
  [
    'against base',
    '<base href="https://b.test/"><link rel=canonical href=c>',
    { canonical: 'https://b.test/c' },
  ],
  [
    'the first counts',
    '<link rel=canonical href=/b><link rel=canonical href=/c>',
    { canonical: 'https://a.test/b' },
  ],
  [
    'one without href does not',
    '<link rel=canonical><link rel=canonical href=/c>',
    { canonical: 'https://a.test/c' },
  ],
  ['nor one to no URL', '<link rel=canonical href="http://[b">', {}],
  ['an alternate is none', '<link rel=alternate href=/b>', {}],
  [
    'credentials are dropped from it too',
    '<link rel=canonical href="https://u:p@b.test/">',
    { canonical: 'https://b.test/' },
  ],

  ['an inline script sets the address', script, { setsAddress: true, scriptTarget: 'https://a.test/b' }],
  [
    'a module does too',
    script.replace('<script', '<script type=module'),
    { setsAddress: true, scriptTarget: 'https://a.test/b' },
  ],
  [
    'with its type spelled out',
    script.replace('<script', '<script type=" Text/JavaScript "'),
    { setsAddress: true, scriptTarget: 'https://a.test/b' },
  ],
  [
    'so does the loading of the body',
    `<body onload="location.href='/b'">`,
    { setsAddress: true, scriptTarget: 'https://a.test/b' },
  ],
  ['a foreign script is not read', script.replace('<script', '<script src=""'), {}],
  ['JSON is not run', script.replace('<script', '<script type=application/json'), {}],
  ['a script in a template is not run', `<template>${script}</template>`, {}],
  ['a script that is never closed is not run', '<script>location="/b"', {}],
  ['escapes are not undone in a script', '<script>location&equals;"/b"</script>', {}],
  [
    'a null character hides nothing',
    '<script>location\0="/b";location="/b"</script>',
    { setsAddress: true, scriptTarget: 'https://a.test/b' },
  ],

  ['names that an object would have are elements like others', '<__proto__ constructor=x>', {}],
];

test.for(cases)('%s', async ([, html, expected]) => {
  expect(await readPage(html, 'https://a.test/x/y')).toEqual({ ...nothing, ...expected });
});

test('a refresh that leads to its page by an empty target is kept as such', () => {
  expect(resolveRefresh({ seconds: 1, target: '' }, 'https://a.test/')).toEqual({ seconds: 1, target: '' });
});

const pieces = [
  '<meta',
  ' http-equiv=',
  'refresh',
  ' content=',
  '"0;/b"',
  '>',
  '<script>',
  '</script>',
  'location=',
  '<!--',
  '-->',
  '<template>',
  '</template>',
  '<base href=',
  '<link rel=canonical href=',
  '&',
  '&#x0;',
  '\0',
  '\ud800',
  '<svg>',
  '<plaintext>',
];

test('no page makes it throw', async () => {
  const page = fc.array(fc.constantFrom(...pieces)).map((parts) => parts.join(''));
  await fc.assert(
    fc.asyncProperty(fc.oneof(page, fc.string({ unit: 'binary' })), async (html) => {
      expect(Object.keys(await readPage(html, 'https://a.test/'))).toEqual([
        'refresh',
        'canonical',
        'setsAddress',
        'scriptTarget',
      ]);
    }),
  );
});

// Each of these is quadratic or worse somewhere: in a tree builder, in a regular expression, in a search for the closing tag.
// Linear, the whole list takes a second; quadratic, a single one runs into the limit of the test.
const hostile = [
  '<b>',
  '<font><p>',
  '<table><b>',
  '<a><p>',
  '<template>',
  '<script>',
  '<script>location ',
  '<script></script>',
  '<!--',
  '<![CDATA[',
  '</',
  '<a b=',
  '&',
  '&notit;',
  '<meta http-equiv=refresh content=0;',
  '<link rel="canonical" href="',
  '<base href=x>',
  '<title>',
  '\0',
];

test.for(hostile)('a million characters of %j are read within the time of a test', async (piece) => {
  expect(await readPage(million(piece), 'https://a.test/')).toBeDefined();
});

test('so is a tag with a hundred thousand attributes', async () => {
  const attributes = Array.from({ length: 100_000 }, (_, index) => `a${index}`).join(' ');
  expect(await readPage(`<meta ${attributes}>`, 'https://a.test/')).toEqual(nothing);
});

test('an onload beside many scripts is read once', async () => {
  const onload = `function a(){b()}function b(){c()}a();location;${million('=>')}`;
  const html = `<body onload="${onload}">${'<script>location</script>'.repeat(1000)}`;
  const before = process.threadCpuUsage();
  expect(await readPage(html, 'https://a.test/')).toEqual(nothing);
  // Once is some 0.1 s; once for each script was a minute.
  expect(process.threadCpuUsage(before).user).toBeLessThan(5_000_000);
});

test('a page is read as far as the work of its run reaches, and says so', async () => {
  const html = `${meta}${'<p>'.repeat(10_000)}<link rel=canonical href=/c>`;
  expect(await readWithin(html, 'https://a.test/', openWork(undefined, 20_000))).toEqual({
    ...nothing,
    ...refresh(0, 'https://a.test/b'),
    cut: 'one check reads at most 20000 characters of pages',
  });
  expect(await readWithin(html, 'https://a.test/', openWork(undefined, 40_000))).not.toHaveProperty('cut');
});

test('so is a script', async () => {
  const html = `<script>location; ${'a();'.repeat(10_000)}location = "/b"</script>`;
  expect(await readWithin(html, 'https://a.test/', openWork(undefined, 60_000))).toEqual({
    ...nothing,
    cut: 'one check reads at most 60000 characters of pages',
  });
  expect(await readWithin(html, 'https://a.test/', openWork(undefined, 120_000))).toMatchObject({
    setsAddress: true,
  });
});
