import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { rules } from '#shared/catalogue/dns-check/rules';
import { parseDomain } from '#shared/targets/parse-target';
import { internetNlRows, type PeerRow, zonemasterRows } from '../../docs/peer-rows.ts';
import { freshZones } from '../../lab/dns-check/fresh-zones.ts';
import { cases } from './cases.ts';
import { cases as mailCases } from './mail/cases.ts';
import { peerCases, refusedNames } from './peer-cases.ts';
import { labPolicy } from './run-check.ts';

const page = readFileSync(new URL('../../../docs/compared.md', import.meta.url), 'utf8');
const [, table = ''] = /<!-- dns: .*? -->(.*)<!-- \/dns -->/s.exec(page) ?? [];
const peerRows = [...zonemasterRows, ...internetNlRows];

const codesIn = (text: string): readonly string[] =>
  [...text.matchAll(/`([a-z]+-[a-z0-9-]+)`/g)].map(([, code = '']) => code);

test('the page of peers has each of the 73 cases of Zonemaster once, under one of four words', () => {
  const words = ['match', 'better', 'part', 'left out'];
  const told = [...table.matchAll(/^\| ([A-Z]+) \|(.+)\|(.+)\|(.+)\|(.+)\|.+\|$/gm)].flatMap(
    ([, area = '', ...cells]) =>
      cells.flatMap((cell, column) =>
        [...cell.matchAll(/\d\d/g)].map(([number]) => `${area}${number} ${words[column]}`),
      ),
  );
  expect(told).toHaveLength(73);
  expect(told.toSorted()).toEqual(zonemasterRows.map(({ name, word }) => `${name} ${word}`).toSorted());
});

const areas = Map.groupBy(zonemasterRows, ({ name }) => name.replace(/\d+$/, ''));
const groups = [...areas, ...Map.groupBy(internetNlRows, ({ word }) => word)];

test.for(groups)('the line of %s has the codes of all its rows, and no others', ([head, rows]) => {
  const lines = table.split('\n').filter((line) => line.startsWith(`| ${head} |`));
  expect(lines).toHaveLength(1);
  const codes = new Set<string>(rows.flatMap((row) => row.codes));
  expect(codesIn(lines[0] ?? '').toSorted()).toEqual([...codes].toSorted());
});

test.for(peerRows.filter(({ note }) => note !== ''))('the page says of $name what differs', (row) => {
  const lines = table.split('\n').filter((line) => line.endsWith(`| ${row.word} | ${row.note} |`));
  expect(lines).toHaveLength(1);
  expect(lines[0]?.split(' | ')[0]).toContain(row.name);
});

test('what is left out has a reason, and so has what is told better or in part', () => {
  expect(peerRows.filter(({ word, note }) => word !== 'match' && note === '')).toEqual([]);
});

test('every code that the table of peers names is a rule of today', () => {
  const codes = codesIn(table);
  expect(codes.length).toBeGreaterThan(60);
  expect(codes.filter((code) => !Object.hasOwn(rules, code))).toEqual([]);
});

test('every code that the table of peers names is broken by a row of the tables here', () => {
  const broken = new Set<string>([...cases, ...mailCases].flatMap((row) => [...row.broken]));
  expect(codesIn(table).filter((code) => !broken.has(code))).toEqual([]);
});

const backed: readonly PeerRow[] = peerRows.filter(({ word }) => word !== 'left out');

const rows = new Map<string, readonly string[]>(
  [...cases, ...mailCases].map(({ name, broken }) => [name, broken]),
);

test.for(backed)('$name is backed by a case that runs', ({ name, codes, note }) => {
  const named = peerCases[name] ?? [];
  expect(named.filter((row) => !rows.has(row))).toEqual([]);
  const fresh = freshZones.filter(({ kind }) => kind === name);
  const refused = refusedNames[name];
  expect(named.length + fresh.length + (refused === undefined ? 0 : 1)).toBeGreaterThan(0);
  const told = new Set<string>([
    ...named.flatMap((row) => rows.get(row) ?? []),
    ...fresh.flatMap((zone) => zone.told),
  ]);
  expect([...codes, ...codesIn(note)].filter((code) => !told.has(code))).toEqual([]);
  expect(refused === undefined || !parseDomain(refused, labPolicy).ok).toBe(true);
});

test('no case is kept for a row that is not there', () => {
  const names = new Set(backed.map(({ name }) => name));
  const kept = [
    ...Object.keys(peerCases),
    ...Object.keys(refusedNames),
    ...freshZones.map(({ kind }) => kind),
  ];
  expect(kept.filter((name) => !names.has(name))).toEqual([]);
});
