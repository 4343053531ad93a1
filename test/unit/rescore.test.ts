import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { brokenIn, rescore } from '#shared/health/raise/rescore';
import type { Json } from '#shared/model/verdict';
import { findCheck } from '../../worker/checks/registry.ts';
import { judge } from '../../worker/run/judge.ts';

const targets: { readonly [check: string]: string } = {
  'dns-check': 'a.test',
  'ssl-check': 'a.test',
  'security-header-check': 'https://a.test/',
  'pagespeed-check': 'https://a.test/',
};
const fixtures = Object.keys(targets).flatMap((check) =>
  globSync(`test/fixtures/${check}/*.json`).map((path) => ({ check, path })),
);

async function reportOf(check: string, path: string) {
  const found = await findCheck(check);
  if (!found) throw new Error(`${check} is no check`);
  return judge(found, {
    v: 1,
    check,
    target: targets[check] ?? '',
    options: {},
    reportId: null,
    checkedAtMs: Date.parse('2026-11-21T03:00:00Z'),
    durationMs: 1,
    freshForS: null,
    keepForS: null,
    evidence: JSON.parse(readFileSync(path, 'utf8')) as Json,
  });
}

test.for(fixtures)(
  '$path: with nothing fixed the arithmetic gives the score that the check gave',
  async ({ check, path }) => {
    const report = await reportOf(check, path);
    const again = rescore(report, { broken: brokenIn(report), fixed: new Set() });
    const isRated =
      check !== 'ssl-check' || ((report['sslLabs'] as { score: number } | null)?.score ?? 0) >= 80;
    const { dnsScore, mailScore, score } = report;
    const own = check === 'dns-check' ? { dnsScore, mailScore } : score;
    expect(again?.halves ?? again?.score).toEqual(score === null || !isRated ? undefined : own);
  },
);

test.for(fixtures)('$path: with everything fixed nothing is lost', async ({ check, path }) => {
  const report = await reportOf(check, path);
  const after = rescore(report, { broken: new Set(), fixed: brokenIn(report) });
  if (after === undefined) return;
  const scores = Object.values(after.halves ?? { score: after.score }).filter((score) => score !== null);
  for (const score of scores) expect(score).toBeGreaterThanOrEqual(90);
});
