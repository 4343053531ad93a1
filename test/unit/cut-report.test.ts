import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutReport, reportLimitBytes } from '#shared/model/cut-report';
import { makeReport, reportSchema } from '#shared/model/report';
import type { Rules } from '#shared/model/verdict';
import { runsOf } from '../kit/property-runs.ts';

const rules: Rules = {
  'header-bad': {
    severity: 'low',
    points: 1,
    title: 'A',
    detail: 'B',
    fix: 'C',
    references: ['RFC 9110 §5'],
  },
};
const facts = {
  check: 'redirect-check',
  target: { url: 'http://a.test/' },
  rules,
  rulesVersion: 1,
  reportId: 'a'.repeat(32),
  checkedAtMs: Date.UTC(2026, 10, 21),
  durationMs: 1,
  freshForS: 1,
  keepForS: 1,
};
const make = (fields: object, evidence: readonly { readonly [key: string]: string }[] = [{}]) =>
  makeReport(facts, {
    state: 'complete',
    verdicts: { 'header-bad': { broken: evidence } },
    fields: { ...fields },
  });
const sizeOf = (report: object) => Buffer.byteLength(JSON.stringify(report));
const headers = (count: number) =>
  Array.from({ length: count }, (_, index) => [`X-${index}`, 'v'.repeat(100)]);

test('a report of ordinary size is left as it is', () => {
  const hops = [{ url: 'http://a.test/', headers: headers(1200) }];
  expect(make({ hops })).toMatchObject({ hops });
  expect(make({ hops })).not.toHaveProperty('truncated');
});

test('long lists are cut and told by their field, short ones and the findings stay whole', () => {
  const hops = [
    { url: 'http://a.test/', headers: headers(9000) },
    { url: 'http://b.test/', headers: headers(9000) },
    { url: 'http://c.test/', headers: headers(3) },
  ];
  const report = make({ hops, records: { A: [1, 2, 3] } });
  expect(sizeOf(report)).toBeLessThanOrEqual(reportLimitBytes);
  expect(report.truncated).toEqual([{ field: 'hops.headers', kept: 2000, of: 18_000 }]);
  expect(report).toMatchObject({ findings: [{ code: 'header-bad' }], records: { A: [1, 2, 3] } });
  const [first, , third] = report['hops'] as { headers: unknown[] }[];
  expect([first?.headers.length, third?.headers.length]).toEqual([1000, 3]);
});

test('a table whose names a target chose is cut, the fields of an object are not', () => {
  const byName = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, index) => [`n${index}`, 'x'.repeat(50)]),
  );
  const report = make({ byName, fixed: { a: 1, b: 2 } });
  expect(report.truncated).toEqual([{ field: 'byName', kept: 1000, of: 20_000 }]);
  expect(report['fixed']).toEqual({ a: 1, b: 2 });
});

test('evidence and texts of a finding are cut too', () => {
  const evidence = Array.from({ length: 50 }, (_, index) => ({ value: String(index).padEnd(40_000, 'x') }));
  const report = make({}, evidence);
  expect(sizeOf(report)).toBeLessThanOrEqual(reportLimitBytes);
  expect(report.truncated).toEqual([{ field: 'findings.evidence.value', kept: 50 * 8192, of: 50 * 40_000 }]);
  expect(report.findings[0]?.evidence).toHaveLength(50);
});

test('whatever the fields, a report keeps its limit, its envelope, and is cut the same way again', () => {
  const fields = fc.dictionary(fc.stringMatching(/^[a-z]{3,8}X$/), fc.jsonValue({ maxDepth: 4 }), {
    maxKeys: 8,
  });
  fc.assert(
    fc.property(fields, fc.integer({ min: 1500, max: 20_000 }), (own, limitBytes) => {
      const report = { ...make({}), ...own };
      const cut = cutReport(report, limitBytes);
      expect(sizeOf(cut)).toBeLessThanOrEqual(Math.max(limitBytes, sizeOf(make({})) + 1500));
      expect(reportSchema.safeParse(cut).success).toBe(true);
      expect(cutReport(report, limitBytes)).toEqual(cut);
      expect(cut === report).toBe(sizeOf(report) <= limitBytes);
    }),
    { numRuns: runsOf(500) },
  );
});

test('lists nested in lists beyond all levels still end below the limit', () => {
  const deep = (depth: number): unknown =>
    depth === 0 ? 'leaf' : Array.from({ length: 5 }, () => deep(depth - 1));
  const cut = cutReport(make({ deep: deep(6), small: [1] }), 20_000);
  expect(sizeOf(cut)).toBeLessThanOrEqual(20_000);
  expect(cut.truncated).toEqual([{ field: 'deep', kept: 0, of: 1 }]);
  expect(cut['small']).toEqual([1]);
});
