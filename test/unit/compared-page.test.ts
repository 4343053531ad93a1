import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { catalogue, findSpec } from '#shared/catalogue/registry';
import { makeReportSchema } from '../../api/descriptions/report-schema.ts';

const page = readFileSync('docs/compared.md', 'utf8');
const matches = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = '']) => name);

test('every code that docs/compared.md names is a rule of today', () => {
  const codes = matches(page, /`([a-z]+-[a-z0-9-]+)`/g);
  const rules = new Set(catalogue.flatMap((spec) => Object.keys(spec.rules)));
  expect(codes.length).toBeGreaterThan(60);
  expect(codes.filter((code) => !rules.has(code))).toEqual([]);
});

test('every field that docs/compared.md names beside the peers of ssl-check is in its report', () => {
  const [, section = ''] = /^## ssl-check (.*?)^## /ms.exec(page) ?? [];
  const fields = matches(section, /`([a-z][A-Za-z0-9.]*)`/g).flatMap((path) => path.split('.'));
  const spec = findSpec('ssl-check');
  const schema = JSON.stringify(spec && makeReportSchema(spec, ''));
  expect(fields.length).toBeGreaterThan(12);
  expect(fields.filter((field) => !schema.includes(`"${field}":`))).toEqual([]);
});
