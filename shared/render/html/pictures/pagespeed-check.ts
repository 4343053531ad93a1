import type { z } from 'zod';
import { pagespeedReportShape } from '../../../catalogue/pagespeed-check/report.ts';
import type { Report } from '../../../model/report.ts';
import { type Markup, markup, nothing } from '../../markup.ts';
import { cut } from '../../visible-text.ts';
import { cellTable, figure, type Links, readFields, tableSection } from '../tables.ts';
import { drawFrames, drawMainThread, drawRequests } from './page-load.ts';
import { codesWhere, type Marked, markOf, tonedBy, unjudged } from './verdict-marks.ts';

const { metrics, field, opportunities, resources } = pagespeedReportShape;
type Speed = NonNullable<ReturnType<typeof readSpeed>>;
type Metric = NonNullable<Speed['metrics']>['lcp'];

const names = {
  lcp: 'Largest Contentful Paint',
  cls: 'Cumulative Layout Shift',
  tbt: 'Total Blocking Time',
  fcp: 'First Contentful Paint',
  si: 'Speed Index',
  ttfb: 'Time to First Byte',
} as const;
type MetricName = keyof typeof names;
const metricNames = Object.keys(names) as readonly MetricName[];

const mostRows = 20;
const longestTitle = 200;

/** The vitals on their scales, from the lab and from real visits, how the page appeared, what would save the most, and what was requested. */
export function drawSpeed(report: Report, links: Links): Markup {
  const speed = readSpeed(report);
  if (!speed) return nothing;
  return markup`${vitalSection(speed, report)}${drawFieldHistory(speed.field)}${drawFrames(report, links)}${savingSection(speed)}${drawMainThread(report)}${drawRequests(report, links)}${resourceSection(speed)}`;
}

function readSpeed(report: Report) {
  return readFields(report, { metrics, field, opportunities, resources });
}

/** As wide as a small phone shows: one below the other there, and side by side where there is room. */
const scaleWidth = 280;
const scaleHeight = 62;
const words = { good: 'good', 'needs-improvement': 'needs improvement', poor: 'poor' } as const;

function vitalSection({ metrics: lab, field: visits }: Speed, report: Report): Markup {
  if (lab === null) return nothing;
  const picture = markup`<div class="vitals">${metricNames.map((name) => drawMetric(name, lab[name], { visits: visits?.metrics[name]?.p75, marked: markOfMetric(name, report) }))}</div>
<p class="hint">The mark is the value measured in the lab${visits ? markup`, the ring the one of real visits${daysOf(visits)} (75th percentile)` : nothing}. Green is good, red is poor.</p>`;
  const rows = metricNames.map((name) => {
    const { display, rating, thresholds } = lab[name];
    const real = visits?.metrics[name];
    const ofSite = visits?.origin?.metrics[name];
    return [
      markup`${names[name]}`,
      markup`${cut(display ?? '–', 40)}`,
      markup`${rating === null ? '–' : words[rating]}`,
      markup`${thresholds.good} / ${thresholds.poor}`,
      markup`${real ? `${real.p75}, ${words[real.rating]}` : '–'}`,
      ...(visits?.origin ? [markup`${ofSite ? `${ofSite.p75}, ${words[ofSite.rating]}` : '–'}`] : []),
    ];
  });
  const heads = ['Metric', 'Lab', 'Rating', 'Good / poor', 'Real visits'];
  return figure('Vitals', {
    wide: picture,
    table: cellTable(visits?.origin ? [...heads, 'Real visits of the whole site'] : heads, rows),
  });
}

function daysOf({ period }: NonNullable<Speed['field']>): string {
  return period ? ` from ${period.from} to ${period.to}` : '';
}

type Measured = { readonly visits: number | undefined; readonly marked: Marked };

function markOfMetric(name: MetricName, report: Report): Marked {
  const codes = codesWhere(
    'pagespeed-check',
    (code) => code === `${name}-poor` || code === `${name}-needs-improvement`,
  );
  return codes.length === 0 ? unjudged : markOf(report, codes);
}

/** The scale ends beyond the poor limit, so that all three bands stay readable for every metric. */
function drawMetric(name: MetricName, metric: Metric, { visits, marked }: Measured): Markup {
  const { good, poor } = metric.thresholds;
  const end = Math.max(poor * 1.6, Number.EPSILON);
  const xOf = (value: number) => Math.round((Math.min(end, Math.max(0, value)) / end) * scaleWidth);
  const [first, second] = [xOf(good), xOf(poor)];
  const shown = cut(metric.display ?? '–', 12);
  const rated = metric.rating === null ? 'not rated' : words[metric.rating];
  return markup`<svg width="${scaleWidth}" viewBox="0 0 ${scaleWidth} ${scaleHeight}" role="img" aria-label="${names[name]}: ${shown}, ${rated}"><text x="0" y="13">${names[name]}</text><g ${tonedBy(marked)}><text class="toned" x="${scaleWidth}" y="13" text-anchor="end" font-weight="600">${shown}</text></g><rect class="band pass" y="32" width="${first}" height="10"/><rect class="band medium" x="${first}" y="32" width="${second - first}" height="10"/><rect class="band high" x="${second}" y="32" width="${scaleWidth - second}" height="10"/><text class="small quiet" x="${first}" y="56" text-anchor="middle">${limitWords(name, good)}</text><text class="small quiet" x="${second}" y="56" text-anchor="middle">${limitWords(name, poor)}</text>
${visits === undefined ? nothing : markup`<circle class="ring" cx="${markAt(xOf(visits), 8)}" cy="37" r="8"/>`}${metric.value === null ? nothing : markup`<path class="pointer" d="M${markAt(xOf(metric.value), 6)} 31l-6 -10h12z"/>`}</svg>
`;
}

