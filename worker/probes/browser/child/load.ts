import type { FrameSeen, LoadSeen, RequestSeen } from '../port.ts';
import { bagOf, finiteOf, listOf, textOf } from '../untyped.ts';

/** Rows of requests that are looked at; a page may make thousands. */
const mostRequests = 2000;
const keptRequests = 50;
const longestUrl = 300;
const mostFrames = 10;
/** Base64 of all frames together: 96 kB of pictures. */
const frameCharacters = 131_072;

/** How the page loaded, of Lighthouse's audits: its pictures in order, and its first requests. Every part is looked at before it is believed. */
export function readLoad(audits: { readonly [id: string]: { readonly details?: unknown } }): LoadSeen {
  const frames = readFrames(audits['screenshot-thumbnails']?.details);
  const requests = readRequests(audits['network-requests']?.details);
  return { frames, ...(requests ? { requests } : {}) };
}

function readFrames(details: unknown): readonly FrameSeen[] {
  let left = frameCharacters;
  return listOf(bagOf(details)['items'])
    .slice(0, mostFrames)
    .map(bagOf)
    .flatMap(({ timing, data }) => {
      const atMs = finiteOf(timing);
      const jpeg = textOf(data).replace(/^data:image\/jpeg;base64,/, '');
      left -= jpeg.length;
      return atMs === undefined || jpeg === '' || left < 0 ? [] : [{ atMs: Math.round(atMs), jpeg }];
    });
}

function readRequests(details: unknown): LoadSeen['requests'] | undefined {
  const rows = listOf(bagOf(details)['items']);
  if (rows.length === 0) return undefined;
  const requests = rows
    .slice(0, mostRequests)
    .map(bagOf)
    .flatMap((row): readonly RequestSeen[] => {
      const [startMs, endMs] = [finiteOf(row['networkRequestTime']), finiteOf(row['networkEndTime'])];
      if (startMs === undefined || endMs === undefined || !/^https?:/.test(textOf(row['url']))) return [];
      return [
        {
          url: textOf(row['url']).slice(0, longestUrl),
          type: textOf(row['resourceType']).slice(0, 40),
          startMs: Math.round(Math.max(0, startMs)),
          endMs: Math.round(Math.max(0, startMs, endMs)),
          bytes: Math.max(0, Math.round(finiteOf(row['transferSize']) ?? 0)),
          status: Math.round(finiteOf(row['statusCode']) ?? 0),
        },
      ];
    });
  const first = requests.toSorted((one, other) => one.startMs - other.startMs).slice(0, keptRequests);
  return { total: rows.length, first };
}
