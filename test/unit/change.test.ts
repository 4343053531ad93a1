import { expect, test } from 'vitest';
import { areFiguresAlike, changesBetween, findingNow, type Verdicted } from '#shared/catalogue/change';
import { diffReports } from '#shared/catalogue/diff';
import { newsBetween } from '#shared/catalogue/news';
import { outlineOf } from '#shared/catalogue/outline';
import { catalogue, findSpec } from '#shared/catalogue/registry';
import type { Report } from '#shared/model/report';
import { makeFailedReport } from '#shared/model/report';
import type { Severity } from '#shared/model/verdict';

type Row = {
  readonly name: string;
  readonly from: Verdicted;
  readonly to: Verdicted;
  /** list → codes, where not empty. */
  readonly told: Readonly<Record<string, readonly string[]>>;
};

const found = (code: string, severity: Severity = 'high', scoreEffect = -7.5) => ({
  code,
  severity,
  scoreEffect,
});
const report = (check: string, more: Partial<Verdicted> = {}): Verdicted => ({
  check,
  state: 'complete',
  rulesVersion: findSpec(check)?.rulesVersion ?? 1,
  findings: [],
  passed: [],
  notTested: [],
  ...more,
});
const headers = (more: Partial<Verdicted> = {}) => report('security-header-check', more);
const old = (rulesVersion: number, ...findings: Verdicted['findings']) => headers({ rulesVersion, findings });
const unseen = (code: string) => [{ code, reason: 'it was late' }];

const rows: readonly Row[] = [
  {
    name: 'broken, then looked at again, and it holds',
    from: headers({ findings: [found('csp-missing', 'high', -15)] }),
    to: headers({ passed: ['csp-missing'] }),
    told: { fixed: ['csp-missing'] },
  },
  {
    name: 'broken, then not tested',
    from: headers({ findings: [found('csp-missing')] }),
    to: headers({ notTested: unseen('csp-missing') }),
    told: { noLongerTested: ['csp-missing'] },
  },
  {
    name: 'broken, then there is nothing that it speaks of',
    from: headers({ findings: [found('cookie-no-secure', 'low', -1.5)] }),
    to: headers(),
    told: { noLongerApplies: ['cookie-no-secure'] },
  },
  {
    name: 'a run that failed looked at nothing',
    from: headers({ findings: [found('csp-missing')] }),
    to: headers({ state: 'failed', findings: [found('check-failed', 'info', 0)] }),
    told: { noLongerTested: ['csp-missing'], notSeen: ['check-failed'] },
  },
  {
    name: 'a code that was renamed is the same finding',
    from: old(5, found('redirect-downgrade', 'high', 0)),
    to: headers({ findings: [found('https-downgrade', 'high', 0)] }),
    told: { both: ['https-downgrade'] },
  },
  {
    name: 'two codes that are one now are one finding',
    from: old(5, found('redirect-missing'), found('redirect-ends-on-http')),
    to: headers({ findings: [found('http-not-upgraded')] }),
    told: { both: ['http-not-upgraded'] },
  },
  {
    name: 'the other way round as well',
    from: headers({ findings: [found('http-not-upgraded')] }),
    to: old(5, found('redirect-missing'), found('redirect-ends-on-http')),
    told: { both: ['redirect-missing'] },
  },
  {
    name: 'of two codes that are one now, one that was not tested is enough for not knowing',
    from: old(5, found('redirect-missing')),
    to: headers({ rulesVersion: 5, passed: ['redirect-missing'], notTested: ['redirect-ends-on-http'] }),
    told: { noLongerTested: ['redirect-missing'] },
  },
  {
    name: 'a code that was renamed and holds now is fixed',
    from: report('pagespeed-check', {
      rulesVersion: 11,
      findings: [found('page-redirect-loop', 'high', 0)],
    }),
    to: report('pagespeed-check', { passed: ['page-interstitial'] }),
    told: { fixed: ['page-redirect-loop'] },
  },
  {
    name: 'a code that no rule of today has',
    from: old(5, found('header-of-old')),
    to: headers(),
    told: { noLongerJudged: ['header-of-old'] },
  },
  {
    name: 'a rule that has other points since then',
    from: old(15, found('sri-missing-crossorigin', 'low', -1)),
    to: headers({ passed: ['sri-missing-crossorigin'] }),
    told: { noLongerJudged: ['sri-missing-crossorigin'] },
  },
  {
    name: 'a rule that had other points before, of the same severity',
    from: old(7, found('csp-missing', 'high', 0)),
    to: headers({ passed: ['csp-missing'] }),
    told: { noLongerJudged: ['csp-missing'] },
  },
  {
    name: 'a real fix at an upgrade of our rules is not lost',
    from: old(12, found('csp-missing', 'high', -15)),
    to: headers({ passed: ['csp-missing'] }),
    told: { fixed: ['csp-missing'] },
  },
  {
    name: 'what an older release did not know is not called new',
    from: old(12),
    to: headers({ findings: [found('csp-semicolon-missing')] }),
    told: { newlyTested: ['csp-semicolon-missing'] },
  },
  {
    name: 'what was not looked at before is not called new',
    from: headers({ notTested: unseen('csp-missing') }),
    to: headers({ findings: [found('csp-missing', 'high', -15)] }),
    told: { newlyTested: ['csp-missing'] },
  },
  {
    name: 'what held before and is broken now is new',
    from: headers({ rulesVersion: 12, passed: ['csp-missing'] }),
    to: headers({ findings: [found('csp-missing', 'high', -15)] }),
    told: { added: ['csp-missing'] },
  },
  {
    name: 'a wall that came',
    from: headers({ findings: [found('csp-missing')] }),
    to: headers({
      state: 'partial',
      findings: [found('target-blocks-checks', 'medium', 0)],
      notTested: unseen('csp-missing'),
    }),
    told: { noLongerTested: ['csp-missing'], notSeen: ['target-blocks-checks'] },
  },
  {
    name: 'a wall that went',
    from: headers({ state: 'partial', findings: [found('target-blocks-checks', 'medium', 0)] }),
    to: headers({ passed: ['target-blocks-checks'] }),
    told: { seenAgain: ['target-blocks-checks'] },
  },
];

