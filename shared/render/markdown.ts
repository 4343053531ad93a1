import type { Finding } from '../model/finding.ts';
import type { Report } from '../model/report.ts';
import { severities } from '../model/verdict.ts';
import { expiriesOf, expiryWords, leftWords } from './expiries.ts';
import {
  adviceOf,
  alsoEnds,
  capWords,
  type DomainFixGroup,
  faultOf,
  faultsOf,
  gainWords,
  groupByCategory,
  togetherWords,
  unknownGainWords,
} from './health.ts';
import { mailHeads, mailRowsOf } from './html/pictures/smtp-check.ts';
import { signs } from './html/pictures/verdict-marks.ts';
import { checkNameOf, labelOf, partLabelOf, unicodeOf } from './labels.ts';
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
  type Unchecked,
  valueWords,
  vantageWords,
  withoutTarget,
  triedWords,
  whyOf,
  zoneWords,
} from './report-words.ts';
import { cut, linkTo, visible, visibleLines } from './visible-text.ts';
import { zoneLine } from './zone.ts';

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

/** The same of a target that was not checked: which, and why. */
export function markdownOfUnchecked({ check, target, why }: Unchecked): string {
  return `${titleLine(check, target)}\n\n**Not checked:** ${prose(why)}\n`;
}

function titleLine(check: string, target: string): string {
  const shown = unicodeOf(target);
  const own = codeSpan(cut(target, longestText));
  // One name may look like another: the form in the DNS stands beside it.
  return `# ${sentence(checkNameOf(check))}: ${shown === undefined ? own : `${codeSpan(cut(shown, longestText))} (${own})`}`;
}

function writeReport(report: Report, pieces: number): string {
  const blocks = [
    titleLine(report.check, targetOf(report)),
    summaryLine(report),
    ...writeVantage(report),
    stateWords(report) ?? '',
    ...(writeDomain(report, pieces) ?? writeFindings(report, pieces)),
    ...writeMailHosts(report),
    ...writeExpiries(report),
    ...writeNotTested(report),
    ...writePassed(report),
  ];
  return `${blocks.filter((part) => part !== '').join('\n\n')}\n`;
}

