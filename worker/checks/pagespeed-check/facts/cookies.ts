import type { CookieObservation, LoadObservation } from '../../../probes/browser/port.ts';
import { bagOf, finiteOf, listOf, textOf } from '../../../probes/browser/untyped.ts';

const mostEntries = 100;

/** Reads the cookies of a load; undefined where they were not seen. They come from a process that ran the target's code, so each part is looked at. */
export function readPageCookies({ cookies }: LoadObservation) {
  if (cookies === undefined) return undefined;
  const { total, entries } = bagOf(cookies);
  const read = listOf(entries).slice(0, mostEntries).map(bagOf).map(readOne);
  return { total: Math.max(read.length, Math.round(finiteOf(total) ?? 0)), entries: read };
}

function readOne(row: ReturnType<typeof bagOf>): CookieObservation {
  const lifetimeS = finiteOf(row['lifetimeS']);
  return {
    name: textOf(row['name']).slice(0, 256),
    domain: textOf(row['domain']).slice(0, 256),
    path: textOf(row['path']).slice(0, 256),
    secure: row['secure'] === true,
    httpOnly: row['httpOnly'] === true,
    sameSite: textOf(row['sameSite']).slice(0, 20) || null,
    lifetimeS: lifetimeS === undefined ? null : Math.max(0, Math.round(lifetimeS)),
    setBy: row['setBy'] === 'script' ? 'script' : 'response',
  };
}
