import { countOf } from '../../model/counts.ts';
import type { Finding } from '../../model/finding.ts';
import type { Report } from '../../model/report.ts';
import { type Severity, severities } from '../../model/verdict.ts';
import { partLabelOf } from '../labels.ts';
import { block, type Markup, markup, nothing } from '../markup.ts';
import {
  effectWords,
  recordFields,
  severityWords,
  titleOf,
  triedWords,
  whyOf,
  zoneWords,
} from '../report-words.ts';
import { cut, linkTo } from '../visible-text.ts';
import { cellTable, type Room, scrollable, valueTable } from './tables.ts';

const longestText = 4000;
/** Values of evidence shown of all findings together. */
export const evidenceValues = 3000;

/** A finding on a page, and what of its card differs from page to page. */
export type Card = {
  readonly finding: Finding;
  /** The check that found it. */
  readonly check: string;
  readonly id: string;
  /** Beside its severity and its code. */
  readonly facts: readonly string[];
  /** Points that it takes: 0 or below. */
  readonly cost: number;
  /** What of a whole the same fix ends, and where it comes from. */
  readonly more: Markup;
  /** The button that asks for it again. */
  readonly again: Markup;
};

/** The cards of a report's own findings. */
export function cardsOf(report: Report, againOf: (finding: Finding) => Markup): readonly Card[] {
  return report.findings.map((finding, index) => ({
    finding,
    check: report.check,
    id: `finding-${index + 1}`,
    facts: [finding.part === undefined ? [] : partLabelOf(finding.part), effectWords(finding) ?? []].flat(),
    cost: finding.scoreEffect,
    more: nothing,
    again: againOf(finding),
  }));
}

/** By severity, then by points: what is gravest comes first. */
export function sortCards(cards: readonly Card[]): readonly Card[] {
  return cards.toSorted(
    (a, b) =>
      severities.indexOf(a.finding.severity) - severities.indexOf(b.finding.severity) || a.cost - b.cost,
  );
}

/**
 * Every finding once, worst first. The first one stands alone, with its fix, before `between`; what is low has a line that opens, and what
 * is only worth knowing is folded together.
 * @param cards as `sortCards` has them
 */
export function findingsSection(cards: readonly Card[], target: string, between: Markup): Markup {
  const show = (card: Card) => findingCard(card, target, room);
  const room = { values: evidenceValues };
  const grave = cards.filter(({ finding }) => finding.severity !== 'low' && finding.severity !== 'info');
  const [first, ...others] =
    grave.length > 0 ? grave : cards.filter(({ finding }) => finding.severity === 'low');
  const low = cards.filter((card) => card.finding.severity === 'low' && card !== first);
  const notes = cards.filter(({ finding }) => finding.severity === 'info');
  if (cards.length === 0)
    return markup`${between}<section id="findings"><h2>Findings</h2>
<p>None.</p></section>
`;
  const rest = grave.length > 0 ? others : [];
  const folded = [...low.map((card) => cardLine(card, target, room)), notesFold(notes, target, room)];
  return markup`${
    first
      ? markup`<section id="findings" class="first"><h2>Fix this first</h2>
${show(first)}</section>
`
      : nothing
  }${between}<section${first ? nothing : markup` id="findings"`}>${
    rest.length + low.length + notes.length > 0
      ? markup`<h2>${first ? 'All other findings' : 'Findings'}</h2>
`
      : nothing
  }${rest.map(show)}${folded}</section>
`;
}

function notesFold(notes: readonly Card[], target: string, room: Room): Markup {
  if (notes.length === 0) return nothing;
  return markup`<details class="notes"><summary>${countOf(notes.length, 'note')}, nothing that must be fixed</summary>
${notes.map((card) => cardLine(card, target, room))}</details>
`;
}

function cardLine(card: Card, target: string, room: Room): Markup {
  const { finding, facts } = card;
  const words = [severityWords[finding.severity], ...facts].join(' · ');
  return markup`<details class="line"><summary><span class="${finding.severity}">${severityMark(finding.severity)}</span> ${cut(finding.title, longestText)} <span class="facts">${words}</span></summary>
${findingCard(card, target, room)}</details>
`;
}

/** A finding as a card: what is wrong, how to fix it; folded, what was seen and where that is written. */
function findingCard(card: Card, target: string, room: Room): Markup {
  const { finding, id, facts, again } = card;
  const { severity, title, code, detail } = finding;
  const line = [
    markup`<span class="severity ${severity}">${severityMark(severity)} ${severityWords[severity]}</span>`,
    markup`<code>${code}</code>`,
    ...facts.map((words) => markup`<span>${words}</span>`),
  ];
  return markup`<article class="finding ${severity}" id="${id}">
<h3>${cut(title, longestText)}</h3>
<p class="facts">${line.map((fact, index) => (index === 0 ? fact : markup` · ${fact}`))}</p>
<p>${cut(detail, longestText)}</p>
${showFix(finding, id)}<div class="below">${showSeen(card, target, room)}${again}</div></article>
`;
}

