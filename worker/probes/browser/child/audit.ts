import type { AuditObservation } from '../port.ts';
import { readRows, round, text } from './rows.ts';

/** Of one of Lighthouse's audits what is read here. */
export type LighthouseAudit = {
  readonly id: string;
  readonly title: string;
  readonly score: number | null;
  readonly scoreDisplayMode: string;
  readonly displayValue?: unknown;
  /** Why it could not be judged well. */
  readonly explanation?: unknown;
  readonly numericValue?: number;
  readonly metricSavings?: object;
  readonly details?: unknown;
};

/** An audit cut to what a report needs: its numbers, and its first rows where it did not pass. */
export function trimAudit(audit: LighthouseAudit): AuditObservation {
  const { rows, count } = readRows(audit.details);
  const savings = numbersOf(audit.metricSavings ?? {}, () => true);
  const passed = audit.score === null || audit.score >= 0.9;
  return {
    id: audit.id,
    title: text(audit.title),
    score: audit.score,
    mode: audit.scoreDisplayMode,
    display: typeof audit.displayValue === 'string' ? text(audit.displayValue) : null,
    value: audit.numericValue === undefined ? null : round(audit.numericValue),
    savings: Object.fromEntries(Object.entries(savings).filter(([, value]) => value > 0)),
    savedBytes: readSavedBytes(audit.details),
    // What holds needs no rows, but for the few that only inform.
    items: passed && audit.scoreDisplayMode !== 'informative' ? [] : rows,
    itemCount: count,
  };
}

function readSavedBytes(details: unknown): number | null {
  const items = (details as { items?: unknown } | undefined)?.items;
  if (!Array.isArray(items)) return null;
  const sum = items.reduce((total: number, item: { wastedBytes?: unknown } | null) => {
    const bytes = item?.wastedBytes;
    return total + (typeof bytes === 'number' ? bytes : 0);
  }, 0);
  return sum > 0 ? Math.round(sum) : null;
}

/** The numbers of an object whose names are wanted. */
export function numbersOf(bag: object, picks: (name: string) => boolean): { [name: string]: number } {
  return Object.fromEntries(
    Object.entries(bag).flatMap(([name, value]: [string, unknown]) =>
      typeof value === 'number' && picks(name) ? [[name, round(value)]] : [],
    ),
  );
}