function writeVantage(report: Report): readonly string[] {
  const words = vantageWords(report);
  return words === undefined ? [] : [sentence(words)];
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
      findings.map((finding) =>
        writeFinding(withoutTarget(finding, targetOf(report)), report.check, pieces, factsOf(finding)),
      ),
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

function writeAdvice(report: Report, faults: readonly DomainFixGroup[]): string[] {
  const advice = adviceOf(report);
  if (!advice || advice.raise.length === 0) return [];
  const lines = advice.raise.map((entry, index) => {
    const title = faultOf(entry, faults)?.main.title ?? entry.findings[0]?.code ?? '';
    const gain = gainWords(entry, report);
    return `${index + 1}. **${prose(title)}.** ${prose(entry.fix.text)}${gain === undefined ? '' : ` *${prose(gain)}*`}`;
  });
  const said = [unknownGainWords(advice), togetherWords(advice)].map((words) => prose(words ?? ''));
  return ['## What would raise it most', lines.join('\n'), ...said];
}

function writeFault(fault: DomainFixGroup, pieces: number): string {
  const { main, cost } = fault;
  const also = alsoEnds(fault).map(({ text, code }) => `- ${prose(text)} ${codeSpan(code)}`);
  const from = `From ${codeSpan(main.check)} of ${codeSpan(cut(main.target, longestText))}.`;
  return [
    writeFinding(
      withoutTarget(main, main.target),
      main.check,
      pieces,
      cost < 0 ? [`${pointsWords(cost)} of the domain`] : [],
    ),
    ...(also.length === 0 ? [] : ['The same fix also ends:', also.join('\n')]),
    ...(main.check === 'domain-health' ? [] : [from]),
  ].join('\n\n');
}

function writeFinding(finding: Finding, check: string, pieces: number, about: readonly string[]): string {
  const why = whyOf(check, finding.code);
  const host = zoneWords(finding.fix);
  const { severity, title, code, detail, fix, references } = finding;
  const facts = [codeSpan(code), ...about];
  return [
    `### ${severityWords[severity]}: ${prose(title)}`,
    facts.join(' · '),
    prose(detail),
    `**Fix:** ${prose(fix.text)}`,
    ...(fix.record ? [codeBlock(zoneLine(fix.record))] : []),
    ...(host === undefined ? [] : [prose(host)]),
    ...Object.entries(fix.snippets ?? {}).map(
      ([server, text]) =>
        `${codeSpan(cut(server, longestValue))}${triedWords(fix, server)}:\n\n${codeBlock(cut(text.replace(/\n$/, ''), longestText))}`,
    ),
    ...writeEvidence(finding, pieces),
    ...(why === undefined ? [] : [`**Why it matters:** ${prose(why)}`]),
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
  return `${prose(labelOf(key))}: ${codeSpan(cut(valueWords(key, value), longestValue))}`;
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
      `- ${prose(`${expiryWords(expiry)} ${leftWords(expiry, Date.parse(report.checkedAt))}, at ${timeWords(expiry.expiresAt)}`)}`,
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

/**
 * A word that no Markdown dialect makes anything of: letters and digits, joined by `-`, `/` or an apostrophe, with usual
 * punctuation around it; numbers with dots, times of day; one letter abbreviations. Not among them: addresses (they become links),
 * `@name`, `#1`, `GH-1` and commit hashes (they notify and refer on GitHub), emphasis, entities, tags.
 */
const plainWord =
  /^["'“‘(]{0,2}(?:[\p{L}\p{M}\p{N}]+(?:[-/’'][\p{L}\p{M}\p{N}]+)*|§?\d+(?:[.,]\d+)*%?|\d\d(?::\d\d){1,2}|(?:\p{L}\.)+)[)"'”’]{0,2}[.,;:!?…]?[)"'”’]{0,2}$/u;
const plainSign = /^[–—→≥≤…·×&−-]$/u;
const referring = /^\W*(?:gh-\d+|[0-9a-f]{7,40}|www.*)\W*$/i;
/** What would begin a list at the start of a line. */
const listMark = /^(?:\d+[.)]\W*|[-+*])$/;

/**
 * A sentence that may carry words of a target: plain words stay, every other word becomes a code span, in which neither
 * Markdown nor HTML nor GitHub's mentions and automatic links are read.
 */
export function sentence(text: string): string {
  const words = visible(text)
    .split(' ')
    .filter((word) => word !== '');
  if (words.length === 0) return codeSpan(text);
  return words.map((word, index) => printWord(word, index === 0)).join(' ');
}

function printWord(word: string, isFirst: boolean): string {
  if (isPlain(word) && !(isFirst && listMark.test(word))) return word;
  // Punctuation of the sentence stays outside of the code.
  const [, core = word, end = ''] = /^(.+?)([.,;:!?]?)$/u.exec(word) ?? [];
  return `${codeSpan(core)}${end}`;
}

function isPlain(word: string): boolean {
  if (word.length > 60) return false;
  return plainSign.test(word) || (plainWord.test(word) && !referring.test(word));
}

/** Any text as one code span: the fence is longer than every run of backticks in it (CommonMark §6.1). */
export function codeSpan(text: string): string {
  const shown = visible(text);
  if (shown === '') return '(empty)';
  const fence = '`'.repeat(longestRun(shown) + 1);
  const pad = /^[` ]|[` ]$/.test(shown) && /[^ ]/.test(shown) ? ' ' : '';
  return `${fence}${pad}${shown}${pad}${fence}`;
}

/** Any text as a fenced block; line feeds stay. */
export function codeBlock(text: string): string {
  const shown = visibleLines(text);
  const fence = '`'.repeat(Math.max(3, longestRun(shown) + 1));
  return `${fence}\n${shown}\n${fence}`;
}

/** A link where the address is http or https, else its title and the address as code. */
export function reference({ title, url }: { readonly title: string; readonly url: string }): string {
  const link = linkTo(url);
  return link === undefined
    ? `${sentence(title)} ${codeSpan(url)}`
    : `[${sentence(title)}](<${link.replaceAll('&', '&amp;')}>)`;
}

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
}
