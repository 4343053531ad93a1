import { categoryNameOf } from '../../catalogue/domain-health/category-words.ts';
import type { ReportDiff } from '../../model/diff.ts';
import type { Report } from '../../model/report.ts';
import { type Severity, severities } from '../../model/verdict.ts';
import { expiriesOf, expiryStateWords, expiryWords, leftWords } from '../expiries.ts';
import { type DomainFault } from '../health.ts';
import { checkNameOf, labelOf, unicodeOf } from '../labels.ts';
import { type Markup, markup, nothing, printMarkup, verbatim } from '../markup.ts';
import { ownFields, stateWords, vantageWords, targetOf, timeWords, tookWords } from '../report-words.ts';
import { cut } from '../visible-text.ts';
import { categoryBars, type ScorePoint, scoreGauge, scoreLine, severityBars } from './charts.ts';
import { costsSection, findingsSection, idOf, notTestedSection, passedSection } from './findings.ts';
import { healthPage } from './pictures/domain-health.ts';
import { pictures } from './pictures/pictures.ts';
import { metaPolicy, style } from './style.ts';
import { cellTable, exportLink, type Links, type Room, scrollable, valueTable } from './tables.ts';

/** One page that needs nothing else: no script, one style sheet, charts as SVG. Send it with `htmlPolicy`. */
export function renderHtml(report: Report): string {
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
  actions: nothing,
})}</main>
<footer><p>Made by Diagnostic Tools from the report that was stored then. Kept until ${timeWords(report.expiresAt)}.</p></footer>
</body>
</html>
`);
}

/** Values shown of the check's own fields, in equal shares; a page of more is not read. */
const fieldValues = 6000;
const leastShare = 100;
const longestTarget = 500;

/** What stands around a report, where it is more than a file. */
type Around = {
  /** What a reader calls the check. */
  readonly name: string;
  /** Earlier scores and this one, oldest first. */
  readonly scores: readonly ScorePoint[];
  /** What is different from the report before. */
  readonly changes: ReportDiff | undefined;
  readonly links: Links;
  /** Buttons and links below the title. */
  readonly actions: Markup;
};

/** A report for people, the same for every check: grade and why, what changed, pictures, findings, and all else folded. */
export function reportBody(report: Report, around: Around): Markup {
  const health = healthPage(report, around.links);
  const counts = health ? countsOf(health.faults) : report.summary;
  return markup`<header>
<p class="check">${around.name}</p>
<h1>${titleOfTarget(targetOf(report))}</h1>
${factLine(report)}</header>
<div class="summary">
${scoreGauge(report)}
${severityBars(counts)}
${categories(report)}${jumps(report, counts)}</div>
${health?.cap ?? nothing}${notice(report)}${around.actions}${health?.raise ?? markup`${firstFix(report)}${costsSection(report)}`}${changesSection(around.changes)}${scoreLine(around.scores)}${health?.findings ?? findingsSection(report)}${pictures(report, around.links)}${expiriesSection(report, around.links)}${notTestedSection(report)}${passedSection(report)}${fieldsSection(report)}${aboutSection(report)}`;
}

/** The target as people write it, with its form in the DNS beside it, as one may look like another. */
function titleOfTarget(target: string): Markup {
  const shown = unicodeOf(target);
  const own = markup`<bdi>${cut(target, longestTarget)}</bdi>`;
  return shown === undefined
    ? own
    : markup`<bdi>${cut(shown, longestTarget)}</bdi> <span class="ascii">${own}</span>`;
}

type Counts = { readonly [S in Severity]: number };

/** What to do first: against what cost most, or else against the gravest. Nothing where all is well. */
function firstFix(report: Report): Markup {
  const wrong = report.findings.filter(({ severity }) => severity !== 'info');
  const [first] = wrong.toSorted(
    (a, b) =>
      a.scoreEffect - b.scoreEffect || severities.indexOf(a.severity) - severities.indexOf(b.severity),
  );
  if (!first) return nothing;
  return markup`<section class="raise"><h2>Fix this first</h2>