/** Where a mark stands so that none of it is cut off. */
function markAt(x: number, half: number): number {
  return Math.min(scaleWidth - half - 1, Math.max(half + 1, x));
}

function limitWords(name: MetricName, limit: number): string {
  return name === 'cls' ? String(limit) : limit < 1000 ? `${limit} ms` : `${Math.round(limit / 100) / 10} s`;
}

function savingSection({ opportunities: all }: Speed): Markup {
  const rows = all.slice(0, mostRows).flatMap(({ title, display, savings, itemCount }) => {
    const ms = Math.max(savings.lcpMs ?? 0, savings.tbtMs ?? 0, savings.fcpMs ?? 0);
    const kib = Math.round((savings.bytes ?? 0) / 1024);
    return [
      [
        markup`${cut(title, longestTitle)}`,
        markup`${ms === 0 ? '–' : `${ms} ms`}`,
        markup`${kib === 0 ? '–' : `${kib} KiB`}`,
        markup`${itemCount}`,
        markup`${cut(display ?? '–', longestTitle)}`,
      ],
    ];
  });
  if (rows.length === 0) return nothing;
  return tableSection(
    'What would save the most',
    cellTable(['Change', 'Time', 'Bytes', 'Places', 'Lighthouse'], rows),
  );
}

function resourceSection({ resources: seen }: Speed): Markup {
  if (seen === null) return nothing;
  const types = Object.entries(seen.byType).slice(0, mostRows);
  const most = Math.max(1, ...types.map(([, { bytes }]) => bytes));
  const rows = types.map(([type, { requests, bytes }]) => [
    markup`${cut(type, 40)}`,
    markup`${requests}`,
    markup`${Math.round(bytes / 1024)} KiB`,
    markup`<svg class="low" width="160" height="10" viewBox="0 0 160 10" aria-hidden="true"><rect class="bar" width="${Math.round((bytes / most) * 160)}" height="10"/></svg>`,
  ]);
  return tableSection(
    `What the page loads (requests: ${seen.total.requests}, size: ${Math.round(seen.total.bytes / 1024)} KiB)`,
    cellTable(['Type', 'Requests', 'Size', 'Share'], rows),
  );
}

type Visits = z.infer<typeof pagespeedReportShape.field>;
type History = NonNullable<NonNullable<Visits>['history']>;

const visitNames = {
  lcp: 'Largest Contentful Paint',
  inp: 'Interaction to Next Paint',
  cls: 'Cumulative Layout Shift',
  fcp: 'First Contentful Paint',
  ttfb: 'Time to First Byte',
} as const;
type VisitMetric = keyof typeof visitNames;
const visitMetrics = Object.keys(visitNames) as readonly VisitMetric[];

const width = 280;
const height = 64;
const top = 24;
const mostPeriods = 40;

/** What real visitors had over the last months, a line for each metric; nothing where that was not told. */
function drawFieldHistory(visits: Visits): Markup {
  const history = visits?.history;
  if (!visits || !history || history.periods.length < 2) return nothing;
  const told = visitMetrics.filter((name) => valuesOf(history, name).some((value) => value !== null));
  if (told.length === 0) return nothing;
  const rows = history.periods
    .slice(-mostPeriods)
    .map(({ from, to }, index) => [
      markup`${from} to ${to}`,
      ...told.map((name) => markup`${wordsOf(name, valuesOf(history, name)[index] ?? null)}`),
    ])
    .toReversed();
  const lines = markup`<div class="vitals">${told.map((name) => drawLine(name, valuesOf(history, name)))}</div>
<p class="hint">The 75th percentile of real visits ${visits.scope === 'url' ? 'to this page' : 'to the whole site'}, each point over 28 days.</p>`;
  return figure('Real visits over time', {
    wide: lines,
    table: cellTable(['Days', ...told.map((name) => visitNames[name])], rows),
  });
}

function valuesOf({ p75 }: History, name: VisitMetric): readonly (number | null)[] {
  return (p75[name] ?? []).slice(-mostPeriods);
}

function wordsOf(name: VisitMetric, value: number | null): string {
  if (value === null) return '–';
  return name === 'cls' ? String(value) : `${value} ms`;
}

/** A line from zero up, with a gap where a period has no value. */
function drawLine(name: VisitMetric, values: readonly (number | null)[]): Markup {
  const known = values.filter((value) => value !== null);
  const most = Math.max(...known, Number.EPSILON);
  const step = width / Math.max(1, values.length - 1);
  const pieces = values.map((value, index) => {
    if (value === null) return '';
    const isStart = index === 0 || values[index - 1] === null;
    return `${isStart ? 'M' : 'L'}${Math.round(index * step)} ${Math.round(height - 2 - (Math.max(0, value) / most) * (height - top - 2))}`;
  });
  const last = wordsOf(name, known.at(-1) ?? null);
  const words = `${visitNames[name]}: ${wordsOf(name, known[0] ?? null)} at first, ${last} at last.`;
  return markup`<svg width="${width}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${words}"><text x="0" y="13">${visitNames[name]}</text><text x="${width}" y="13" text-anchor="end" font-weight="600">${last}</text><path class="track" d="M0 ${height - 2}H${width}"/><path class="line" d="${pieces.join('')}"/></svg>
`;
}
