import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { rules } from '#shared/catalogue/dns-check/rules';
import { cases } from './cases.ts';
import { cases as mailCases } from './mail/cases.ts';

const table = readFileSync(new URL('../../../docs/peers-dns.md', import.meta.url), 'utf8');

test('the table of peers has each of the 73 cases once, with one of four words', () => {
  const rows = [...table.matchAll(/^\| ([A-Z]+\d\d) \|[^|]*\| ([a-z ]+) \|/gm)];
  expect(new Set(rows.map(([, name]) => name)).size).toBe(73);
  const words = new Set(rows.map(([, , word]) => word));
  expect([...words].toSorted()).toEqual(['better', 'left out', 'match', 'part']);
});

test('every code that the table of peers names is a rule of today', () => {
  const codes = [...table.matchAll(/`([a-z]+-[a-z0-9-]+)`/g)].map(([, code]) => code ?? '');
  expect(codes.length).toBeGreaterThan(60);
  expect(codes.filter((code) => !Object.hasOwn(rules, code))).toEqual([]);
});

test('every code that the table of peers names is broken by a row of the tables here', () => {
  const named = new Set([...table.matchAll(/`([a-z]+-[a-z0-9-]+)`/g)].map(([, code]) => code ?? ''));
  const broken = new Set<string>([...cases, ...mailCases].flatMap((row) => [...row.broken]));
  expect([...named].filter((code) => !broken.has(code))).toEqual([]);
});
