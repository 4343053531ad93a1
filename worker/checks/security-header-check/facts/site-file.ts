import { readBlock } from '../../../web/block-page.ts';
import { indexFields, valuesOf } from '../../../web/fields.ts';
import type { SiteFileObservation } from '../evidence.ts';

/** A file of the site: read, absent, or not seen, each of the last two with a clause that says why. */
export type SiteFile<Content> =
  | ({ readonly state: 'found' } & FoundFile<Content>)
  | { readonly state: 'not-tested'; readonly url: string; readonly why: string }
  /** `status` where something else stands in its place: a page, or a text of another kind. */
  | { readonly state: 'absent'; readonly url: string; readonly why: string; readonly status?: number };

export type FoundFile<Content> = {
  /** The address that answered. */
  readonly url: string;
  /** Every address on the way to it, itself the last. */
  readonly route: readonly string[];
  readonly status: number;
  readonly contentType: string;
  readonly sizeBytes: number;
  /** Why it was not read to its end; null where it was. */
  readonly cut: string | null;
  readonly content: Content;
};

/** Reads what came of asking for a file. A page instead of it, whatever its status, is none; a block page proves nothing. */
export function readSiteFile<Content>(observation: SiteFileObservation<Content>): SiteFile<Content> {
  const [start = ''] = observation.route;
  const url = observation.route.at(-1) ?? start;
  if (observation.kind === 'failed')
    return { state: 'not-tested', url, why: `${url} could not be asked: ${observation.reason}` };
  if (observation.kind === 'astray') return { state: 'absent', url, why: 'its redirects lead to no file' };
  const unseen = whyUnseen(observation, start);
  if (unseen !== null) return { state: 'not-tested', url, why: unseen };
  const { status, headers, content, sizeBytes, cut } = observation;
  if (status < 200 || status > 299) return { state: 'absent', url, why: `the server answered ${status}` };
  if (content === null) return { state: 'absent', url, why: 'the answer is a page, not a text file', status };
  const [contentType = ''] = valuesOf(indexFields(headers), 'content-type');
  return { state: 'found', url, route: observation.route, status, contentType, sizeBytes, cut, content };
}

function whyUnseen(observation: AnsweredFile, start: string): string | null {
  const { route, status, headers, bodySigns, cut } = observation;
  const block = readBlock({ url: route.at(-1) ?? start, status, headers, bodySigns }, start);
  if (block) return `the file itself was not seen: ${block.reason}`;
  if (status >= 500) return `the server answered ${status}`;
  return cut === null || cut === 'limit' ? null : `the file was not read to its end (${cut})`;
}

type AnsweredFile = Extract<SiteFileObservation<unknown>, { kind: 'answered' }>;
