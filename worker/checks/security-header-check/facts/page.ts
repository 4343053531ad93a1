import type { Block } from '../../../web/block-page.ts';
import { type ContentType, isDocument, isHtml, parseContentType } from '../../../web/content-type.ts';
import { listing } from '../../../web/default-pages.ts';
import { type Fields, indexFields, valuesOf } from '../../../web/fields.ts';
import { readUnseen, type Unseen } from '../../../web/page-seen.ts';
import type { Chain, DocumentObservation, HeaderEvidence, Hop } from '../evidence.ts';
import { readPolicies, type PolicyFacts } from './policies.ts';

/** A hop with its fields sorted by name; `index` is its place in the report's hops. */
export type HopFacts = {
  readonly index: number;
  readonly chain: 'https' | 'http';
  readonly url: URL;
  readonly hop: Hop;
  readonly fields: Fields;
};

/** The answer that is judged, read once. */
export type PageFacts = HopFacts & {
  readonly type: ContentType | undefined;
  /** True where rules for pages apply: what runs scripts, or may be taken for it. */
  readonly isDocument: boolean;
  readonly document: DocumentObservation | null;
  /** From its headers and its meta elements, enforced or not. */
  readonly policies: readonly PolicyFacts[];
  /** It is a list of files that the server made itself. */
  readonly listsFiles: boolean;
  /** Who answered instead of the site; undefined where this is its page. */
  readonly block: Block | undefined;
  /** Why this is not the page that was asked for; undefined where it is. */
  readonly unseen: Unseen | undefined;
};

/** All hops of both chains in the order of the report; those of the http chain that were met on the https chain stand once. */
export function readHops({ https, http }: HeaderEvidence): HopFacts[] {
  const known = new Set(https.hops.map(({ url }) => url));
  const more = http.hops.filter(({ url }) => !known.has(url));
  return [
    ...https.hops.map((hop) => ({ hop, chain: 'https' as const })),
    ...more.map((hop) => ({ hop, chain: 'http' as const })),
  ].map(({ hop, chain }, index) => ({
    index,
    chain,
    hop,
    url: new URL(hop.url),
    fields: indexFields(hop.headers),
  }));
}

/** The last answer of the https chain, else of the http chain; undefined where neither came to an end. */
export function readPage({ https, http }: HeaderEvidence, hops: readonly HopFacts[]): PageFacts | undefined {
  const chain = [https, http].find(({ end }) => end.kind === 'answered');
  const last = chain?.hops.at(-1);
  // On the http chain the last hop may be one that the https chain met before, and then stands there.
  const seen = hops.findLast(
    ({ hop, chain: way }) => hop.url === last?.url && (chain === http || way === 'https'),
  );
  return chain && seen ? readAnswerOf(seen, chain) : undefined;
}

function readAnswerOf(seen: HopFacts, { start, document, bodySigns = [] }: Chain): PageFacts {
  const { url, status, headers } = seen.hop;
  const unseen = readUnseen({ url, status, headers, bodySigns }, start);
  const type = parseContentType(valuesOf(seen.fields, 'content-type'));
  return {
    ...seen,
    type,
    isDocument: isDocument(type),
    document,
    listsFiles: bodySigns.includes(listing),
    policies: readPolicies(seen, document),
    block: unseen?.kind === 'blocked' ? unseen.block : undefined,
    unseen,
  };
}

/** Why a meta element of the head may have been missed; null where none can have been, or the answer is no HTML. */
export function whyHeadUnread({ type, document }: PageFacts): string | null {
  if (!isHtml(type)) return null;
  if (document === null) return 'the page could not be read';
  // Once anything stands elsewhere the head is over.
  const isOver = document.elements.some(({ parent }) => parent !== 'head' && parent !== 'noscript');
  return document.cut === null || isOver ? null : `the head was not read to its end: ${document.cut}`;
}

/** Why not all of a page was read; null where it was, or the answer is no HTML. */
export function whyPageUnread({ type, document }: PageFacts): string | null {
  if (!isHtml(type)) return null;
  if (document === null) return 'the page could not be read';
  return document.cut === null ? null : `the page was not read to its end: ${document.cut}`;
}

/** True where there is an answer that the rules for pages can be asked of: the page, or a front page that is none but is the site's own answer. */
export function isJudged(page: PageFacts | undefined): page is PageFacts {
  return page !== undefined && (page.unseen === undefined || page.unseen.kind === 'no-document');
}