test.for(rows)('$name', ({ from, to, told }) => {
  const changes = Object.entries(changesBetween(from, to)).flatMap(([name, all]) => {
    const codes = all.map((one) => ('code' in one ? one.code : one[1].code));
    return codes.length === 0 ? [] : [[name, codes]];
  });
  expect(Object.fromEntries(changes)).toEqual(told);
});

const named = catalogue.flatMap(({ name: check, rules, rulesVersion }) =>
  Object.entries(rules).flatMap(([code, { severity, points, replaces = [] }]) =>
    [code, ...replaces].map((name) => {
      const finding = { code: name, severity, scoreEffect: -points };
      return { check, code, name, was: report(check, { rulesVersion, findings: [finding] }) };
    }),
  ),
);

test('every finding of every check has its four answers, under each name that it had', () => {
  const wrong = named.filter(({ check, code, name, was }) => {
    const states = [{ passed: [code] }, { findings: [found(code)] }, { notTested: [code] }, {}].map(
      (verdicts) => findingNow(report(check, verdicts), name, was).state,
    );
    return states.join(' ') !== 'fixed found not-tested not-applicable';
  });
  expect(named.length).toBeGreaterThan(750);
  expect(wrong).toEqual([]);
});

test('figures are alike only where the same was seen', () => {
  const seen = headers({ passed: ['csp-missing', 'target-is-default-page'] });
  expect(areFiguresAlike(seen, headers({ findings: [found('csp-missing')] }))).toBe(true);
  expect(areFiguresAlike(seen, headers({ notTested: ['csp-missing'] }))).toBe(false);
  expect(areFiguresAlike(headers({ notTested: ['csp-missing'] }), seen)).toBe(false);
  expect(areFiguresAlike(seen, headers({ rulesVersion: 5 }))).toBe(false);
  expect(areFiguresAlike(seen, headers({ state: 'partial' }))).toBe(false);
  expect(areFiguresAlike(headers({ state: 'partial' }), headers({ state: 'partial' }))).toBe(true);
});

