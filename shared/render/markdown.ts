import type { Finding } from '../model/finding.ts';
import type { Report } from '../model/report.ts';
import { severities } from '../model/verdict.ts';
import { checkNameOf } from './check-words.ts';
import { expiriesOf, expiryWords, leftWords } from './expiries.ts';
import {
  adviceOf,
  alsoEnds,
  capWords,
  type DomainFault,
  faultOf,
  faultsOf,
  gainWords,
  groupByCategory,
  togetherWords,
} from './health.ts';
import { signs } from './html/pictures/verdict-marks.ts';
import { labelOf, partLabelOf } from './labels.ts';
import { mailHeads, mailRowsOf } from './mail-hosts.ts';
import { codeBlock, codeSpan, reference, sentence } from './markdown-text.ts';
import {
  bySeverity,
  effectWords,
  pointsWords,
  scoreWords,
  severityWords,
  stateNames,
  stateWords,
  targetOf,
  timeWords,
  tookWords,
} from './report-words.ts';
import { cut, textOf } from './visible-text.ts';
import { zoneLine } from './zone-line.ts';

/** GitHub refuses issues above 65,536 characters. */
const longestIssue = 60_000;
/** Pieces of evidence shown of each finding: the first number with which the text fits an issue. */
const evidenceSteps = [10, 3, 0];
const longestText = 2000;
const longestValue = 300;

/** For issues and tickets: score, findings with evidence and fix, what was not tested, what passed. GitHub's dialect. */
export function renderMarkdown(report: Report): string {
  const texts = evidenceSteps.values().map((pieces) => writeReport(report, pieces));
  let text = '';
  for (text of texts) if (text.length <= longestIssue) break;
  return text;
}

function writeReport(report: Report, pieces: number): string {
  const blocks = [
    `# ${sentence(checkNameOf(report.check))}: ${codeSpan(cut(targetOf(report), longestText))}`,
    summaryLine(report),
    stateWords(report) ?? '',
    ...(writeDomain(report, pieces) ?? writeFindings(report, pieces)),
    ...writeMailHosts(report),
    ...writeExpiries(report),
    ...writeNotTested(report),
    ...writePassed(report),
  ];
  return `${blocks.filter((part) => part !== '').join('\n\n')}\n`;
}

function summaryLine(report: Report): string {
  const { state, checkedAt, durationMs, reportId } = report;
  return [
    `**Score: ${sentence(scoreWords(report))}**`,
    sentence(stateNames[state]),
    `checked ${sentence(timeWords(checkedAt))} in ${tookWords(durationMs)}`,
    ...(reportId === undefined ? [] : [`report ${codeSpan(reportId)}`]),
  ].join(' · ');
}

function countTable(summary: Report['summary']): string {
  const names = [...severities.map((severity) => severityWords[severity]), 'Passed', 'Not tested'];
  const counts = [...severities.map((severity) => summary[severity]), summary.passed, summary.notTested];
  return [`| ${names.join(' | ')} |`, `|${'---:|'.repeat(names.length)}`, `| ${counts.join(' | ')} |`].join(
    '\n',
  );
}

function writeFindings(report: Report, pieces: number): string[] {
  return [
    countTable(report.summary),
    '## Findings',
    report.findings.length === 0 ? 'None.' : '',
    ...bySeverity(report).flatMap(({ findings }) =>
      findings.map((finding) => writeFinding(finding, pieces, factsOf(finding))),
    ),
  ];
}

function factsOf(finding: Finding): readonly string[] {
  const { part } = finding;
  return [part === undefined ? [] : sentence(partLabelOf(part)), effectWords(finding) ?? []].flat();
}

/** What to fix first, and every fault once under its category; undefined where the report is not that of a domain. */
function writeDomain(report: Report, pieces: number): string[] | undefined {
  const faults = faultsOf(report);
  if (!faults) return undefined;
  const cap = capWords(report);
  return [
    ...(cap === undefined ? [] : [prose(cap)]),
    ...writeAdvice(report, faults),
    '## Findings',
    faults.length === 0 ? 'None.' : '',
    ...groupByCategory(faults).flatMap(({ name, faults: of }) => [
      `## ${name}`,
      ...of.map((fault) => writeFault(fault, pieces)),
    ]),
  ];
}

