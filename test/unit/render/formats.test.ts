import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Report } from '#shared/model/report';
import { formatNames, formats, isFormatName, renderReport } from '#shared/render/formats';
import { readCsv, readHtml, readMarkdown, readXml } from './readers.ts';
import { badChain, failed, goodChain, largeReport, reportOf, unreachable } from './reports.ts';

const readers = {
  json: JSON.parse,
  html: readHtml,
  md: readMarkdown,
  csv: readCsv,
  sarif: JSON.parse,
  junit: readXml,
} as const;

test('the formats are those of the contract, json first', () => {
  expect(formatNames).toEqual(['json', 'html', 'md', 'csv', 'sarif', 'junit']);
});

test.for(formatNames)('%s has a media type with charset, an extension and a purpose', (name) => {
  const { contentType, extension, purpose } = formats[name];
  expect(contentType).toMatch(/^[a-z]+\/[a-z+]+; charset=utf-8/);
  expect(extension).toMatch(/^[a-z]+$/);
  expect(purpose).not.toBe('');
});

test('names that an object has by nature are no formats', () => {
  expect(['toString', '__proto__', 'constructor', 'JSON', '', 'pdf'].filter(isFormatName)).toEqual([]);
  expect(formatNames.every(isFormatName)).toBe(true);
});

test('json is the whole report', async () => {
  for (const report of [await badChain(), failed(), reportOf((place) => `\u202e${place}\ud800`)])
    expect(JSON.parse(renderReport(report, 'json').text)).toEqual(report);
});

test.for(formatNames)(
  '%s: the same report always gives the same text, and stays as it was',
  async (format) => {
    for (const report of [
      await badChain(),
      await goodChain(),
      await unreachable(),
      failed(),
      largeReport(100_000),
    ]) {
      const before = JSON.stringify(report);
      const { text, contentType, extension } = renderReport(report, format);
      expect(renderReport(report, format).text).toBe(text);
      expect(JSON.stringify(report)).toBe(before);
      expect({ contentType, extension }).toMatchObject({ contentType: formats[format].contentType });
      readers[format](text);
    }
  },
);

const anyField = fc.oneof(
  { maxDepth: 4 },
  fc.jsonValue({ stringUnit: 'binary', maxDepth: 4 }),
  fc.string({ unit: 'binary' }),
);

test.for(formatNames)(
  '%s: own fields, evidence and texts of any kind give a text that can be read',
  // A busy machine only makes it slower.
  { timeout: 60_000 },
  (format) => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: 'binary' }), anyField, { maxKeys: 6, noNullPrototype: true }),
        fc.array(fc.string({ unit: 'binary' }), { minLength: 1, maxLength: 20 }),
        (fields, texts) => {
          const report = reportOf((place) => texts[place % texts.length] ?? '');
          const evidence = [fields, {}, fields];
          const findings = report.findings.map((finding) => ({ ...finding, evidence }));
          const whole = {
            ...fields,
            ...report,
            findings,
            own: fields,
            hops: fields['hops'] ?? fields,
          } as Report;
          const read = readers[format](renderReport(whole, format).text) as object;
          expect(Object.keys(read).length).toBeGreaterThan(0);
        },
      ),
      { numRuns: 200 },
    );
  },
);
