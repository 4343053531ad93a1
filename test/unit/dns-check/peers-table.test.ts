import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { rules } from '#shared/catalogue/dns-check/rules';
import { parseDomain } from '#shared/targets/parse-target';
import { freshZones } from '../../lab/dns-check/fresh-zones.ts';
import { cases } from './cases.ts';
import { cases as mailCases } from './mail/cases.ts';
import { peerCases, refusedNames } from './peer-cases.ts';
import { labPolicy } from './run-check.ts';

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

type Line = { readonly name: string; readonly word: string; readonly reason: string };

// Lines of both tables: case or subtest, what it tests in the first, our word for it, and the reason.
const lines: readonly Line[] = [
  ...table.matchAll(/^\| ([^|]+) \|(?:[^|]+\|)? (match|better|part) \| ([^|]+) \|$/gm),
].map(([, name = '', word = '', reason = '']) => ({ name, word, reason }));

const rows = new Map<string, readonly string[]>(
  [...cases, ...mailCases].map(({ name, broken }) => [name, broken]),
);

test.for(lines)('$name is backed by a case that runs', ({ name, reason }) => {
  const named = peerCases[name] ?? [];
  expect(named.filter((row) => !rows.has(row))).toEqual([]);
  const fresh = freshZones.filter(({ kind }) => kind === name);
  const refused = refusedNames[name];
  expect(named.length + fresh.length + (refused === undefined ? 0 : 1)).toBeGreaterThan(0);
  const told = new Set([
    ...named.flatMap((row) => rows.get(row) ?? []),
    ...fresh.flatMap((zone) => zone.told),
  ]);
  const codes = [...reason.matchAll(/`([a-z]+-[a-z0-9-]+)`/g)].map(([, code = '']) => code);
  expect(codes.filter((code) => !told.has(code))).toEqual([]);
  expect(refused === undefined || !parseDomain(refused, labPolicy).ok).toBe(true);
});

test('no case is kept for a line that is not there', () => {
  const names = new Set(lines.map(({ name }) => name));
  const kept = [
    ...Object.keys(peerCases),
    ...Object.keys(refusedNames),
    ...freshZones.map(({ kind }) => kind),
  ];
  expect(kept.filter((name) => !names.has(name))).toEqual([]);
});
