import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderCsv } from '#shared/render/csv';
import { readCsv } from './readers.ts';
import { badChain, goodChain, largeReport, reportOf } from './reports.ts';

const header =
  'check,target,checkedAt,state,score,grade,severity,code,part,title,detail,scoreEffect,fix,record,references,evidenceCount,evidence,reportId,category,partCheck,partTarget,domainEffect';

test('where nothing was found the report itself is a row, and lines end as RFC 4180 has it', async () => {
  const text = renderCsv(await goodChain());
  expect(text).toBe(
    `${header
      .split(',')
      .map((name) => `"${name}"`)
      .join(
        ',',
      )}\r\n"redirect-check","https://a.test/","2026-11-21T03:00:00.000Z","complete",100,"A+","","","","","","","","","","","","0123456789abcdef0123456789abcdef","","","",""\r\n`,
  );
});

test('each finding is a row, each row a line', async () => {
  const report = await badChain();
  const rows = readCsv(renderCsv(report));
  expect(rows.slice(1).map((row) => row[7])).toEqual(report.findings.map(({ code }) => code));
  expect(renderCsv(report).split('\r\n')).toHaveLength(report.findings.length + 2);
  expect(rows.every((row) => row.length === header.split(',').length)).toBe(true);
});

test('numbers stay numbers: points lost are no formula', async () => {
  expect(renderCsv(await badChain())).toContain(',-50,');
});

test('evidence is JSON', async () => {
  const report = await badChain();
  expect(JSON.parse(readCsv(renderCsv(report))[1]?.[16] ?? '')).toEqual(report.findings[0]?.evidence);
});

test('evidence that would make a cell too long for a spreadsheet is left out by whole pieces', () => {
  const [, row] = readCsv(renderCsv(largeReport(300_000)));
  expect(row?.[15]).toBe('40');
  expect(JSON.parse(row?.[16] ?? '')).toHaveLength(40);
  const long = { ...largeReport(300_000) };
  const piece = { text: 'a'.repeat(10_000) };
  long.findings = long.findings.map((finding) => ({ ...finding, evidence: [piece, piece, piece, piece] }));
  const cells = readCsv(renderCsv(long))[1];
  expect(JSON.parse(cells?.[16] ?? '')).toHaveLength(3);
});

const formulas = [
  '=1+1',
  '+1',
  '-1',
  '@A1',
  '\t=1',
  '\r=1',
  '\n=1',
  ' =1',
  '\u00a0=1',
  '\u3000@x',
  '＝1',
  '＋1',
  '－1',
  '＠x',
];

test.for(formulas)('%j is no formula in any cell', (formula) => {
  const rows = readCsv(renderCsv(reportOf(() => formula)));
  const cells = rows.flat().filter((cell) => /[=+\-@＝＋－＠]/.test(cell));
  expect(cells.filter((cell) => /^[\s\u0000-\u001f]*[=+@＝＋－＠]|^\s*-(?!12$)/.test(cell))).toEqual([]);
  expect(cells.length).toBeGreaterThan(10);
});

test('what a cell holds is read back whole, whatever it is', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('"', ',', ';', "'", ' ', 'a', '\\', 'ü') }), (text) => {
      const cell = readCsv(renderCsv(reportOf(() => text)))[1]?.[9];
      expect(cell).toBe(text);
    }),
  );
});
