import { expect, test } from 'vitest';
import type { Outline, OutlinedReport } from '#shared/catalogue/outline';
import { type Look, holdBack, replacePart } from '#shared/catalogue/second-look';
import { secondLook } from '#shared/model/watch-times';

const finding = (code: string, severity: 'critical' | 'high' | 'low' = 'high') => ({
  code,
  severity,
  title: code,
  scoreEffect: 0,
  fix: '',
});
const part = (check: string, more: Partial<OutlinedReport> = {}): OutlinedReport => ({
  check,
  target: 'a.test',
  state: 'complete',
  checkedAt: '2026-11-29T03:00:00.000Z',
  score: 90,
  grade: 'B',
  rulesVersion: 1,
  findings: [],
  passed: [],
  notTested: [],
  ...more,
});
const of = (...reports: OutlinedReport[]): Outline => ({ reports, expiries: [] });
const health = (more: Partial<OutlinedReport> = {}) => part('domain-health', more);
const ssl = (more: Partial<OutlinedReport> = {}) => part('ssl-check', { categories: { ssl: [] }, ...more });
const dns = (more: Partial<OutlinedReport> = {}) =>
  part('dns-check', { categories: { dns: [], mail: [] }, ...more });
const expired = { findings: [finding('certificate-expired', 'critical')] };
const renewed = { passed: ['certificate-expired'] };
const critical = { findings: [finding('finding-critical', 'critical')] };
const none = { passed: ['finding-critical'] };

const name = 'ssl-check a.test certificate-expired';
const own = 'domain-health a.test finding-critical';
const believed = ({ reports }: Outline) =>
  reports.flatMap(({ findings }) => findings.map(({ code }) => code));
const look = (from: Outline, to: Outline, more: Partial<Look> = {}) => {
  const { outline, ...held } = holdBack({ from, to, pending: [], ...more }, 'medium');
  return {
    believed: believed(outline),
    state: outline.reports[0]?.state,
    grade: outline.reports[0]?.grade,
    ...held,
  };
};

test('what is well in one look is as it was, and the check that found it is wanted again', () => {
  const from = of(health(critical), ssl(expired), dns());
  const to = of(health(none), ssl(renewed), dns());
  const first = look(from, to);
  expect(first).toMatchObject({
    believed: ['finding-critical', 'certificate-expired'],
    pending: [own, name],
    wanted: { check: 'ssl-check', target: 'a.test' },
  });
  const { pending } = first;
  const only = { check: 'ssl-check', target: 'a.test' };
  // The second look says so, too: then also what follows from it is believed.
  expect(look(from, replacePart(to, ssl(renewed)), { pending, only })).toMatchObject({
    believed: [],
    pending: [],
  });
  // It does not: nothing was told, and nothing is open.
  const again = look(from, replacePart(to, ssl(expired)), { pending, only });
  expect(again.believed.toSorted()).toEqual(['certificate-expired', 'finding-critical']);
  // It could not look: the next look is the second one.
  const blind = look(from, replacePart(to, ssl({ notTested: ['certificate-expired'] })), { pending, only });
  expect(blind.pending).toContain(name);
});

test('a look at one part confirms nothing of another', () => {
  const from = of(health(), ssl(expired), dns({ findings: [finding('spf-missing')] }));
  const to = of(health(), ssl(renewed), dns({ passed: ['spf-missing'] }));
  const { pending, wanted } = look(from, to);
  expect(wanted).toEqual({ check: 'ssl-check', target: 'a.test' });
  expect(look(from, to, { pending, ...(wanted ? { only: wanted } : {}) })).toMatchObject({
    believed: ['spf-missing'],
    pending: ['dns-check a.test spf-missing'],
  });
  expect(look(from, to, { pending }).believed).toEqual([]);
});

test('what is not grave enough to be told waits for the next turn', () => {
  const from = of(ssl({ findings: [finding('hsts-short', 'low')] }));
  expect(look(from, of(ssl({ passed: ['hsts-short'] })))).toMatchObject({
    believed: ['hsts-short'],
    wanted: undefined,
  });
});

test('a grade that rises and a target that is back are believed at the second look, what gets worse at once', () => {
  const low = of(ssl({ grade: 'F', score: 20 }));
  const high = of(ssl({ grade: 'A', score: 95 }));
  expect(look(low, high)).toMatchObject({ grade: 'F', pending: ['grade'], wanted: { check: 'ssl-check' } });
  expect(look(low, high, { pending: ['grade'] })).toMatchObject({ grade: 'A', pending: [] });
  expect(look(high, low)).toMatchObject({ grade: 'F', pending: [] });
  const gone = of(ssl({ state: 'unreachable', grade: null, score: null }));
  expect(look(gone, high)).toMatchObject({ state: 'unreachable', pending: ['state'] });
  expect(look(gone, high, { pending: ['state'] }).state).toBe('complete');
  expect(look(high, gone).state).toBe('unreachable');
});

test('that a target is gone is believed at once only where a control worked', () => {
  const here = of(ssl(renewed));
  const gone = of(ssl({ state: 'unreachable', untried: true, ...expired }));
  expect(look(here, gone)).toMatchObject({
    state: 'complete',
    believed: [],
    pending: ['gone'],
    wanted: { check: 'ssl-check' },
  });
  expect(look(here, gone, { pending: ['gone'] })).toMatchObject({ state: 'unreachable', pending: [] });
});

test('the second look comes after ten minutes, or a sixth of a short interval, and never after the next turn', () => {
  const watch = { watchId: 'w', everySeconds: 86_400 };
  const now = 1_764_000_000_000;
  const waits = [86_400, 3600, 60, 6].map((everySeconds) => {
    const times = Array.from({ length: 50 }, (_, at) =>
      secondLook({ ...watch, everySeconds }, `a${at}.test`, now),
    );
    return new Set(times.map((time) => time && time - now));
  });
  expect(waits.map((of50) => [...of50].filter((ms) => ms !== undefined))).toEqual([
    [600_000],
    [600_000],
    [10_000],
    [1000],
  ]);
});
