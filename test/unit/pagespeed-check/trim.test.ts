import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readRows, round, text } from '../../../worker/probes/browser/child/rows.ts';
import { type LighthouseResult, trimResult } from '../../../worker/probes/browser/child/trim.ts';

const fixture = new URL('../../fixtures/pagespeed-check/captured/lighthouse-result.json', import.meta.url);
const result = JSON.parse(readFileSync(fixture, 'utf8')) as LighthouseResult;
const page = trimResult(result);
const auditOf = (id: string) => page.audits.find((audit) => audit.id === id);

test('the five metrics come with value, score and weight', () => {
  expect(page.score).toBe(0.55);
  expect(page.metrics).toEqual({
    lcp: { value: 10_592.7, score: 0, weight: 25 },
    cls: { value: 0.0606, score: 0.98, weight: 25 },
    tbt: { value: 569, score: 0.52, weight: 30 },
    fcp: { value: 2998.8, score: 0.5, weight: 10 },
    si: { value: 2998.8, score: 0.94, weight: 10 },
  });
});

test('observed values, time to first byte and the phases of LCP come beside them', () => {
  expect(page.observed['observedLargestContentfulPaint']).toBe(1249);
  expect(Object.keys(page.observed).filter((name) => name.endsWith('Ts'))).toEqual([]);
  expect(page.ttfbMs).toBe(6);
  expect(page.lcpElement).toEqual({ selector: 'body > img', snippet: '<img src="/i0.bmp">' });
  expect(page.lcpPhases).toEqual({
    timeToFirstByte: 11.9,
    resourceLoadDelay: 31.5,
    resourceLoadDuration: 17.3,
    elementRenderDelay: 1188.1,
  });
});

test('a table becomes flat rows', () => {
  expect(auditOf('render-blocking-insight')).toMatchObject({
    savings: { FCP: 2250 },
    items: [
      { url: 'http://a.test/a.js', totalBytes: 204_201, wastedMs: 1656 },
      { url: 'http://a.test/a.css', totalBytes: 82_150, wastedMs: 1056 },
    ],
  });
});

test('an element in a row becomes its selector and its snippet', () => {
  expect(auditOf('layout-shifts')?.items).toEqual([
    {
      selector: 'body > img',
      snippet: '<img src="/i0.bmp">',
      score: 0.0606,
      reasons: ['Media element lacking an explicit size'],
      culprits: ['body > img'],
    },
  ]);
});

test('a checklist becomes a row for each check', () => {
  expect(auditOf('lcp-discovery-insight')?.items).toContainEqual({
    check: 'priorityHinted',
    passed: false,
    label: 'fetchpriority=high should be applied',
  });
});

test('of a tree of requests the longest chain is kept', () => {
  expect(auditOf('network-dependency-tree-insight')?.items).toEqual([
    { url: 'http://a.test/', endMs: 50, bytes: 756 },
    { url: 'http://a.test/f.woff2', endMs: 333, bytes: 0 },
  ]);
});

test('what passed keeps no rows', () => {
  expect(auditOf('document-latency-insight')).toMatchObject({ score: 1, items: [] });
});

test('resources are counted by type, empty types left out', () => {
  expect(page.resources['total']).toEqual({ requests: 16, bytes: 3_169_708 });
  expect(page.resources['media']).toBeUndefined();
});

test('a screenshot larger than 96 kB is left out', () => {
  const audits = {
    ...result.audits,
    'final-screenshot': {
      id: 'final-screenshot',
      title: '',
      score: null,
      scoreDisplayMode: 'informative',
      details: { type: 'screenshot', data: `data:image/jpeg;base64,${'A'.repeat(131_073)}` },
    },
  };
  expect(page.screenshot).toBe('/9j/4AAQ');
  expect(trimResult({ ...result, audits }).screenshot).toBeNull();
});

test('a result without any audit is still a result', () => {
  const bare = trimResult({ ...result, audits: {}, categories: {} });
  expect(bare.metrics.lcp).toEqual({ value: null, score: null, weight: 0 });
  expect(bare.audits).toEqual([]);
});

test('text of the target is cut at 300 characters', () => {
  expect(text('x'.repeat(301))).toBe(`${'x'.repeat(300)}…`);
  expect(text('x'.repeat(300))).toHaveLength(300);
});

test('times keep one decimal, shares four', () => {
  expect([round(11.926), round(0.060_623), round(Number.NaN), round(Number.POSITIVE_INFINITY)]).toEqual([
    11.9, 0.0606, 0, 0,
  ]);
});

test('at most ten rows are kept, and all are counted', () => {
  const items = Array.from({ length: 25 }, (_, index) => ({ url: `u${index}` }));
  const { rows, count } = readRows({ type: 'table', items });
  expect([rows.length, count]).toEqual([10, 25]);
});

test('a row with a key that every object has stays a row', () => {
  const items = JSON.parse('[{"__proto__": "x", "constructor": "y", "url": "u"}]') as unknown[];
  const { rows } = readRows({ type: 'table', items });
  expect(Object.getPrototypeOf(rows[0])).toBe(Object.prototype);
  expect(rows[0]?.['url']).toBe('u');
});

const anyDetails = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.jsonValue(),
    fc.record({
      type: fc.constantFrom(
        'table',
        'list',
        'list-section',
        'checklist',
        'node',
        'network-tree',
        'opportunity',
        'x',
      ),
      items: fc.oneof(fc.array(tie('value')), fc.dictionary(fc.string(), tie('value'))),
      value: tie('value'),
      chains: fc.dictionary(fc.string(), fc.record({ isLongest: fc.boolean(), children: tie('value') })),
    }),
  ),
})).value;

test('details of any shape never throw, and every row is flat', () => {
  fc.assert(
    fc.property(anyDetails, (details) => {
      for (const row of readRows(details).rows)
        for (const value of Object.values(row))
          expect(Array.isArray(value) || typeof value !== 'object').toBe(true);
    }),
  );
});

test('what a category took is the time of its audits, and of what is gathered for it alone', () => {
  const entries = [
    { name: 'lh:audit:image-alt', duration: 3.4 },
    { name: 'lh:audit:largest-contentful-paint', duration: 50 },
    { name: 'lh:gather:getArtifact:Accessibility', duration: 800.4 },
    { name: 'lh:audit:meta-description', duration: 2 },
  ];
  const refs = (...ids: readonly string[]) => ids.map((id) => ({ id, weight: 1 }));
  const categories = {
    accessibility: { score: 1, auditRefs: refs('image-alt') },
    seo: { score: 1, auditRefs: refs('image-alt', 'meta-description') },
  };
  const tookMs = (more: object) =>
    trimResult({ ...result, categories: { ...result.categories, ...categories }, ...more }).categories
      ?.tookMs;
  expect(tookMs({ timing: { entries } })).toEqual({ accessibility: 804, seo: 5 });
  expect(tookMs({})).toEqual({ accessibility: null, seo: null });
});
