import type { z } from 'zod';
import type { pagespeedReportShape } from '../../../catalogue/pagespeed-check/report.ts';
import { type Markup, markup, nothing } from '../../markup.ts';
import { cellTable, figure } from './figure.ts';

type Visits = z.infer<typeof pagespeedReportShape.field>;
type History = NonNullable<NonNullable<Visits>['history']>;

const names = {
  lcp: 'Largest Contentful Paint',
  inp: 'Interaction to Next Paint',
  cls: 'Cumulative Layout Shift',
  fcp: 'First Contentful Paint',
  ttfb: 'Time to First Byte',
} as const;
type Metric = keyof typeof names;
const metrics = Object.keys(names) as readonly Metric[];

const width = 280;
const height = 64;
const top = 24;
const mostPeriods = 40;

/** What real visitors had over the last months, a line for each metric; nothing where that was not told. */
export function drawFieldHistory(visits: Visits): Markup {
  const history = visits?.history;
  if (!visits || !history || history.periods.length < 2) return nothing;
  const told = metrics.filter((name) => valuesOf(history, name).some((value) => value !== null));
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
    table: cellTable(['Days', ...told.map((name) => names[name])], rows),
  });
}

function valuesOf({ p75 }: History, name: Metric): readonly (number | null)[] {
  return (p75[name] ?? []).slice(-mostPeriods);
}

function wordsOf(name: Metric, value: number | null): string {
  if (value === null) return '–';
  return name === 'cls' ? String(value) : `${value} ms`;
}

/** A line from zero up, with a gap where a period has no value. */
function drawLine(name: Metric, values: readonly (number | null)[]): Markup {
  const known = values.filter((value) => value !== null);
  const most = Math.max(...known, Number.EPSILON);
  const step = width / Math.max(1, values.length - 1);
  const pieces = values.map((value, index) => {
    if (value === null) return '';
    const isStart = index === 0 || values[index - 1] === null;
    return `${isStart ? 'M' : 'L'}${Math.round(index * step)} ${Math.round(height - 2 - (Math.max(0, value) / most) * (height - top - 2))}`;
  });
  const last = wordsOf(name, known.at(-1) ?? null);
  const words = `${names[name]}: ${wordsOf(name, known[0] ?? null)} at first, ${last} at last.`;
  return markup`<svg width="${width}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${words}"><text x="0" y="13">${names[name]}</text><text x="${width}" y="13" text-anchor="end" font-weight="600">${last}</text><path class="track" d="M0 ${height - 2}H${width}"/><path class="line" d="${pieces.join('')}"/></svg>
`;
}
