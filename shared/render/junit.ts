import type { Finding } from '../model/finding.ts';
import type { Report } from '../model/report.ts';
import { partFindingsOf, type ToldFinding } from './health.ts';
import { block, type Markup, markup, nothing, printMarkup } from './markup.ts';
import { findingLines, stateWords, targetOf, type Unchecked } from './report-words.ts';
import { cut } from './visible-text.ts';

const longestText = 2000;

/**
 * JUnit's XML: a test case for each rule. A finding is a failure, one that only informs passes with its text as output, what was
 * not tested is skipped, and a run of ours that could not end is an error, so that no pipeline takes it for good news.
 */
export function renderJunit(report: Report): string {
  const cases = [
    ...report.findings.map((finding) =>
      testCase(report, finding.code, finding.part, outcomeOf(report, finding)),
    ),
    ...partFindingsOf(report).map((finding) =>
      testCase(report, finding.code, groupOf(finding), outcomeOf(report, finding)),
    ),
    ...report.notTested.map(({ code, reason }) =>
      testCase(report, code, undefined, markup`<skipped message="${cut(reason, longestText)}"/>`),
    ),
    ...report.passed.map((code) => testCase(report, code, undefined, nothing)),
  ];
  const counts = countCases(report, cases.length);
  const name = `${report.check} ${cut(targetOf(report), longestText)}`;
  const document = markup`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="Diagnostic Tools" ${counts}>
  <testsuite name="${name}" ${counts} timestamp="${report.checkedAt.replace(/(?:\.\d+)?Z$/, '')}">
    <properties>
${suiteProperties(report)}    </properties>
${cases}  </testsuite>
</testsuites>
`;
  return printMarkup(document);
}

/** The document of a target that was not checked: one test case with an error. */
export function junitOfUnchecked({ check, target, code, why }: Unchecked): string {
  const counts = markup`tests="1" failures="0" errors="1" skipped="0" time="0"`;
  return printMarkup(markup`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="Diagnostic Tools" ${counts}>
  <testsuite name="${check} ${cut(target, longestText)}" ${counts}>
    <testcase classname="${check}" name="not-checked" time="0"><error message="${cut(why, longestText)}" type="${code}"/></testcase>
  </testsuite>
</testsuites>
`);
}

/** A dot would begin another group for those who read it. */
function groupOf({ check, target }: ToldFinding): string {
  return `${check}.${target.replaceAll('.', '_')}`;
}

function testCase(report: Report, code: string, part: string | undefined, outcome: Markup): Markup {
  const group = part === undefined ? report.check : `${report.check}.${part}`;
  return markup`    <testcase classname="${group}" name="${code}" time="0">${outcome}</testcase>
`;
}

function outcomeOf(report: Report, finding: Finding): Markup {
  const title = cut(finding.title, longestText);
  const text = block(findingLines(finding).join('\n'));
  if (isOurFailure(report, finding))
    return markup`<error message="${title}" type="${finding.severity}">${text}</error>`;
  if (finding.severity === 'info') return markup`<system-out>${title}: ${text}</system-out>`;
  return markup`<failure message="${title}" type="${finding.severity}">${text}</failure>`;
}

function isOurFailure({ state }: Report, { code }: Finding): boolean {
  return state === 'failed' && code === 'check-failed';
}

function countCases(report: Report, tests: number): Markup {
  const errors = report.findings.filter((finding) => isOurFailure(report, finding)).length;
  const failures = [...report.findings, ...partFindingsOf(report)].filter(
    (finding) => finding.severity !== 'info' && !isOurFailure(report, finding),
  ).length;
  const seconds = (report.durationMs / 1000).toFixed(3);
  return markup`tests="${tests}" failures="${failures}" errors="${errors}" skipped="${report.notTested.length}" time="${seconds}"`;
}

function suiteProperties(report: Report): Markup[] {
  const pairs: [string, string][] = [
    ['target', cut(targetOf(report), longestText)],
    ['state', report.state],
    ['score', String(report.score ?? '')],
    ['grade', report.grade ?? ''],
    ['reportId', report.reportId ?? ''],
    ['note', stateWords(report) ?? ''],
  ];
  return pairs
    .filter(([, value]) => value !== '')
    .map(
      ([name, value]) => markup`      <property name="${name}" value="${value}"/>
`,
    );
}