function showSeen({ finding, id, check, more }: Card, target: string, room: Room): Markup {
  const { evidence, title, detail, references } = finding;
  const pieces = evidence.filter((piece) => !isTold(piece, `${title} ${detail}`, target));
  const table =
    pieces.length === 0
      ? nothing
      : scrollable(
          `What was seen, ${id.replace('-', ' ')}: ${cut(title, longestText)}`,
          valueTable(pieces, room),
        );
  const why = whyOf(check, finding.code);
  const words = pieces.length > 0 ? 'Why it matters, and what was seen' : 'Why it matters';
  if (pieces.length === 0 && references.length === 0 && more === nothing && !why) return nothing;
  return markup`<details class="seen"><summary>${words}</summary>
${
  why === undefined
    ? nothing
    : markup`<p class="why">${why}</p>
`
}${table}${showReferences(finding)}${more}</details>
`;
}

/** Whether a piece of evidence says no more than the sentence above it. */
function isTold(piece: Readonly<Record<string, unknown>>, words: string, target: string): boolean {
  return Object.entries(piece).every(
    ([name, value]) =>
      name === 'hop' ||
      (typeof value === 'string' && (words.includes(value) || value === target)) ||
      (typeof value === 'number' && words.includes(` ${value} `)),
  );
}

/** What to do, and lines to paste: the ways of several servers as tabs, as a reader has one of them. */
function showFix({ fix }: Finding, id: string): Markup {
  const ways = Object.entries(fix.snippets ?? {});
  return markup`<p class="fix"><b>Fix:</b> ${cut(fix.text, longestText)}</p>
${showRecord(fix)}${ways.length > 0 ? showWays(ways, fix, id) : nothing}`;
}

/** A record by the fields of the form that a DNS host has for it, each to be copied. */
function showRecord(fix: Finding['fix']): Markup {
  const fields = recordFields(fix);
  if (fields.length === 0) return nothing;
  const host = zoneWords(fix);
  return markup`<dl class="record">${fields.map(
    ({ label, value, beside }) => markup`<dt>${label}</dt>
<dd>${showLines(value)}${beside === undefined ? nothing : markup`<span class="hint">in full: <bdi>${beside}</bdi></span>`}</dd>
`,
  )}</dl>
${
  host === undefined
    ? nothing
    : markup`<p class="hint">${host}</p>
`
}`;
}

type Snippet = readonly [server: string, text: string];

/** Servers by their names. */
const serverNames: { readonly [server: string]: string } = {
  header: 'Header',
  nginx: 'nginx',
  apache: 'Apache',
  caddy: 'Caddy',
  haproxy: 'HAProxy',
  express: 'Express',
  php: 'PHP',
  iis: 'IIS',
  cloudflare: 'Cloudflare',
  postfix: 'Postfix',
  exim: 'Exim',
};

function serverName(server: string): string {
  return (Object.hasOwn(serverNames, server) ? serverNames[server] : undefined) ?? cut(server, longestText);
}

function showWays(ways: readonly Snippet[], fix: Finding['fix'], id: string): Markup {
  const tabs = ways.map(([server], index) => {
    const own = `${id}-${index + 1}`;
    return markup`<input type="radio" name="${id}-way" id="${own}"${index === 0 ? markup` checked` : nothing}><label for="${own}">${serverName(server)}${triedWords(fix, server)}</label>`;
  });
  return markup`<fieldset class="ways"><legend class="unseen">Lines to paste</legend>${tabs}
${ways.map(([, text]) => markup`<div class="way">${showLines(cut(text, longestText))}</div>`)}</fieldset>
`;
}

function showLines(text: string): Markup {
  return markup`<pre><code>${block(text)}</code></pre>
`;
}

function showReferences({ references }: Finding): Markup {
  if (references.length === 0) return nothing;
  return markup`<ul class="see">${references.map(({ title, url }) => markup`<li>${showLink(title, url)}</li>`)}</ul>
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
  return fold('not-tested', `Not tested (${report.notTested.length})`, scrollable('Not tested', table));
}

function listRule(report: Report, code: string): Markup {
  return markup`<li><code>${code}</code> ${titleOf(report, code) ?? ''}</li>
`;
}

/** The rules that were looked at and hold. */
export function passedSection(report: Report): Markup {
  if (report.passed.length === 0) return nothing;
  const items = report.passed.map((code) => listRule(report, code));
  const list = markup`<p>These problems were looked for and not found.</p>
<ul class="codes">
${items}</ul>`;
  return fold('passed', `Passed (${items.length})`, list);
}

/** A part of a page that is read on demand: its heading opens it. */
export function fold(id: string, title: string, content: Markup): Markup {
  return markup`<details class="fold" id="${id}"><summary><h2>${title}</h2></summary>
${content}</details>
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
export function severityMark(severity: Severity): Markup {
  return markup`<svg class="mark ${severity}" viewBox="0 0 16 16" aria-hidden="true">${shapes[severity]}</svg>`;
}
