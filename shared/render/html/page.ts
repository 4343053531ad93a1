import { categoryNameOf } from '../../catalogue/domain-health/category-words.ts';
import { readRechecked } from '../../catalogue/outline.ts';
import type { ReportDiff } from '../../model/diff.ts';
import type { Finding } from '../../model/finding.ts';
import type { Report } from '../../model/report.ts';
import { type Severity, severities } from '../../model/verdict.ts';
import { type ChangeList, changeLists, changeWords } from '../changes.ts';
import { expiriesOf, expiryStateWords, expiryWords, leftWords } from '../expiries.ts';
import { type DomainFixGroup } from '../health.ts';
import { checkNameOf, unicodeOf } from '../labels.ts';
import { type Markup, markup, nothing, printMarkup, verbatim } from '../markup.ts';
import { isMissing, stateWords, vantageWords, targetOf, timeWords, tookWords } from '../report-words.ts';
import { cut } from '../visible-text.ts';
import { categoryBars, type ScorePoint, scoreGauge, scoreLine, severityBars } from './charts.ts';
import { cardsOf, findingsSection, notTestedSection, passedSection, sortCards } from './findings.ts';
import { healthPage } from './pictures/domain-health.ts';
import { pictures } from './pictures/pictures.ts';
import { seenSection } from './seen/seen.ts';
import { metaPolicy, style } from './style.ts';
import { cellTable, exportLink, type Links, scrollable } from './tables.ts';

/**
 * One page that needs nothing else: no script, one style sheet, charts as SVG. Send it with `htmlPolicy`.
 * @param json where a program reads the report
 */
export function renderHtml(report: Report, json?: string): string {
  const name = cut(checkNameOf(report.check), longestTarget);
  const target = cut(targetOf(report), longestTarget);
  return printMarkup(markup`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${metaPolicy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>${name}: ${target}</title>
<style>${verbatim(style)}</style>
</head>
<body>
<main>
${reportBody(report, {
  name,
  scores: [],
  changes: undefined,
  links: {},
  tabs: nothing,
  actions: nothing,
  againOf: () => nothing,
  json,
})}</main>
<footer><p>Made by Diagnostic Tools from the report that was stored then. Kept until ${timeWords(report.expiresAt)}.</p></footer>
</body>
</html>
`);
}

const longestTarget = 500;

/** What stands around a report, where it is more than a file. */
export type Around = {
  /** What a reader calls the check. */
  readonly name: string;
  /** Earlier scores and this one, oldest first. */
  readonly scores: readonly ScorePoint[];
  /** What is different from the report before. */
  readonly changes: ReportDiff | undefined;
  readonly links: Links;
  /** The other checks of the same domain. */
  readonly tabs: Markup;
  /** Buttons and links below the title. */
  readonly actions: Markup;
  /** The button beside a finding that has its check made again. */
  readonly againOf: (finding: Finding & { readonly check?: string }) => Markup;
  /** Where a program reads the report. */
  readonly json: string | undefined;
};

/** A report for people, the same for every check: grade and why, findings worst first, pictures, and all else folded. */
export function reportBody(report: Report, around: Around): Markup {
  const target = targetOf(report);
  const [missing] = isMissing(report) ? report.findings : [];
  if (missing) return missingBody(report, missing, around);
  const health = healthPage(report, around.links, around.againOf);
  const counts = health ? countsOf(health.faults) : report.summary;
  const cards = sortCards(health?.cards ?? cardsOf(report, around.againOf));
  return markup`${titleBlock(report, around)}<div class="summary">
${scoreGauge(report)}
${severityBars(counts)}
${categories(report)}${jumps(report, counts)}</div>
${health?.cap ?? nothing}${notice(report)}${around.actions}${findingsSection(cards, target, markup`${changesSection(around.changes)}${health?.raise ?? nothing}`)}${scoreLine(around.scores)}${pictures(report, around.links)}${expiriesSection(report, around.links)}<div class="folds">${notTestedSection(report)}${passedSection(report)}${seenSection(report, around.links)}${aboutSection(report)}</div>
${onPaper(around.json)}`;
}

function titleBlock(report: Report, { name, tabs }: Around): Markup {
  return markup`<header>
<p class="check">${name}</p>
<h1>${titleOfTarget(targetOf(report))}</h1>
${factLine(report)}</header>
${tabs}`;
}

/** Of a name that its parent does not know there is one thing to say, and one to do. */
function missingBody(report: Report, { fix }: Finding, around: Around): Markup {
  return markup`${titleBlock(report, { ...around, tabs: nothing })}<section id="findings"><h2><bdi>${cut(targetOf(report), longestTarget)}</bdi> does not exist</h2>
<p>Its parent zone says that there is no such name.</p>
<p class="fix"><b>Fix:</b> ${cut(fix.text, longestTarget)}</p></section>
${around.actions}`;
}

/** What a sheet of paper leaves out. */
function onPaper(json: string | undefined): Markup {
  const where = json === undefined ? markup`its JSON form` : markup`<bdi>${json}</bdi>`;
  return markup`<p class="paper">What was seen, the rules that passed and those that were not tested stand in full in ${where}.</p>
`;
}

