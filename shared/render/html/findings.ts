import type { Finding } from '../../model/finding.ts';
import type { Report } from '../../model/report.ts';
import type { Severity } from '../../model/verdict.ts';
import { partLabelOf } from '../labels.ts';
import { block, type Markup, markup, nothing } from '../markup.ts';
import { bySeverity, effectWords, scoreWords, severityWords, titleOf } from '../report-words.ts';
import { cut, linkTo } from '../visible-text.ts';
import { zoneLine } from '../zone.ts';
import { cellTable, type Room, scrollable, valueTable } from './tables.ts';

const longestText = 4000;
/** Values of evidence shown of all findings together. */
export const evidenceValues = 3000;

/** The findings, worst first, each with what was seen, how to fix it, and the source of the rule. */
export function findingsSection(report: Report): Markup {
  const room = { values: evidenceValues };
  const groups = bySeverity(report).map(
    ({ severity, findings }) =>
      markup`<section><h3 class="severity ${severity}">${severityMark(severity)} ${severityWords[severity]} (${findings.length})</h3>
${findings.map((finding) => showFinding(report, finding, room))}</section>
`,
  );
  return markup`<section id="findings"><h2>Findings</h2>
${groups.length === 0 ? markup`<p>None.</p>` : groups}</section>
`;
}

/** Where a finding stands on the page; by its number, as a code of an old report may be any text. */
export function idOf({ findings }: Report, finding: Finding): string {
  return `finding-${findings.indexOf(finding) + 1}`;
}

function showFinding(report: Report, finding: Finding, room: Room): Markup {
  const cost = effectWords(finding);
  return findingCard(finding, {
    id: idOf(report, finding),
    facts: [finding.part === undefined ? [] : partLabelOf(finding.part), cost ?? []].flat(),
    more: nothing,
    room,
  });
}

/** What of a card differs from page to page. */
type CardParts = {
  readonly id: string;
  /** Beside its severity and its code. */
  readonly facts: readonly string[];
  /** Below the sources. */
  readonly more: Markup;
  readonly room: Room;
};

/** A finding as a card: what is wrong, what was seen, how to fix it, and where that is written. */
export function findingCard(finding: Finding, { id, facts, more, room }: CardParts): Markup {
  const { severity, title, code, detail } = finding;
  const line = [
    markup`<span class="severity ${severity}">${severityMark(severity)} ${severityWords[severity]}</span>`,
    markup`<code>${code}</code>`,
    ...facts.map((words) => markup`<span>${words}</span>`),
  ];
  return markup`<article class="finding ${severity}" id="${id}">
<h4>${cut(title, longestText)}</h4>
<p class="facts">${line.map((fact, index) => (index === 0 ? fact : markup` · ${fact}`))}</p>
<p>${cut(detail, longestText)}</p>
${showFix(finding)}${showEvidence(finding, id, room)}${showReferences(finding)}${more}</article>
`;
}

function showEvidence({ evidence, title }: Finding, id: string, room: Room): Markup {
  const pieces = evidence.filter((piece) => Object.keys(piece).length > 0);
  return pieces.length === 0
    ? nothing
    : markup`<h5>What was seen</h5>${scrollable(`What was seen, ${id.replace('-', ' ')}: ${cut(title, longestText)}`, valueTable(pieces, room))}
`;
}

function showFix({ fix }: Finding): Markup {
  const [first, ...others] = Object.entries(fix.snippets ?? {});
  return markup`<h5>Fix</h5><p>${cut(fix.text, longestText)}</p>
${fix.record ? showLines(zoneLine(fix.record)) : nothing}${first ? showSnippet(first) : nothing}${showOthers(others)}`;
}

type Snippet = readonly [server: string, text: string];

function showSnippet([server, text]: Snippet): Markup {
  return markup`<p><code>${server}</code></p>${showLines(cut(text, longestText))}`;
}

// A reader has one server: the ways of all others, for each finding, would make most of a page.
function showOthers(others: readonly Snippet[]): Markup {
  if (others.length === 0) return nothing;
  const names = others.map(([server]) => server).join(', ');
  return markup`<details class="ways"><summary>The same for ${names}</summary>
${others.map(showSnippet)}</details>
`;
}

function showLines(text: string): Markup {
  return markup`<pre><code>${block(text)}</code></pre>
`;
}

