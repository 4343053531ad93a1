import { pagespeedReportShape } from '../../../catalogue/pagespeed-check/report.ts';
import type { Report } from '../../../model/report.ts';
import { type Markup, markup, nothing } from '../../markup.ts';
import { cut } from '../../visible-text.ts';
import { drawFieldHistory } from './field-history.ts';
import { cellTable, figure, type Links, readFields, tableSection } from './figure.ts';
import { drawMainThread } from './main-thread.ts';
import { drawFrames, drawRequests } from './page-load.ts';
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
