import type { PagespeedFields } from '#shared/catalogue/pagespeed-check/report';
import type { PageObservation } from '../../../probes/browser/port.ts';
import { isLoaded, type PagespeedEvidence } from '../evidence.ts';
import { type Frame, readFrames } from '../facts/load.ts';
import { readRequests } from '../facts/requests.ts';

/** The pictures of the first run, to be kept beside the report: JSON of what the report says of each, with its JPEG in base64. */
export function filmstripOf(evidence: PagespeedEvidence): { readonly bytes: Uint8Array } | undefined {
  const frames = framesOf(evidence);
  return frames.length === 0 ? undefined : { bytes: new TextEncoder().encode(JSON.stringify(frames)) };
}

/** When each picture was taken, and its size; the pictures themselves are kept beside the report. */
export function reportFilmstrip(evidence: PagespeedEvidence): PagespeedFields['filmstrip'] {
  return framesOf(evidence).map(({ atMs, width, height }) => ({ atMs, width, height }));
}

function framesOf({ runs: [first] }: PagespeedEvidence): readonly Frame[] {
  return first && isLoaded(first) ? readFrames(first.end.page) : [];
}

/** The page's requests in order of their start, at most 500, and sums over all. */
export function reportRequests(page: PageObservation | undefined): PagespeedFields['requests'] {
  const seen = page && readRequests(page);
  return seen ? { total: seen.total, ...seen.sums, entries: seen.entries } : null;
}