function showReferences({ references }: Finding): Markup {
  if (references.length === 0) return nothing;
  return markup`<h5>See</h5><ul class="see">${references.map(({ title, url }) => markup`<li>${showLink(title, url)}</li>`)}</ul>
`;
}

function showLink(title: string, url: string): Markup {
  const href = linkTo(url);
  const text = cut(title, longestText);
  return href === undefined
    ? markup`${text} <code>${cut(url, longestText)}</code>`
    : markup`<a href="${href}" rel="noopener noreferrer">${text}</a>`;
}

/** What could not be looked at, by the reason: one that keeps us from a whole site keeps us from a hundred rules. */
export function notTestedSection(report: Report): Markup {
  if (report.notTested.length === 0) return nothing;
  const rows = [...Map.groupBy(report.notTested, ({ reason }) => reason)].map(([reason, rules]) => [
    markup`${cut(reason, longestText)}`,
    markup`<ul class="codes">
${rules.map(({ code }) => listRule(report, code))}</ul>`,
  ]);
  const table = cellTable(['Why not', 'Rules'], rows);
  return markup`<section id="not-tested"><h2>Not tested (${report.notTested.length})</h2>
<details><summary>Show what was not tested, and why</summary>${scrollable('Not tested', table)}</details></section>
`;
}

function listRule(report: Report, code: string): Markup {
  return markup`<li><code>${code}</code> ${titleOf(report, code) ?? ''}</li>
`;
}

/** The rules that were looked at and hold. */
export function passedSection(report: Report): Markup {
  if (report.passed.length === 0) return nothing;
  const items = report.passed.map((code) => listRule(report, code));
  return markup`<section id="passed"><h2>Passed (${items.length})</h2>
<details><summary>Show the problems that were looked for and not found</summary>
<ul class="codes">
${items}</ul></details></section>
`;
}

/** A shape for each severity, so that colour is never the only difference. */
const shapes: { readonly [S in Severity]: Markup } = {
  critical: markup`<path class="shape" d="M5 1h6l4 4v6l-4 4H5l-4-4V5z"/><path class="shape-sign" d="M4 7h8v2H4z"/>`,
  high: markup`<path class="shape" d="M8 1l7.5 14H.5z"/><path class="shape-sign" d="M7.2 6h1.6v4.5H7.2zm0 5.5h1.6V13H7.2z"/>`,
  medium: markup`<path class="shape" d="M8 .5L15.5 8 8 15.5.5 8z"/>`,
  low: markup`<circle class="shape" cx="8" cy="8" r="6.5"/>`,
  info: markup`<path class="shape" d="M1.5 1.5h13v13h-13z"/><path class="shape-sign" d="M7.2 4h1.6v1.6H7.2zm0 3h1.6v5H7.2z"/>`,
};

/** The severity's shape; decoration, as its word always stands beside it. */
function severityMark(severity: Severity): Markup {
  return markup`<svg class="mark ${severity}" viewBox="0 0 16 16" aria-hidden="true">${shapes[severity]}</svg>`;
}

const longestTitle = 200;
const mostRows = 12;
const barWidth = 120;

/** Why the score is what it is: what each finding took from it, the most first. Nothing where none took any. */
export function costsSection(report: Report): Markup {
  const costly = report.findings
    .filter(({ scoreEffect }) => scoreEffect < 0)
    .toSorted((a, b) => a.scoreEffect - b.scoreEffect);
  if (costly.length === 0) return nothing;
  const most = Math.max(...costly.map(({ scoreEffect }) => -scoreEffect));
  const rows = costly.slice(0, mostRows).map((finding) => {
    const width = Math.max(2, Math.round((-finding.scoreEffect / most) * barWidth));
    return markup`<tr><th scope="row"><a href="#${idOf(report, finding)}">${cut(finding.title, longestTitle)}</a></th><td class="number">${effectWords(finding) ?? ''}</td><td class="cost"><svg class="${finding.severity}" width="${barWidth}" height="10" viewBox="0 0 ${barWidth} 10" aria-hidden="true"><rect class="bar" width="${width}" height="10"/></svg></td></tr>
`;
  });
  const left = costly.length - mostRows;
  return markup`<section class="costs"><h2>Why ${scoreWords(report)}</h2>
<table><thead><tr><th scope="col">Finding</th><th scope="col">Cost</th><th scope="col" class="cost"><span class="unseen">Share</span></th></tr></thead><tbody>
${rows}</tbody></table>
${left > 0 ? markup`<p class="more">… ${left} more</p>` : nothing}</section>
`;
}
