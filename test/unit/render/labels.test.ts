import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { catalogue } from '#shared/catalogue/registry';
import type { Report } from '#shared/model/report';
import { labelOf, partLabelOf, unicodeOf } from '#shared/render/labels';
import { tookWords, valueWords, withoutTarget } from '#shared/render/report-words';

test.for([
  ['recordsUnknown', 'Records unknown'],
  ['rttMs', 'Round trip'],
  ['ttfb', 'Time to first byte'],
  ['timeToFirstByte', 'Time to first byte'],
  ['tlsRpt', 'TLS reports'],
  ['http3Advertised', 'HTTP/3'],
  ['sslLabsEquivalent', 'SSL Labs letter'],
  ['url', 'URL'],
  ['notAfter', 'Not after'],
  // A name that a target chose.
  ['toString', 'toString'],
  ['X-Frame-Options', 'X-Frame-Options'],
])('a reader calls %s %s', ([name, label]) => {
  expect(labelOf(name ?? '')).toBe(label);
});

test.for([
  ['xn--bcher-kva.test', 'bücher.test'],
  ['https://xn--bcher-kva.test:8443/x', 'https://bücher.test:8443/x'],
  ['a.test', undefined],
  ['https://a.test/xn--bcher-kva.test', undefined],
  ['xn--99999999.test', undefined],
])('%s is shown as %s', ([name, shown]) => {
  expect(unicodeOf(name ?? '')).toBe(shown);
});

test('times are told in units that a reader knows', () => {
  expect([412, 16_700].map(tookWords)).toEqual(['412\u00a0ms', '16.7\u00a0s']);
});

test.for([
  ['rttMs', 0.925, '1\u00a0ms'],
  ['totalMs', 16_700, '16.7\u00a0s'],
  ['sizeBytes', 522, '522 bytes'],
  ['sizeBytes', 1, '1 byte'],
  ['receivedBytes', 240_206, '235\u00a0KiB'],
  ['throughputKbps', 1638.4, '1638.4\u00a0kbit/s'],
  ['wastedPercent', 12, '12\u00a0%'],
  ['lifetimeDays', 90, '90 days'],
  ['lifetimeS', 3600, '3600 seconds'],
  ['ttl', 300, '300 seconds'],
  ['score', 12, '12'],
  ['rttMs', null, 'null'],
  // A name that a target chose.
  ['theirMs', 12, '12'],
] as const)('a reader is told %s %s as %s', ([name, value, words]) => {
  expect(valueWords(name, value)).toBe(words);
});

test.for([
  { target: 'a.test', evidence: [{ name: 'a.test' }], shown: [] },
  { target: 'a.test', evidence: [{ url: 'https://a.test/' }], shown: [] },
  { target: 'https://a.test/x', evidence: [{ url: 'https://a.test/x', host: 'a.test' }], shown: [] },
  { target: 'a.test', evidence: [{ url: 'http://a.test/' }], shown: [{ url: 'http://a.test/' }] },
  { target: 'a.test', evidence: [{ name: 'a.test', ttl: 5 }], shown: [{ name: 'a.test', ttl: 5 }] },
  // One of several is reported with the others.
  {
    target: 'a.test',
    evidence: [{ name: 'a.test' }, { name: 'www.a.test' }],
    shown: [{ name: 'a.test' }, { name: 'www.a.test' }],
  },
])('of $target, $evidence is shown as $shown', ({ target, evidence, shown }) => {
  expect(withoutTarget({ evidence }, target).evidence).toEqual(shown);
});

test('no part of any rule is shown as a field name', () => {
  const parts = catalogue.flatMap(({ rules }) => Object.values(rules).flatMap(({ part }) => part ?? []));
  const shown = [...new Set(parts)].map(partLabelOf);
  expect(shown.filter((label) => /[a-z][A-Z]|[a-z]-[a-z]/.test(label))).toEqual([]);
  expect(['mtaSts', 'entryPoints', 'script-injection', 'spf', 'certificate'].map(partLabelOf)).toEqual([
    'MTA-STS',
    'entry points',
    'script injection',
    'SPF',
    'certificate',
  ]);
});

/** Names of fields at any depth of a schema. */
function namesIn(schema: unknown, seen = new Set<unknown>()): string[] {
  const def = (schema as { _zod?: { def?: Record<string, unknown> } } | undefined)?._zod?.def;
  if (!def || seen.has(schema)) return [];
  seen.add(schema);
  const { shape = {}, innerType, element, valueType, options = [], items = [] } = def;
  const inner = [innerType, element, valueType, ...(options as unknown[]), ...(items as unknown[])];
  return [
    ...Object.entries(shape as object).flatMap(([name, field]) => [name, ...namesIn(field, seen)]),
    ...inner.flatMap((one) => namesIn(one, seen)),
  ];
}

/** Names at any depth of a report. */
function keysIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(keysIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [key, ...keysIn(inner)]);
}

test('every field of every report has words', () => {
  const reports = readdirSync('test/fixtures/golden').filter((file) => file.endsWith('.json'));
  const names = [
    ...catalogue.flatMap(({ reportShape }) => namesIn(z.object(reportShape))),
    ...reports.flatMap((file) => keysIn(JSON.parse(readFileSync(`test/fixtures/golden/${file}`, 'utf8')))),
  ];
  const composed = [...new Set(names)].filter((name) => /^[a-z][a-z0-9]*(?:[A-Z][a-zA-Z0-9]*)+$/.test(name));
  expect(composed.length).toBeGreaterThan(150);
  expect(composed.filter((name) => labelOf(name) === name)).toEqual([]);
});

test('every word of ours that heads a column begins with a capital', () => {
  const reports = readdirSync('test/fixtures/golden').filter((file) => file.endsWith('.json'));
  const evidence = reports.flatMap((file) =>
    (JSON.parse(readFileSync(`test/fixtures/golden/${file}`, 'utf8')) as Report).findings.flatMap((finding) =>
      finding.evidence.flatMap((piece) => Object.keys(piece)),
    ),
  );
  const names = [...catalogue.flatMap(({ reportShape }) => namesIn(z.object(reportShape))), ...evidence];
  const single = [...new Set(names)].filter((name) => /^[a-z][a-z0-9]*$/.test(name));
  expect(single.length).toBeGreaterThan(250);
  expect(single.filter((name) => /^[a-z]/.test(labelOf(name)))).toEqual([]);
});
