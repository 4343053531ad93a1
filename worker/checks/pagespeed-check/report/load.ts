import type { PagespeedFields } from '#shared/catalogue/pagespeed-check/report';
import { siteOf } from '#shared/targets/parse-target';
import type { PageSight } from '../../../probes/browser/port.ts';
import { isLoaded, type PagespeedEvidence } from '../evidence.ts';
import { type Frame, readFrames, readRequests } from '../facts/load.ts';

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

/** The page's first requests in order of their start. A third party is a host of another registrable domain than the page's. */
export function reportRequests(page: PageSight | undefined): PagespeedFields['requests'] {
  const seen = page && readRequests(page);
  if (!page || !seen) return null;
  const own = siteOfUrl(page.finalUrl);
  const first = seen.first.map((request) => ({
    ...request,
    isThirdParty: own !== undefined && siteOfUrl(request.url) !== own,
  }));
  return { total: seen.total, first };
}

function siteOfUrl(text: string): string | undefined {
  const url = URL.parse(text);
  return url ? siteOf(url.hostname) : undefined;
}
