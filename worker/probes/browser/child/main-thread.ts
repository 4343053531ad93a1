import type { LongTask, MainThreadObservation, ScriptWork } from '../port.ts';
import { type Bag, bagOf, finiteOf, listOf, textOf } from '../untyped.ts';
import { round } from './rows.ts';

const mostRows = 20;
/** Characters of all addresses that are kept; usual pages have a tenth of it. */
const mostCharacters = 20_000;

type Audits = { readonly [id: string]: { readonly details?: unknown } };

/** What kept the page's main thread busy, of Lighthouse's audits. Every part is looked at before it is believed. */
export function readMainThread(audits: Audits): MainThreadObservation {
  const rowsOf = (id: string) => listOf(bagOf(audits[id]?.details)['items']).slice(0, mostRows).map(bagOf);
  const byKind = rowsOf('mainthread-work-breakdown').flatMap(({ group, duration }) =>
    /^[a-z]{1,30}$/i.test(textOf(group)) ? [[textOf(group), msOf(duration)] as const] : [],
  );
  return {
    byKind: Object.fromEntries(byKind),
    scripts: withinLimit(rowsOf('bootup-time').map(readScript)),
    longTasks: withinLimit(rowsOf('long-tasks').map(readTask)),
  };
}

function readScript(row: Bag): ScriptWork {
  return {
    url: readUrl(row),
    totalMs: msOf(row['total']),
    scriptingMs: msOf(row['scripting']),
    parseMs: msOf(row['scriptParseCompile']),
  };
}

function readTask(row: Bag): LongTask {
  return { url: readUrl(row), startMs: msOf(row['startTime']), durationMs: msOf(row['duration']) };
}

// What belongs to no script has a word in the address's place: "Unattributable", "Browser GPU".
function readUrl(row: Bag): string | null {
  const url = textOf(row['url']);
  return /^[a-z][a-z\d+.-]*:/i.test(url) ? url : null;
}

function withinLimit<Row extends { readonly url: string | null }>(rows: readonly Row[]): readonly Row[] {
  let left = mostCharacters;
  return rows.filter(({ url }) => {
    left -= url?.length ?? 0;
    return left >= 0;
  });
}

function msOf(value: unknown): number {
  return Math.max(0, round(finiteOf(value) ?? 0));
}
