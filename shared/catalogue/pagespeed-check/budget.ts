/** What a budget may limit, in the order in which budgets are printed, with the unit of its numbers. */
const units = {
  lcp: 'ms',
  fcp: 'ms',
  si: 'ms',
  tbt: 'ms',
  ttfb: 'ms',
  cls: '',
  bytes: 'bytes',
  requests: '',
  thirdPartyBytes: 'bytes',
} as const;
export type BudgetMetric = keyof typeof units;

/** The metrics, in that order. */
export const budgetMetrics = Object.keys(units) as [BudgetMetric, ...BudgetMetric[]];

/** One entry of a budget: at most this. */
export type BudgetLine = { readonly metric: BudgetMetric; readonly limit: number };

const number = String.raw`[0-9]{1,12}(?:\.[0-9]{1,6})?`;
const line = `(?:${budgetMetrics.join('|')}):${number}`;
/** What `budget` may say; beyond it, each metric may stand there once. */
export const budgetText = new RegExp(`^${line}(?:,${line}){0,${budgetMetrics.length - 1}}$`);
const numberText = new RegExp(`^${number}$`);

/** One line for the documentation. */
export const describeBudget =
  'What the page may need at most, as metric:number with commas between, each metric once: lcp, fcp, si, tbt and ttfb in ms, cls, bytes, requests, thirdPartyBytes. Judged without a new load while a report of the same page is fresh.';

/** More are not told: the rest is of the same kind. */
const mostFaults = 10;

/** Reads a budget, or says each fault of its grammar as a sentence. */
export function readBudget(text: string): {
  readonly lines: readonly BudgetLine[];
  readonly faults: readonly string[];
} {
  const faults: string[] = [];
  const repeated = new Set<BudgetMetric>();
  const lines = new Map<BudgetMetric, BudgetLine>();
  for (const piece of text.split(',')) {
    if (faults.length >= mostFaults) break;
    const read = readLine(piece);
    if (typeof read === 'string') faults.push(read);
    else if (lines.has(read.metric)) repeated.add(read.metric);
    else lines.set(read.metric, read);
  }
  const more = [...repeated].map((metric) => `“${metric}” is there more than once; give each metric once.`);
  return { lines: [...lines.values()], faults: [...faults, ...more].slice(0, mostFaults) };
}

function readLine(piece: string): BudgetLine | string {
  const shown = piece.length > 60 ? `${piece.slice(0, 60)}…` : piece;
  const at = piece.indexOf(':');
  if (at === -1) return `“${shown}” is not metric:number, such as lcp:2500.`;
  const [name, amount] = [piece.slice(0, at), piece.slice(at + 1)];
  const metric = budgetMetrics.find((one) => one === name);
  if (metric === undefined) return unknownMetric(shown.slice(0, at), name);
  if (!numberText.test(amount))
    return `“${shown}”: give a number from 0 to 999999999999 behind the colon, with a point and at most 6 decimals.`;
  return { metric, limit: Number(amount) };
}

function unknownMetric(shown: string, name: string): string {
  const meant = budgetMetrics.find((one) => one.toLowerCase() === name.trim().toLowerCase());
  if (meant !== undefined) return `Write “${shown}” as ${meant}.`;
  return `“${shown}” is not a metric. There are: ${budgetMetrics.join(', ')}.`;
}

/** A budget in one spelling, so that equal ones are equal questions. */
export function printBudget(lines: readonly BudgetLine[]): string {
  return budgetMetrics
    .flatMap((metric) => lines.filter((one) => one.metric === metric))
    .map(({ metric, limit }) => `${metric}:${limit}`)
    .join(',');
}

/** What a load showed of the metrics; null where it was not seen. */
export type BudgetValues = { readonly [M in BudgetMetric]: number | null };

/** One entry as judged; null where the load has no value. */
export type BudgetEntry = BudgetLine & { readonly value: number | null; readonly kept: boolean | null };

export type BudgetResult = {
  /** False as soon as one entry is not kept; null where that cannot be said for a missing value. */
  readonly kept: boolean | null;
  readonly entries: readonly BudgetEntry[];
};

/** Compares what a load showed with the budget. */
export function judgeBudget(lines: readonly BudgetLine[], values: BudgetValues): BudgetResult {
  const entries = lines.map(({ metric, limit }): BudgetEntry => {
    const value = values[metric];
    return { metric, limit, value, kept: value === null ? null : value <= limit };
  });
  const isBroken = entries.some(({ kept }) => kept === false);
  const isUnknown = entries.some(({ kept }) => kept === null);
  return { kept: isBroken ? false : isUnknown ? null : true, entries };
}

/** A value with its unit: "2500 ms", "0.1", "1500000 bytes". */
export function showAmount(metric: BudgetMetric, value: number): string {
  const unit = units[metric];
  const shown = String(Math.round(value * 1000) / 1000);
  return unit === '' ? shown : `${shown} ${unit}`;
}
