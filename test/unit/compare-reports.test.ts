import { expect, test } from 'vitest';
import type { OutlinedReport } from '#shared/catalogue/outline';
import { makeReport } from '#shared/model/report';
import { type ComparedReport, compareReports } from '../../api/history/compare-reports.ts';

const finding = {
  code: 'certificate-expired',
  severity: 'critical',
  title: 'The certificate has expired',
  scoreEffect: -80,
  fix: 'Renew it.',
} as const;
const checkedAt = '2026-11-21T03:00:00.000Z';
const facts = {
  check: 'domain-health',
  target: { domain: 'a.test' },
  rules: {},
  rulesVersion: 8,
  reportId: 'a'.repeat(32),
  checkedAtMs: Date.parse(checkedAt),
  durationMs: 5,
  freshForS: 300,
  keepForS: 600,
};
const report = makeReport(facts, { state: 'complete', verdicts: {}, fields: {} });
const outlineOf = (check: string): OutlinedReport => ({
  check,
  target: 'a.test',
  state: 'complete',
  checkedAt,
  score: 90,
  grade: 'A',
  rulesVersion: 13,
  findings: [],
  passed: [],
  notTested: [],
});

/** A domain whose ssl-check says this; null: it has no report. */
function compared(seen: Partial<OutlinedReport> | null): ComparedReport {
  if (seen === null) return { domain: 'a.test', href: '' };
  const part: OutlinedReport = { ...outlineOf('ssl-check'), ...seen };
  return { domain: 'a.test', href: '', report, outline: { reports: [part], expiries: [] } };
}

test.for<[string, Partial<OutlinedReport> | null, { text: string; verdict: string }]>([
  ['has the fault', { findings: [finding] }, { text: '✗ critical', verdict: 'broken' }],
  [
    'has it less gravely',
    { findings: [{ ...finding, severity: 'low' }] },
    { text: '✗ low', verdict: 'broken' },
  ],
  ['does not have it', { passed: [finding.code] }, { text: '✓ not found', verdict: 'holds' }],
  ['was not tested for it', { notTested: [finding.code] }, { text: '– not tested', verdict: 'not-tested' }],
  ['has no use for the rule', {}, { text: '– not applicable', verdict: 'unknown' }],
  ['was checked by older rules', { rulesVersion: 12 }, { text: '– not tested', verdict: 'unknown' }],
  ['was not checked to the end', { state: 'failed' }, { text: '– not tested', verdict: 'unknown' }],
  ['has no report', null, { text: '– no report', verdict: 'unknown' }],
])('beside a domain with an expired certificate, one that %s reads so', ([, seen, cell]) => {
  const { rows } = compareReports([compared({ findings: [finding] }), compared(seen)]);
  const row = rows.find(({ code }) => code === finding.code);
  expect(row?.name).toBe('The certificate has expired');
  expect(row?.cells[1]).toMatchObject(cell);
});

test('a row that every domain breaks only through another one names that one', () => {
  const told = { ...makeReport(facts, { state: 'complete', verdicts: {}, fields: {} }) };
  const named = (check: string, code: string, category: string | null) => ({
    ...finding,
    fix: { text: '' },
    check,
    code,
    target: check === 'ssl-check' ? 'a.test' : 'https://a.test/',
    category,
    domainEffect: 0,
    detail: '',
    evidence: [],
    references: [],
  });
  const partFindings = [
    named('ssl-check', 'certificate-expired', 'ssl'),
    named('security-header-check', 'certificate-not-trusted', 'headers'),
  ];
  const own = {
    ...finding,
    code: 'finding-critical',
    fix: { text: '' },
    detail: '',
    evidence: [{ category: 'ssl', code: 'certificate-expired' }],
    references: [],
  };
  const outlined = (check: string, code: string): OutlinedReport => ({
    ...outlineOf(check),
    findings: [{ ...finding, code }],
  });
  const reports = [
    outlined('domain-health', 'finding-critical'),
    outlined('ssl-check', 'certificate-expired'),
    outlined('security-header-check', 'certificate-not-trusted'),
  ];
  const broken: ComparedReport = {
    domain: 'a.test',
    href: '',
    report: { ...told, findings: [own], partFindings },
    outline: { reports, expiries: [] },
  };
  const { rows } = compareReports([broken, compared({ passed: ['certificate-expired'] })]);
  const causes = rows
    .filter(({ kind }) => kind === 'verdict')
    .map(({ code, consequenceOf }) => [code, consequenceOf]);
  const cause = { check: 'ssl-check', code: 'certificate-expired' };
  expect(Object.fromEntries(causes)).toEqual({
    'certificate-expired': null,
    'finding-critical': cause,
    'certificate-not-trusted': cause,
  });
});