const whole = (more: Partial<Report>): Report => {
  const spec = findSpec('domain-health');
  if (!spec) throw new Error('it is in the catalogue');
  const { rules, rulesVersion } = spec;
  const facts = { check: 'domain-health', target: { domain: 'a.test' }, rules, rulesVersion };
  const times = { reportId: '0'.repeat(32), checkedAtMs: 1e12, durationMs: 1, freshForS: 1, keepForS: 1 };
  return {
    ...makeFailedReport({ ...facts, ...times }, ''),
    state: 'complete',
    findings: [],
    notTested: [],
    ...more,
  };
};
const category = (state: string, rulesVersion: number, reason?: string) => ({
  state,
  ...(reason === undefined ? {} : { reason }),
  report: { check: 'pagespeed-check', rulesVersion },
});
const critical: Report['findings'][number] = {
  code: 'finding-critical',
  severity: 'critical',
  title: 'A category has a critical finding',
  detail: '',
  scoreEffect: 0,
  evidence: [],
  fix: { text: '' },
  references: [],
};

test('a part that was late is said as what it is, and its grades are no change of the domain', () => {
  const before = whole({
    findings: [critical],
    categories: { performance: category('ok', 3), dns: category('ok', 2) },
  });
  const late = whole({
    state: 'partial',
    notTested: [{ code: 'finding-critical', reason: 'in Speed, it was late' }],
    categories: { performance: category('unavailable', 3, 'it did not end in time'), dns: category('ok', 2) },
  });
  const diff = diffReports(before, late);
  expect(diff.notes).toEqual(['Speed was not seen this time: it did not end in time.']);
  expect(diff.findings).toMatchObject({ fixed: [], noLongerTested: [{ code: 'finding-critical' }] });
  expect(diff.isScoreComparable).toBe(false);
  expect(diffReports(late, before).notes).toEqual(['Speed is seen again.']);
  expect(newsBetween(outlineOf(before), outlineOf(late))).toEqual([]);
});

test('where a part has other rules, what is said of the grades of parts is neither new nor fixed', () => {
  const before = whole({ findings: [critical], categories: { dns: category('ok', 2) } });
  const after = whole({ passed: ['finding-critical'], categories: { dns: category('ok', 3) } });
  expect(diffReports(before, after)).toMatchObject({
    rulesChanged: true,
    findings: { fixed: [], noLongerJudged: [{ code: 'finding-critical' }] },
  });
  expect(diffReports(after, before).findings).toMatchObject({
    added: [],
    newlyTested: [{ code: 'finding-critical' }],
  });
});

test('what “Check this again” does not find any more is fixed, and all else is as it was', () => {
  const categories = { ssl: category('ok', 2) };
  const partFindings = ['hsts-missing', 'tls10-offered'].map((code) => ({
    ...critical,
    code,
    check: 'ssl-check',
  }));
  const recheckOf = (state: string) => ({
    recheck: { check: 'ssl-check', target: 'a.test', code: 'hsts-missing', state },
    recheckedAt: { check: 'ssl-check', at: '2026-11-29T03:00:00.000Z' },
  });
  const before = whole({ findings: [critical], categories, partFindings });
  const after = whole({
    findings: [critical],
    categories,
    partFindings: partFindings.slice(1),
    ...recheckOf('fixed'),
  });
  expect(diffReports(before, after).findings).toMatchObject({
    fixed: [{ code: 'hsts-missing' }],
    added: [],
    noLongerTested: [],
    unchanged: 1,
  });
  const found = whole({ findings: [critical], categories, partFindings, ...recheckOf('found') });
  expect(diffReports(before, found).findings).toMatchObject({ fixed: [], unchanged: 1 });
});

test('a category that does not apply any more is not called unseen', () => {
  const before = whole({ categories: { performance: category('ok', 3), dns: category('ok', 2) } });
  const closed = {
    performance: category('not-applicable', 3, 'no web server answers'),
    dns: category('ok', 2),
  };
  expect(diffReports(before, whole({ categories: closed })).notes).toEqual([]);
  expect(diffReports(whole({ categories: closed }), before).notes).toEqual([]);
});
