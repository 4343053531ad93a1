import type {
  LoadObservation,
  RequestObservation,
  RequestsObservation,
  RequestTimings,
} from '../../../probes/browser/port.ts';
import { type Bag, bagOf, finiteOf, listOf, textOf } from '../../../probes/browser/untyped.ts';

const mostEntries = 500;

/** The requests of the page as evidence tells them; sums are null in that of an older version, which kept the first 50. */
export type Requests = {
  readonly total: number;
  readonly sums: Pick<RequestsObservation, 'overNetwork' | 'bytes' | 'thirdPartyBytes'> | null;
  readonly entries: readonly RequestObservation[];
};

/** Reads the requests; undefined where they were not seen. They come from a process that ran the target's code, so each part is looked at. */
export function readRequests({ requests }: LoadObservation): Requests | undefined {
  const { total, entries, first, ...sums } = bagOf(requests);
  const rows = listOf(entries ?? first)
    .slice(0, mostEntries)
    .map(bagOf);
  if (rows.length === 0) return undefined;
  const { overNetwork, bytes, thirdPartyBytes } = sums;
  const isSummed = [overNetwork, bytes, thirdPartyBytes].every((sum) => finiteOf(sum) !== undefined);
  return {
    total: Math.max(rows.length, wholeOf(total)),
    sums: isSummed
      ? {
          overNetwork: wholeOf(overNetwork),
          bytes: wholeOf(bytes),
          thirdPartyBytes: wholeOf(thirdPartyBytes),
        }
      : null,
    entries: rows.map(readEntry),
  };
}

function readEntry(row: Bag): RequestObservation {
  const initiator = bagOf(row['initiator']);
  return {
    url: textOf(row['url']).slice(0, 2048),
    method: wordOf(row['method']) ?? 'GET',
    type: wordOf(row['type']) ?? 'Other',
    status: wholeOf(row['status']),
    protocol: wordOf(row['protocol']),
    mimeType: wordOf(row['mimeType']),
    bytes: wholeOf(row['bytes']),
    decodedBytes: wholeOf(row['decodedBytes']),
    startMs: wholeOf(row['startMs']),
    endMs: Math.max(wholeOf(row['startMs']), wholeOf(row['endMs'])),
    priority: wordOf(row['priority']),
    owner: wordOf(row['owner']),
    isThirdParty: row['isThirdParty'] === true,
    initiator: {
      type: wordOf(initiator['type']) ?? 'other',
      url: textOf(initiator['url']).slice(0, 2048) || null,
    },
    redirectsTo: textOf(row['redirectsTo']).slice(0, 2048) || null,
    fromCache: row['fromCache'] === true,
    failure: wordOf(row['failure']),
    timings: readTimings(row['timings']),
  };
}

function readTimings(value: unknown): RequestTimings | null {
  const timings = bagOf(value);
  if (finiteOf(timings['wait']) === undefined) return null;
  const msOf = (name: string) => Math.max(0, finiteOf(timings[name]) ?? 0);
  const phaseOf = (name: string) => (finiteOf(timings[name]) === undefined ? null : msOf(name));
  return {
    blocked: msOf('blocked'),
    dns: phaseOf('dns'),
    connect: phaseOf('connect'),
    ssl: phaseOf('ssl'),
    send: msOf('send'),
    wait: msOf('wait'),
    receive: msOf('receive'),
  };
}

function wholeOf(value: unknown): number {
  return Math.max(0, Math.round(finiteOf(value) ?? 0));
}

function wordOf(value: unknown): string | null {
  return textOf(value).slice(0, 100) || null;
}
