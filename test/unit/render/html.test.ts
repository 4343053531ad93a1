import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Report } from '#shared/model/report';
import { severities } from '#shared/model/verdict';
import { renderHtml } from '#shared/render/html/page';
import { dark, htmlPolicy, light, phaseNames } from '#shared/render/html/style';
import { readHtml } from './readers.ts';
import { badChain, failed, goodChain, largeReport, reportOf, unreachable } from './reports.ts';

const words = () => reportOf((place) => `p ${place}`);

function textsOf(report: Report, end: string): string[] {
  return readHtml(renderHtml(report))
    .filter(({ shape }) => shape.endsWith(end))
    .map(({ text }) => text);
}

function pageText(report: Report): string {
  return textsOf(report, '#text').join(' ').replace(/\s+/g, ' ');
}

test.for([
  { name: 'a bad chain', make: badChain },
  { name: 'a good chain', make: goodChain },
  { name: 'an unreachable target', make: unreachable },
  { name: 'a failed run', make: failed },
  { name: 'every shape', make: words },
  { name: 'a large report', make: () => largeReport(300_000) },
])('$name: valid, and without script, style attribute, form or foreign load', async ({ make }) => {
  const pieces = readHtml(renderHtml(await make()));
  const shapes = new Set(pieces.map(({ shape }) => shape.slice(shape.lastIndexOf('/') + 1)));
  const names = [...shapes].map((shape) => shape.split(/[@ ]/)[0] ?? '');
  for (const never of [
    'script',
    'iframe',
    'img',
    'form',
    'object',
    'embed',
    'link',
    'base',
    'image',
    'use',
    'foreignObject',
  ])
    expect(names).not.toContain(never);
  expect(
    [...shapes].filter((shape) => /@(?:style|on\w+|src|srcset|srcdoc|formaction|xlink)/.test(shape)),
  ).toEqual([]);
  const addresses = pieces.filter(({ shape }) => shape.endsWith('@href')).map(({ text }) => text);
  expect(
    addresses.filter((text) => !/^(?:https?:\/\/|#(?:finding-\d+|findings|not-tested|passed)$)/.test(text)),
  ).toEqual([]);
});

test('the policy allows the one style sheet by its hash and nothing else', async () => {
  const [sheet = ''] = textsOf(await badChain(), '/style #text');
  const hash = createHash('sha256').update(sheet).digest('base64');
  expect(htmlPolicy).toBe(
    `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox`,
  );
  expect(textsOf(await badChain(), '/meta@content')).toContain(
    `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`,
  );
});

test('the style loads nothing', async () => {
  const [sheet = ''] = textsOf(await badChain(), '/style #text');
  expect(sheet).not.toMatch(/@import|url\(|image|expression/);
});

test('each finding has its severity as word and mark, not colour alone, and the gravest comes first', () => {
  const facts = textsOf(words(), '/article/p/span #text').map((text) => text.trim());
  const names = ['Critical', 'High', 'Medium', 'Low', 'Info'];
  expect(facts.filter((text) => names.includes(text))).toEqual(names);
  const marks = readHtml(renderHtml(words())).filter(({ shape }) => shape.endsWith('/article/p/span/svg'));
  expect(marks).toHaveLength(severities.length);
});

test('every text of a report is on the page', () => {
  const text = `${pageText(words())} ${textsOf(words(), '@datetime').join(' ')}`;
  const missing: number[] = [];
  // When it may be asked again is for machines: the JSON has it.
  reportOf((place) =>
    place === 6
      ? ''
      : (text.includes(`p ${place}`) || text.includes(`p\\032${place}`) || missing.push(place), ''),
  );
  expect(missing).toEqual([]);
});

test('a record can be copied by the fields of a form', () => {
  const texts = textsOf(
    reportOf((place) => `p${place}`),
    '/pre/code #text',
  );
  expect(texts.slice(0, 3)).toEqual(['p20', 'TXT', 'p21']);
});

test('the gauge has its number as text and as a name', async () => {
  expect(textsOf(await goodChain(), '/svg@aria-label')[0]).toBe('Score: 100 of 100, grade A+');
  expect(pageText(await goodChain())).toContain('A+ 100 of 100');
  expect(textsOf(failed(), '/svg@aria-label')[0]).toBe('Score: no score');
});

test('hops with timings get a waterfall and the same numbers as a table; others do not', async () => {
  expect(pageText(await badChain())).toContain(
    'Hop, milliseconds Wait DNS TCP TLS Time to first byte Download Total 1 http://a.test/ 0.1 4.2 10.5 0.0 31.9 1.0 47.7',
  );
  expect(pageText(failed())).not.toContain('Hop, milliseconds');
  expect(pageText(await unreachable())).not.toContain('Hop, milliseconds');
});

test.for([
  { name: 'hops that are no list', fields: { hops: 'x' } },
  {
    name: 'hops of anything',
    fields: { hops: [null, 1, 'x', [], {}, { timings: null }, { timings: 'x' }, { timings: [] }] },
  },
  {
    name: 'timings of anything',
    fields: { hops: [{ url: 1, timings: { wait: 'x', dns: -1, tcp: null, ttfb: 1e308, download: 1e308 } }] },
  },
  {
    name: 'categories of anything',
    fields: { categories: { a: 1, b: null, c: { score: 'x' }, d: { score: 1e9 }, e: { score: -5 } } },
  },
  { name: 'categories that are a list', fields: { categories: [{ score: 1 }] } },
])('$name do no harm', ({ fields }) => {
  expect(pageText({ ...words(), ...fields })).toContain('What was seen');
  expect(renderHtml({ ...words(), ...fields })).not.toMatch(/NaN|undefined|(?:width|x)="-/);
});

test('categories with scores get bars', () => {
  const report = { ...failed(), categories: { dns: { score: 91 }, mail: { score: null } } };
  expect(textsOf(report, '/svg@aria-label')).toContain('Score by category: DNS 91, Mail no score');
});

test('own fields: depth, width, length and number are bounded, and what is left out is counted', () => {
  let deep: unknown = 'end';
  for (let depth = 0; depth < 5000; depth += 1) deep = [deep];
  const fields = {
    deep,
    wide: Array.from({ length: 5000 }, (_, index) => index),
    long: 'x'.repeat(100_000),
    many: Array.from({ length: 90 }, () => Array.from({ length: 90 }, () => 'y')),
    empty: {},
    nothing: null,
    blank: '',
  };
  const report = { ...failed(), ...fields };
  const text = pageText(report);
  expect(text).toContain('deep … 1 more wide');
  expect(text).toContain('… 4900 more');
  expect(text).toContain('… (99000 more)');
  expect(text).toContain('Shortened: the JSON export has everything.');
  expect(renderHtml(report).length).toBeLessThan(300_000);
});

test('keys like __proto__ are shown and do nothing', () => {
  const report = JSON.parse(
    `{"__proto__": {"polluted": "one"}, "constructor": {"prototype": {"polluted": "two"}}, ${JSON.stringify(words()).slice(1)}`,
  ) as Report;
  const text = pageText(report);
  expect(text).toContain('__proto__ polluted one');
  expect(text).toContain('constructor prototype polluted two');
  expect(({} as { polluted?: string }).polluted).toBeUndefined();
});

test('what passed and what was not tested is told with the words of the catalogue', async () => {
  expect(pageText(await goodChain())).toContain('redirect-loop The redirects form a loop');
  const unfinished = pageText(failed());
  expect(unfinished).toContain('https-downgrade The chain leaves HTTPS');
  // Once, not at each of its rules.
  expect(unfinished.split('the check could not be finished')).toHaveLength(2);
});

/** WCAG 2.2, relative luminance and contrast ratio. */
function contrast(one: string, other: string): number {
  const luminance = (colour: string) => {
    const [red = 0, green = 0, blue = 0] = [1, 3, 5]
      .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

test.for([
  { name: 'light', palette: light },
  { name: 'dark', palette: dark },
])(
  '$name: text has a contrast of 4.5 on both grounds, what is drawn of 3 (WCAG 1.4.3, 1.4.11)',
  ({ palette }) => {
    const texts = [
      palette.ink,
      palette.muted,
      palette.link,
      ...severities.map((severity) => palette[severity]),
    ];
    const drawn = [palette.pass, ...phaseNames.map((phase) => palette[phase as 'dns'])];
    for (const ground of [palette.ground, palette.panel]) {
      for (const colour of texts) expect(contrast(colour, ground)).toBeGreaterThanOrEqual(4.5);
      for (const colour of drawn) expect(contrast(colour, ground)).toBeGreaterThanOrEqual(3);
    }
  },
);
