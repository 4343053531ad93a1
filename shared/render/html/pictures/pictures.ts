import type { CheckName } from '../../../catalogue/registry.ts';
import { countOf } from '../../../model/counts.ts';
import type { Report } from '../../../model/report.ts';
import { labelOf } from '../../labels.ts';
import { type Markup, markup, nothing } from '../../markup.ts';
import { clip, cut, textOf } from '../../visible-text.ts';
import { phaseNames } from '../style.ts';
import { cellTable, type Links, scrollable } from '../tables.ts';
import { drawDns } from './dns-check.ts';
import { drawHealth } from './domain-health.ts';
import { drawSpeed } from './pagespeed-check.ts';
import { drawHeaders, headerFields } from './security-headers.ts';
import { drawMail } from './smtp-check.ts';
import { drawTls } from './ssl-check.ts';

/** What people would rather look at than read, of each check. */
const drawers: { readonly [check: string]: Draw } = {
  'dns-check': drawDns,
  'domain-health': drawHealth,
  'pagespeed-check': drawSpeed,
  'redirect-check': (report) => markup`${waterfall(report)}${headerFields(report)}`,
  'security-header-check': drawHeaders,
  'smtp-check': drawMail,
  'ssl-check': drawTls,
} satisfies { readonly [check in CheckName]: Draw };

type Draw = (report: Report, links: Links) => Markup;

/** The pictures of a report; nothing where its fields are not those of its check. */
export function pictures(report: Report, links: Links): Markup {
  const draw = Object.hasOwn(drawers, report.check) ? drawers[report.check] : undefined;
  return draw ? draw(report, links) : nothing;
}

type TimedHop = {
  /** Counted from 1, with those that were not timed. */
  readonly number: number;
  readonly url: string;
  readonly status: string;
  /** Milliseconds of each phase, in the order of `phaseNames`. */
  readonly phases: readonly number[];
};

/** More than any chain that we walk. */
const mostHops = 30;
const rowHeight = 26;
const chartLeft = 250;
const chartWidth = 400;

/** When each hop of a redirect report passed its time: a chart and the same numbers as a table. Nothing where no hop was timed. */
function waterfall(report: Report): Markup {
  const hops = readHops(report['hops']);
  if (hops.length === 0) return nothing;
  return markup`<section><h2>Time of each hop</h2>
<div class="wide">${scrollable('Waterfall', drawChart(hops))}</div><ol class="upright requests">${hops.map((hop, index) => hopItem(hop, placeOf(hops, index)))}</ol>
<ul class="legend">${phaseNames.map((name) => markup`<li><svg class="mark" viewBox="0 0 16 16" aria-hidden="true"><rect class="phase-${name}" width="16" height="16"/></svg> ${labelOf(name)}</li>`)}</ul>
${scrollable('Milliseconds by hop', timeTable(hops))}</section>
`;
}

function drawChart(hops: readonly TimedHop[]): Markup {
  const starts = hops.map((_, index) => hops.slice(0, index).reduce((sum, hop) => sum + totalOf(hop), 0));
  const total = hops.reduce((sum, hop) => sum + totalOf(hop), 0);
  const scale = total > 0 ? chartWidth / total : 0;
  return markup`<svg width="720" viewBox="0 0 720 ${hops.length * rowHeight}" role="img" aria-label="Waterfall of ${countOf(hops.length, 'hop')}, ${printMs(total)} ms in all; the numbers are in the table below.">
${hops.map((hop, index) => drawHop(hop, { y: index * rowHeight, left: chartLeft + (starts[index] ?? 0) * scale, scale }))}</svg>`;
}

function readHops(value: unknown): readonly TimedHop[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, mostHops).flatMap((hop: unknown, index) => {
    const timings = fieldOf(hop, 'timings');
    if (timings === null || typeof timings !== 'object') return [];
    const phases = phaseNames.map((name) => readMs(fieldOf(timings, name)));
    return [
      { number: index + 1, url: textOf(fieldOf(hop, 'url')), status: textOf(fieldOf(hop, 'status')), phases },
    ];
  });
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as { readonly [name: string]: unknown })[name];
}

function readMs(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}

function totalOf({ phases }: TimedHop): number {
  return phases.reduce((sum, ms) => sum + ms, 0);
}

type BarPosition = { readonly y: number; readonly left: number; readonly scale: number };

/** Where a hop begins, with the whole chain as 100. */
function placeOf(hops: readonly TimedHop[], index: number) {
  const total = hops.reduce((sum, hop) => sum + totalOf(hop), 0);
  const scale = total > 0 ? 100 / total : 0;
  return { left: hops.slice(0, index).reduce((sum, hop) => sum + totalOf(hop), 0) * scale, scale };
}

function hopItem(hop: TimedHop, { left, scale }: { readonly left: number; readonly scale: number }): Markup {
  let x = left;
  const segments = hop.phases.map((ms, index) => {
    const segment = markup`<rect class="phase-${phaseNames[index] ?? ''}" x="${round(x)}" width="${round(ms * scale)}" height="4"/>`;
    x += ms * scale;
    return ms > 0 ? segment : nothing;
  });
  return markup`<li>${cut(hop.status, 8)} <bdi class="value">${cut(hop.url, 300)}</bdi><svg class="lane" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true"><rect class="bar-track" width="100" height="4"/>${segments}</svg><span class="facts">${printMs(totalOf(hop))} ms</span></li>
`;
}

function drawHop(hop: TimedHop, { y, left, scale }: BarPosition): Markup {
  let x = left;
  const segments = hop.phases.map((ms, index) => {
    const segment = markup`<rect class="phase-${phaseNames[index] ?? ''}" x="${round(x)}" y="${y + 5}" width="${round(Math.max(0, ms * scale - 1))}" height="15"/>`;
    x += ms * scale;
    return ms > 0 ? segment : nothing;
  });
  const label = `${hop.number}  ${cut(hop.status, 8)} ${shorten(hop.url)}`;
  return markup`<text x="0" y="${y + 17}">${label}</text>${segments}<text class="quiet" x="${round(Math.min(x + 5, chartLeft + chartWidth + 5))}" y="${y + 17}">${printMs(totalOf(hop))} ms</text>
`;
}

function timeTable(hops: readonly TimedHop[]): Markup {
  const rows = hops.map((hop) => [
    markup`${hop.number} <bdi class="value">${cut(hop.url, 300)}</bdi>`,
    ...[...hop.phases, totalOf(hop)].map((ms) => markup`${printMs(ms)}`),
  ]);
  return cellTable(['Hop, milliseconds', ...phaseNames.map(labelOf), labelOf('total')], rows);
}

function shorten(url: string): string {
  return url.length > 28 ? `${clip(url, 27)}…` : url;
}

function printMs(ms: number): string {
  return ms.toFixed(1);
}

function round(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}