<p class="what"><a href="#${idOf(report, first)}">${cut(first.title, longestTarget)}</a></p>
<p>${cut(first.fix.text, longestTarget)}</p></section>
`;
}

function countsOf(faults: readonly DomainFault[]): Counts {
  const counts = { critical: 0, high: 0, medium: 0, low: 0, info: 0 };
  for (const { main } of faults) counts[main.severity] += 1;
  return counts;
}

function factLine({ checkedAt, durationMs }: Report): Markup {
  return markup`<p class="facts">Checked <time datetime="${checkedAt}">${timeWords(checkedAt)}</time> in ${tookWords(durationMs)}</p>
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
  return markup`<section id="about"><h2>About this report</h2>
<p>Made by <code>${check}</code> with version ${rulesVersion} of its rules.${id}</p></section>
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

/** Fields of domain-health that the sections above show as words. */
const shownAbove: ReadonlySet<string> = new Set([
  'partFindings',
  'expiries',
  'raise',
  'raisedTo',
  'raiseLeftOut',
  'worstFindings',
  'categories',
  'caps',
  'gradeBeforeCaps',
]);

function fieldsSection(report: Report): Markup {
  const isDomain = report.check === 'domain-health';
  const fields = ownFields(report).filter(([name]) => !(isDomain && shownAbove.has(name)));
  if (fields.length === 0) return nothing;
  const isNested = ([, value]: [string, unknown]) => typeof value === 'object' && value !== null;
  const nested = fields.filter(isNested);
  const single = Object.fromEntries(fields.filter((field) => !isNested(field)));
  const share = { values: Math.max(leastShare, Math.floor(fieldValues / (nested.length + 1))) };
  return markup`<section class="fields"><h2>What was seen</h2>
${fields.length > nested.length ? scrollable('Single values', valueTable(single, { ...share })) : nothing}
${nested.map(([name, value]) => showField(name, value, { ...share }))}</section>
`;
}

function showField(name: string, value: unknown, room: Room): Markup {
  const table = valueTable(value, room);
  const shortened =
    room.values < 0
      ? markup`<p class="more">Shortened: the JSON export has everything.</p>
`
      : nothing;
  return markup`<details><summary>${cut(labelOf(name), 200)}</summary>${scrollable(`Fields: ${cut(labelOf(name), 200)}`, table)}</details>
${shortened}`;
}

const longestTitle = 200;
const mostItems = 10;

type Change = { readonly code: string; readonly title: string };

/** What changed since the report before; nothing where there is no such report. */
function changesSection(diff: ReportDiff | undefined): Markup {
  if (!diff) return nothing;
  const { added, newlyTested, fixed, noLongerTested, changed } = diff.findings;
  const lists = [
    { words: 'Fixed', tone: 'pass', items: fixed },
    { words: 'New', tone: 'high', items: added },
    { words: 'Found, and not tested before', tone: 'medium', items: newlyTested },
    { words: 'Not tested any more', tone: 'info', items: noLongerTested },
    { words: 'Different', tone: 'low', items: changed.map(({ after }) => after) },
  ].filter(({ items }) => items.length > 0);
  return markup`<section class="changes"><h2>Since the last check</h2>
<p>${deltaWords(diff)} The last check was at <time datetime="${diff.from.checkedAt}">${timeWords(diff.from.checkedAt)}</time>.${diff.rulesChanged ? markup` The rules have changed since, so a difference may be ours.` : nothing}</p>
${lists.length === 0 ? markup`<p>No finding has changed.</p>` : markup`<dl>${lists.map(({ words, tone, items }) => list(words, tone, items))}</dl>`}</section>
`;
}

function list(words: string, tone: string, items: readonly Change[]): Markup {
  const left = items.length - mostItems;
  return markup`<dt class="severity ${tone}">${words} (${items.length})</dt>${items
    .slice(0, mostItems)
    .map(
      ({ title }) => markup`<dd>${cut(title, longestTitle)}</dd>`,
    )}${left > 0 ? markup`<dd class="more">… ${left} more</dd>` : nothing}
`;
}

function deltaWords({ scoreDelta, from, to }: ReportDiff): string {
  if (scoreDelta === null) return 'One of the two checks has no score.';
  if (scoreDelta === 0) return `The score is the same, ${String(to.score)}.`;
  const way = scoreDelta > 0 ? 'better' : 'worse';
  return `The score is ${way}: ${String(from.score)} before, ${String(to.score)} now.`;
}

/** What ends when, the earliest first, and where a calendar of it is. Nothing where the report tells of nothing. */
export function expiriesSection(report: Report, links: Links): Markup {
  const expiries = expiriesOf(report);
  if (expiries.length === 0) return nothing;
  const rows = expiries.map((expiry) => [
    markup`${expiryWords(expiry)}`,
    markup`${leftWords(expiry)}`,
    markup`<time datetime="${expiry.expiresAt}">${timeWords(expiry.expiresAt)}</time>`,
    markup`${expiryStateWords[expiry.state]}`,
  ]);
  return markup`<section id="expiries"><h2>What expires</h2>
${scrollable('What expires', cellTable(['What', 'Left', 'When', 'State'], rows))}${exportLink(report, links, 'ics', 'Save these dates as a calendar')}</section>
`;
}