function writeAdvice(report: Report, faults: readonly DomainFault[]): string[] {
  const advice = adviceOf(report);
  if (!advice || advice.raise.length === 0) return [];
  const lines = advice.raise.map((entry, index) => {
    const title = faultOf(entry, faults)?.main.title ?? entry.findings[0]?.code ?? '';
    return `${index + 1}. **${prose(title)}.** ${prose(entry.fix.text)} *${prose(gainWords(entry, report))}*`;
  });
  const together = togetherWords(advice);
  return ['## What would raise it most', lines.join('\n'), together === undefined ? '' : prose(together)];
}

function writeFault(fault: DomainFault, pieces: number): string {
  const { main, cost } = fault;
  const also = alsoEnds(fault).map(({ text, code }) => `- ${prose(text)} ${codeSpan(code)}`);
  const from = `From ${codeSpan(main.check)} of ${codeSpan(cut(main.target, longestText))}.`;
  return [
    writeFinding(main, pieces, cost < 0 ? [`${pointsWords(cost)} of the domain`] : []),
    ...(also.length === 0 ? [] : ['The same fix also ends:', also.join('\n')]),
    ...(main.check === 'domain-health' ? [] : [from]),
  ].join('\n\n');
}

function writeFinding(finding: Finding, pieces: number, about: readonly string[]): string {
  const { severity, title, code, detail, fix, references } = finding;
  const facts = [codeSpan(code), ...about];
  return [
    `### ${severityWords[severity]}: ${prose(title)}`,
    facts.join(' · '),
    prose(detail),
    `**Fix:** ${prose(fix.text)}`,
    ...(fix.record ? [codeBlock(zoneLine(fix.record))] : []),
    ...Object.entries(fix.snippets ?? {}).map(
      ([server, text]) =>
        `${codeSpan(cut(server, longestValue))}:\n\n${codeBlock(cut(text.replace(/\n$/, ''), longestText))}`,
    ),
    ...writeEvidence(finding, pieces),
    ...(references.length > 0 ? [`See ${references.map(reference).join(', ')}.`] : []),
  ].join('\n\n');
}

function writeEvidence({ evidence }: Finding, pieces: number): string[] {
  const shown = evidence.filter((piece) => Object.keys(piece).length > 0).slice(0, pieces);
  if (shown.length === 0) return [];
  const left = evidence.length - shown.length;
  const lines = shown.map((piece) => `- ${Object.entries(piece).map(writePair).join(', ')}`);
  return ['Evidence:', [...lines, ...(left > 0 ? [`- ${left} more`] : [])].join('\n')];
}

function writePair([key, value]: [string, unknown]): string {
  return `${prose(labelOf(key))}: ${codeSpan(cut(textOf(value), longestValue))}`;
}

function writeMailHosts(report: Report): string[] {
  const rows = mailRowsOf(report);
  if (rows.length === 0) return [];
  const heads = ['Mail host', 'Address', ...mailHeads];
  const lines = rows.map(({ host, address, cells }) => [
    codeSpan(cut(host, longestValue)),
    address === null ? 'none' : codeSpan(cut(address, longestValue)),
    ...cells.map(({ words, marked }) => `${signs[marked.mark]} ${sentence(cut(words, longestValue))}`),
  ]);
  return ['## Mail hosts', [heads, heads.map(() => '---'), ...lines].map(tableLine).join('\n')];
}

/** A line of a table; the bar of a text is not one of the table. */
function tableLine(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function writeExpiries(report: Report): string[] {
  const lines = expiriesOf(report).map(
    (expiry) =>
      `- ${prose(`${expiryWords(expiry)} ${leftWords(expiry)}, at ${timeWords(expiry.expiresAt)}`)}`,
  );
  return lines.length === 0 ? [] : ['## What expires', lines.join('\n')];
}

function writeNotTested({ notTested }: Report): string[] {
  // One reason that keeps us from a whole site keeps us from a hundred rules.
  const lines = [...Map.groupBy(notTested, ({ reason }) => reason)].map(
    ([reason, rules]) => `- ${prose(reason)}: ${rules.map(({ code }) => codeSpan(code)).join(', ')}`,
  );
  return lines.length === 0 ? [] : [`## Not tested (${notTested.length})`, lines.join('\n')];
}

function writePassed({ passed }: Report): string[] {
  return passed.length === 0 ? [] : [`## Passed (${passed.length})`, passed.map(codeSpan).join(', ')];
}

function prose(text: string): string {
  return sentence(cut(text, longestText));
}
