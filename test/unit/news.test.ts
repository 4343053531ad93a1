import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { haveOtherRules, newsBetween } from '#shared/catalogue/news';
import {
  type Outline,
  type OutlinedReport,
  outlineOf,
  packOutline,
  unpackOutline,
} from '#shared/catalogue/outline';
import type { Report } from '#shared/model/report';

const finding = (code: string, severity: 'critical' | 'medium' | 'low' = 'medium') => ({
  code,
  severity,
  title: `It is ${code}`,
  scoreEffect: -5,
  fix: `Fix ${code}.`,
});
const report = (more: Partial<OutlinedReport> = {}): OutlinedReport => ({
  check: 'dns-check',
  target: 'a.test',
  state: 'complete',
  checkedAt: '2026-11-21T03:00:00.000Z',
  score: 90,
  grade: 'A',
  rulesVersion: 1,
  findings: [],
  passed: ['x'],
  notTested: [],
  ...more,
});
const outline = (...reports: readonly OutlinedReport[]): Outline => ({ reports: [...reports], expiries: [] });
const health = (more: Partial<OutlinedReport> = {}) => report({ check: 'domain-health', ...more });

const cases: readonly {
  readonly name: string;
  readonly from: Outline;
  readonly to: Outline;
  readonly news: readonly string[];
}[] = [
  {
    name: 'a new finding, and one that is fixed',
    from: outline(report({ findings: [finding('y', 'low')] })),
    to: outline(report({ findings: [finding('x')], passed: ['y'] })),
    news: ['finding-added x medium', 'finding-fixed y low'],
  },
  {
    name: 'a finding of the same code with another severity',
    from: outline(report({ findings: [finding('x', 'low')] })),
    to: outline(report({ findings: [finding('x', 'critical')] })),
    news: ['finding-changed x critical'],
  },
  {
    name: 'what could not be looked at is neither new nor fixed',
    from: outline(report({ findings: [finding('y')], notTested: ['x'] })),
    to: outline(report({ findings: [finding('x')], notTested: ['y'] })),
    news: [],
  },
  {
    name: 'a grade that falls, and one that rises to be told as such',
    from: outline(report({ grade: 'A' })),
    to: outline(report({ grade: 'F' })),
    news: ['grade null high'],
  },
  {
    name: 'a grade that rises',
    from: outline(report({ grade: 'C' })),
    to: outline(report({ grade: 'B' })),
    news: ['grade null info'],
  },
  {
    name: 'a score that could not be computed is no fall',
    from: outline(report()),
    to: outline(report({ grade: null, score: null, state: 'partial' })),
    news: [],
  },
  {
    name: 'a target that cannot be reached any more',
    from: outline(report()),
    to: outline(report({ state: 'unreachable', grade: null, score: null, passed: [], notTested: ['x'] })),
    news: ['state null critical'],
  },
  {
    name: 'a run of ours that failed is no news, in either direction',
    from: outline(report({ findings: [finding('y')] })),
    to: outline(report({ state: 'failed', grade: null, score: null })),
    news: [],
  },
  {
    name: 'a rule that is new with another release is not told, and the grade that it changes neither',
    from: outline(report({ rulesVersion: 1 })),
    to: outline(report({ rulesVersion: 2, grade: 'B', findings: [finding('new-rule')] })),
    news: [],
  },
  {
    name: 'a rule that held under the old rules is told, though they changed',
    from: outline(report({ rulesVersion: 1 })),
    to: outline(report({ rulesVersion: 2, grade: 'B', findings: [finding('x')], passed: [] })),
    news: ['finding-added x medium'],
  },
  {
    name: 'a part of domain-health tells its own; one that is missing tells nothing',
    from: outline(
      health(),
      report({ categories: { dns: [], mail: ['y'] }, findings: [finding('y')] }),
      report({ check: 'ssl-check', findings: [finding('z')] }),
    ),
    to: outline(
      health(),
      report({ categories: { dns: ['x'], mail: [] }, findings: [finding('x')], passed: ['y'] }),
    ),
    news: ['finding-added x medium dns', 'finding-fixed y medium mail'],
  },
];

test.for(cases)('$name', ({ from, to, news }) => {
  const told = newsBetween(from, to).map(({ kind, code, severity, category }) =>
    [kind, code, severity, ...(category === null ? [] : [category])].join(' '),
  );
  expect(told.map((line) => line.replace(/^grade {2}|^state {2}/, (word) => `${word.trim()} null `))).toEqual(
    news,
  );
  expect(haveOtherRules(from, to)).toBe(from.reports[0]?.rulesVersion !== to.reports[0]?.rulesVersion);
});

test('the outline of a report has its verdicts, and comes back as it was kept', () => {
  const golden = JSON.parse(readFileSync('test/fixtures/golden/dns-check.json', 'utf8')) as Report;
  const kept = outlineOf(golden);
  expect(unpackOutline(packOutline(kept))).toEqual(kept);
  expect(kept.reports[0]?.findings.map(({ code }) => code)).toEqual(golden.findings.map(({ code }) => code));
  expect(newsBetween(kept, kept)).toEqual([]);
});
