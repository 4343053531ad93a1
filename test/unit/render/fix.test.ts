import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Finding } from '#shared/model/finding';
import type { Report } from '#shared/model/report';
import { renderReport } from '#shared/render/formats';
import { recordFields, triedWords, whyOf, zoneWords } from '#shared/render/report-words';
import { tellReport } from '../../../cli/table.ts';

const zone = { name: 'example.com', host: 'Cloudflare' };
const record = (name: string, type: string, value: string): Finding['fix'] => ({
  text: 'Publish it.',
  record: { name, type, value },
  zone,
});

test.for([
  [
    'at the top of the zone',
    record('example.com', 'TXT', 'v=spf1 -all'),
    ['@', 'TXT', 'v=spf1 -all'],
    'example.com',
  ],
  [
    'below it',
    record('_dmarc.example.com', 'TXT', 'a "b"'),
    ['_dmarc', 'TXT', 'a "b"'],
    '_dmarc.example.com',
  ],
  [
    'of a name that only ends alike',
    record('badexample.com', 'A', '192.0.2.1'),
    ['badexample.com', 'A', '192.0.2.1'],
    undefined,
  ],
  [
    'for CAs, whose value has no quotes in a form',
    record('example.com', 'CAA', '0 issue "ca.test"'),
    ['@', 'CAA', '0 issue ca.test'],
    'example.com',
  ],
  [
    'of an unknown zone',
    { text: '', record: { name: 'a.test', type: 'A', value: '192.0.2.1' } },
    ['a.test', 'A', '192.0.2.1'],
    undefined,
  ],
  [
    'with characters that show as others',
    record('example.com', 'TXT', 'a\u202eb'),
    ['@', 'TXT', 'a⟨U+202E⟩b'],
    'example.com',
  ],
] as const)('a record %s', ([, fix, values, full]) => {
  const fields = recordFields(fix as Finding['fix']);
  expect(fields.map(({ value }) => value)).toEqual(values);
  expect(fields[0]?.beside).toBe(full);
});

test('where the DNS is, is said where it is known', () => {
  expect(zoneWords(record('example.com', 'A', '192.0.2.1'))).toBe(
    'Your DNS is at Cloudflare: add the record to the zone example.com there.',
  );
  expect(
    zoneWords({ ...record('example.com', 'A', '192.0.2.1'), zone: { name: 'example.com' } }),
  ).toBeUndefined();
  expect(zoneWords({ text: 'x', zone })).toBeUndefined();
});

test('why a finding matters is said of rules that are there', () => {
  expect(whyOf('ssl-check', 'tls10-offered')).toMatch(/\.$/);
  expect(whyOf('ssl-check', 'alpn-h2-missing')).toBeUndefined();
  expect(whyOf('ssl-check', 'constructor')).toBeUndefined();
  expect(whyOf('constructor', 'tls10-offered')).toBeUndefined();
});

test('lines that were never tried say so', () => {
  expect(triedWords({ text: '', notTried: ['iis'] }, 'iis')).toBe(' (not tried)');
  expect(triedWords({ text: '', notTried: ['iis'] }, 'nginx')).toBe('');
});

const golden = JSON.parse(readFileSync('test/fixtures/golden/ssl-check.json', 'utf8')) as Report;
const report: Report = {
  ...golden,
  findings: golden.findings.map((finding) => ({ ...finding, fix: record('_x.example.com', 'TXT', 'v') })),
};
const [first] = report.findings;
const why = whyOf('ssl-check', first?.code ?? '') ?? 'none';

test('a terminal shows the record by its fields, and why on request', () => {
  const told = tellReport(report).text;
  expect(told).toContain('    Name   _x  (in full: _x.example.com)\n    Type   TXT\n    Value  v\n');
  expect(told).toContain('Your DNS is at Cloudflare');
  expect(told).not.toContain('Why: ');
  const [start = ''] = why.split('. ');
  expect(tellReport(report, { explain: true }).text.replaceAll(/\n +/g, ' ')).toContain(`Why: ${start}`);
});

test('page and Markdown say why, before the sources', () => {
  const page = renderReport(report, 'html').text;
  expect(page).toContain('<dt>Name</dt>');
  expect(page.indexOf(`<p class="why">`)).toBeGreaterThan(page.indexOf('<dt>Value</dt>'));
  expect(renderReport(report, 'md').text).toContain('**Why it matters:** ');
});
