import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Report } from '#shared/model/report';
import type { Json } from '#shared/model/verdict';
import { partFindingsOf } from '#shared/render/health';
import { pictures } from '#shared/render/html/pictures/pictures';
import { markOf, markOfThing } from '#shared/render/html/pictures/verdict-marks';
import { printMarkup } from '#shared/render/markup';
import { findCheck } from '../../../worker/checks/registry.ts';
import { judge } from '../../../worker/run/judge.ts';

const targets: { readonly [check: string]: string } = {
  'dns-check': 'a.test',
  'domain-health': 'a.test',
  'ssl-check': 'a.test',
  'security-header-check': 'https://a.test/',
  'pagespeed-check': 'https://a.test/',
  'redirect-check': 'http://a.test/',
  'smtp-check': 'a.test',
};
const fixtures = Object.keys(targets).flatMap((check) =>
  globSync(`test/fixtures/${check}/*.json`).map((path) => ({ check, path })),
);

async function reportOf(check: string, path: string): Promise<Report> {
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

type Seen = {
  readonly row: string;
  readonly sign: string;
  readonly codes: readonly string[];
  /** The names of the thing that the row is about; none where it is about the whole. */
  readonly names: readonly string[];
};

/** Every mark of a page: the words of its row, its sign, and the rules that it names. */
function marksOf(report: Report): readonly Seen[] {
  const text = printMarkup(pictures(report, {}));
  return [...text.matchAll(/<(?:tr|li)>(?:(?!<\/(?:tr|li)>)[\s\S])*/g)].flatMap(([row]) =>
    [
      ...row.matchAll(
        /<span class="severity \w+"(?: data-rules="([^"]*)")?><span aria-hidden="true">(.)<\/span>/g,
      ),
    ].map(([, rules = '', sign = '']) => ({
      row: row.replaceAll(/<[^>]*>/g, ' '),
      sign,
      codes: rules.split(' ').filter((code) => code !== ''),
      names: [...row.matchAll(/<bdi[^>]*>([\s\S]*?)<\/bdi>/g)].flatMap(([, name = '']) =>
        name.replaceAll(/<[^>]*>/g, '').split(', '),
      ),
    })),
  );
}

let compared = 0;
test.for(fixtures)('$path: each mark is what the verdicts of its rules say', async ({ check, path }) => {
  const report = await reportOf(check, path);
  const all = [...report.findings, ...partFindingsOf(report)];
  const wrong: string[] = [];
  for (const { row, sign, codes, names } of marksOf(report)) {
    compared += 1;
    const found = all.filter(({ code, severity }) => codes.includes(code) && severity !== 'info');
    // A row about one of several things is judged by what names it.
    const own =
      names.length > 0
        ? found.filter(({ evidence }) =>
            evidence.some((piece) =>
              Object.values(piece)
                .flat()
                .some((value) => typeof value === 'string' && names.includes(value)),
            ),
          )
        : found;
    const isGrave = own.some(({ severity }) => severity === 'critical' || severity === 'high');
    const isGood = sign === '✓' && own.length === 0 && codes.length + Number(check === 'domain-health') > 0;
    const isAsTold = sign === '✗' ? found.length > 0 : sign === '!' ? !isGrave : sign === '–' || isGood;
    if (!isAsTold)
      wrong.push(
        `${sign} ${row.replaceAll(/\s+/g, ' ').slice(0, 120)}: ${own.map(({ code }) => code).join(' ')}`,
      );
  }
  expect(wrong.join('|')).toBe('');
});

/** The colour of each drawing that stands for rules, with those rules. */
function tonesOf(report: Report): readonly { readonly tone: string; readonly codes: readonly string[] }[] {
  const text = printMarkup(pictures(report, {}));
  return [...text.matchAll(/<(?:g|svg) class="(\w+)" data-rules="([^"]*)"/g)].map(
    ([, tone = '', rules = '']) => ({ tone, codes: rules.split(' ') }),
  );
}

let coloured = 0;
test.for(fixtures)('$path: the colour of each drawing comes from its rules', async ({ check, path }) => {
  const report = await reportOf(check, path);
  const all = [...report.findings, ...partFindingsOf(report)].filter(({ severity }) => severity !== 'info');
  const seen = new Set([
    ...report.passed,
    ...[...report.findings, ...partFindingsOf(report)].map(({ code }) => code),
  ]);
  const wrong = tonesOf(report).filter(({ tone, codes }) => {
    coloured += 1;
    const found = all.filter(({ code }) => codes.includes(code));
    if (tone === 'high') return !found.some(({ severity }) => severity === 'critical' || severity === 'high');
    if (tone === 'medium') return found.length === 0;
    return tone === 'pass' && !codes.some((code) => seen.has(code));
  });
  expect(wrong).toEqual([]);
  // A drawing in a colour of severities says by which rules.
  const silent = printMarkup(pictures(report, {})).match(/<g class="(?:pass|medium|high)">/g);
  expect(silent).toBeNull();
});

test('there are marks to compare', () => {
  console.log(
    `${compared} marks and ${coloured} drawings compared with their verdicts, in ${fixtures.length} reports`,
  );
  expect(compared).toBeGreaterThan(250);
  expect(coloured).toBeGreaterThan(50);
});

const judged = (broken: readonly string[], passed: readonly string[], evidence: object[] = [{}]) => ({
  findings: broken.map((code) => ({
    code,
    severity: code.startsWith('grave')
      ? ('critical' as const)
      : code.startsWith('note')
        ? ('info' as const)
        : ('low' as const),
    title: '',
    detail: '',
    scoreEffect: 0,
    evidence: evidence as Report['findings'][number]['evidence'],
    fix: { text: '' },
    references: [],
  })),
  passed: [...passed],
});

test.for([
  { name: 'a critical rule is broken', report: judged(['grave', 'low'], ['other']), mark: 'bad' },
  { name: 'a low rule is broken', report: judged(['low'], ['other']), mark: 'warned' },
  { name: 'one that informs is broken', report: judged(['note'], []), mark: 'good' },
  { name: 'all hold', report: judged([], ['low']), mark: 'good' },
  { name: 'none was looked at', report: judged([], ['elsewhere']), mark: 'unknown' },
] as const)('$name: $mark', ({ report, mark }) => {
  expect(markOf(report, ['grave', 'low', 'note', 'other']).mark).toBe(mark);
});

test('of several things only the one that is named is bad', () => {
  const report = judged(['grave'], [], [{ host: 'one.test', address: '192.0.2.1' }]);
  expect(markOfThing(report, ['grave'], ['one.test']).mark).toBe('bad');
  expect(markOfThing(report, ['grave'], ['two.test']).mark).toBe('good');
});
