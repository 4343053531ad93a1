import type {
  LoadObservation,
  LongTask,
  MainThreadObservation,
  ScriptWork,
} from '../../../probes/browser/port.ts';
import { type Bag, bagOf, finiteOf, listOf, textOf } from '../../../probes/browser/untyped.ts';

const mostRows = 20;

/** Reads what kept the main thread busy; undefined where it was not seen. It comes from a process that ran the target's code, so each part is looked at. */
export function readBusy({ mainThread }: LoadObservation): MainThreadObservation | undefined {
  if (mainThread === undefined) return undefined;
  const { byKind, scripts, longTasks } = bagOf(mainThread);
  const kinds = Object.entries(bagOf(byKind)).slice(0, mostRows);
  return {
    byKind: Object.fromEntries(kinds.map(([kind, ms]) => [kind.slice(0, 30), msOf(ms)])),
    scripts: rowsOf(scripts).map(readScript),
    longTasks: rowsOf(longTasks).map(readTask),
  };
}

function rowsOf(value: unknown): readonly Bag[] {
  return listOf(value).slice(0, mostRows).map(bagOf);
}

function readScript(row: Bag): ScriptWork {
  return {
    url: urlOf(row),
    totalMs: msOf(row['totalMs']),
    scriptingMs: msOf(row['scriptingMs']),
    parseMs: msOf(row['parseMs']),
  };
}

function readTask(row: Bag): LongTask {
  return { url: urlOf(row), startMs: msOf(row['startMs']), durationMs: msOf(row['durationMs']) };
}

function urlOf(row: Bag): string | null {
  return textOf(row['url']).slice(0, 2048) || null;
}

function msOf(value: unknown): number {
  return Math.max(0, finiteOf(value) ?? 0);
}
