import type { Report } from '../../model/report.ts';
import { type Markup, markup, nothing, printMarkup, verbatim } from '../markup.ts';
import { ownFields, stateWords, targetOf, timeWords } from '../report-words.ts';
import { cut } from '../visible-text.ts';
import { categoryBars, scoreGauge, severityBars } from './charts.ts';
import { findingsSection, notTestedSection, passedSection } from './findings.ts';
import { metaPolicy, style } from './style.ts';
import { type Room, scrollable, valueTable } from './value.ts';
import { waterfall } from './waterfall.ts';

/** Values shown of the check's own fields, in equal shares; a page of more is not read. */
const fieldValues = 6000;
const leastShare = 100;
const longestTarget = 500;

/** One page that needs nothing else: no script, one style sheet, charts as SVG. Send it with `htmlPolicy`. */
export function renderHtml(report: Report): string {
  const target = cut(targetOf(report), longestTarget);
  return printMarkup(markup`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${metaPolicy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>${report.check}: ${target}</title>
<style>${verbatim(style)}</style>
</head>
<body>
<header>
<p class="check">${report.check}</p>
<h1><bdi>${target}</bdi></h1>
${factLine(report)}</header>
<main>
${notice(report)}<div class="summary">
${scoreGauge(report)}
${severityBars(report)}
${categories(report)}</div>
${findingsSection(report)}${waterfall(report)}${notTestedSection(report)}${passedSection(report)}${fieldsSection(report)}</main>
<footer><p>Made by Diagnostic Tools from the report that was stored then. Kept until ${timeWords(report.expiresAt)}.</p></footer>
</body>
</html>
`);
}

function factLine({ checkedAt, durationMs, state, rulesVersion, reportId }: Report): Markup {
  return markup`<p class="facts">Checked <time datetime="${checkedAt}">${timeWords(checkedAt)}</time> · took ${durationMs} ms · ${state} · rules ${rulesVersion}${
    reportId === undefined ? nothing : markup` · report <code>${reportId}</code>`
  }</p>
`;
}

function notice(report: Report): Markup {
  const words = stateWords(report);
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
    return typeof score === 'number' || score === null ? [{ name, score }] : [];
  });
  return scored.length === 0
    ? nothing
    : markup`${categoryBars(scored.slice(0, 12))}
`;
}

function fieldsSection(report: Report): Markup {
  const fields = ownFields(report);
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
  return markup`<details open><summary>${cut(name, 200)}</summary>${scrollable(cut(name, 200), table)}</details>
${shortened}`;
}