/** The target as people write it, with its form in the DNS beside it, as one may look like another. */
export function titleOfTarget(target: string): Markup {
  const shown = unicodeOf(target);
  const own = markup`<bdi>${cut(target, longestTarget)}</bdi>`;
  return shown === undefined
    ? own
    : markup`<bdi>${cut(shown, longestTarget)}</bdi> <span class="ascii">${own}</span>`;
}

type Counts = { readonly [S in Severity]: number };

function countsOf(faults: readonly DomainFixGroup[]): Counts {
  const counts = { critical: 0, high: 0, medium: 0, low: 0, info: 0 };
  for (const { main } of faults) counts[main.severity] += 1;
  return counts;
}

function factLine(report: Report): Markup {
  const { checkedAt, durationMs } = report;
  const { recheckedAt: again } = readRechecked(report);
  const moment = (iso: string) => markup`<time class="ago" datetime="${iso}">${timeWords(iso)}</time>`;
  return markup`<p class="facts">Checked ${moment(checkedAt)} in ${tookWords(durationMs)}${again ? markup`, ${checkNameOf(again.check)} again ${moment(again.at)}` : nothing}</p>
`;
}

/** Where the long parts begin: what stands between may be more than a screen. */
function jumps({ notTested, passed }: Report, counts: Counts): Markup {
  const found = severities.flatMap((name) => (counts[name] > 0 ? [`${counts[name]} ${name}`] : []));
  const parts = [
    { id: 'findings', words: `Findings: ${found.join(', ')}`, count: found.length },
    { id: 'not-tested', words: `${notTested.length} not tested`, count: notTested.length },
    { id: 'passed', words: `${passed.length} passed`, count: passed.length },
  ].filter(({ count }) => count > 0);
  return parts.length === 0
    ? nothing
    : markup`<ul class="jump">${parts.map(({ id, words }) => markup`<li><a href="#${id}">${words}</a></li>`)}</ul>
`;
}

/** What names this report, for a question to the operator. */
function aboutSection({ reportId, rulesVersion, check }: Report): Markup {
  const id = reportId === undefined ? nothing : markup` Its id is <code>${reportId}</code>.`;
  return markup`<p id="about" class="facts">Made by <code>${check}</code> with version ${rulesVersion} of its rules.${id}</p>
`;
}

/** What was not tested is linked beside the grade, so only a reader of a report that says little has to be told first. */
function notice(report: Report): Markup {
  const words = report.state === 'partial' && report.notTested.length > 0 ? undefined : stateWords(report);
  const missing = vantageWords(report);
  if (missing !== undefined)
    return markup`<p class="notice">${missing}</p>
`;
  return words === undefined
    ? nothing
    : markup`<p class="notice">${words}</p>
`;
}

function categories(report: Report): Markup {
  const value = report['categories'];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return nothing;
  const scored = Object.entries(value as { readonly [name: string]: unknown }).flatMap(([name, category]) => {
    if (typeof category !== 'object' || category === null || !('score' in category)) return [];
    const { score } = category;
    const grade = 'grade' in category && typeof category.grade === 'string' ? category.grade : null;
    return typeof score === 'number' || score === null ? [{ name: categoryNameOf(name), score, grade }] : [];
  });
  return scored.length === 0
    ? nothing
    : markup`${categoryBars(scored.slice(0, 12))}
`;
}

const longestTitle = 200;
const mostItems = 10;

/** What changed since the report before: one line, with the lists behind it; nothing where there is no such report. */
function changesSection(diff: ReportDiff | undefined): Markup {
  if (!diff) return nothing;
  const lists = changeLists(diff);
  const counts = lists.map(
    ({ words, tone, items }) => markup` <span class="severity ${tone}">${words}: ${items.length}</span>`,
  );
  const line = markup`<b>Since the check at <time datetime="${diff.from.checkedAt}">${timeWords(diff.from.checkedAt)}</time>:</b> ${cut(changeWords(diff), longestTarget)}${counts}`;
  if (lists.length === 0)
    return markup`<p class="changes">${line}</p>
`;
  return markup`<details class="changes"><summary>${line}</summary>
<dl>${lists.map(changeList)}</dl></details>
`;
}

function changeList({ words, tone, items }: ChangeList): Markup {
  const left = items.length - mostItems;
  return markup`<dt class="severity ${tone}">${words} (${items.length})</dt>${items
    .slice(0, mostItems)
    .map(
      ({ title }) => markup`<dd>${cut(title, longestTitle)}</dd>`,
    )}${left > 0 ? markup`<dd class="more">… ${left} more</dd>` : nothing}
`;
}

/** What ends when, the earliest first, and where a calendar of it is. Nothing where the report tells of nothing. */
export function expiriesSection(report: Report, links: Links): Markup {
  const expiries = expiriesOf(report);
  if (expiries.length === 0) return nothing;
  const rows = expiries.map((expiry) => [
    markup`${expiryWords(expiry)}`,
    markup`<time datetime="${expiry.expiresAt}" title="${timeWords(expiry.expiresAt)}">${leftWords(expiry, Date.parse(report.checkedAt))}</time>`,
    markup`${expiryStateWords[expiry.state]}`,
  ]);
  return markup`<section id="expiries"><h2>What expires</h2>
${scrollable('What expires', cellTable(['What', 'When', 'State'], rows))}${exportLink(report, links, 'ics', 'Save these dates as a calendar')}</section>
`;
}
