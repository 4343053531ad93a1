import type { HeaderLine } from '../../../../web/fields.ts';
import type { PreloadState } from '../../../../web/preload-list.ts';
import type { Chain, PageElement, HeaderEvidence, Hop } from '../../evidence.ts';
import { attributeOf } from '../../facts/policies.ts';

/** What the Observatory sees of a chain: the answers of at most ten redirects, the last of which it grades. */
export type ObservatoryChain = {
  readonly route: readonly Hop[];
  readonly last: Hop;
  readonly headers: JoinedHeaders;
  /** False as soon as one certificate on the way is refused. */
  readonly verified: boolean;
};

/** Header fields as Node hands them to the Observatory: one text each, Set-Cookie apart. */
export type JoinedHeaders = {
  readonly fields: ReadonlyMap<string, string>;
  readonly cookies: readonly string[];
};

/** The Observatory's input, made of our evidence. */
export type ObservatoryView = {
  readonly https: ObservatoryChain | undefined;
  readonly http: ObservatoryChain | undefined;
  /** The chain that is graded: https, else http. */
  readonly graded: ObservatoryChain;
  /** Unix ms; an expired cookie leaves its jar. */
  readonly seenAtMs: number;
  /** The address that the graded chain began with. */
  readonly start: URL;
  readonly elements: readonly PageElement[];
  readonly metas: { readonly csp: readonly string[]; readonly referrer: string | undefined };
  /** The answer to its OPTIONS; undefined where it was no 2xx, which it drops. */
  readonly cors: JoinedHeaders | undefined;
  readonly preloadOf: (host: string) => PreloadState;
};

const redirectLimit = 10;
const htmlTypes: ReadonlySet<string> = new Set(['text/html', 'application/xhtml+xml']);

/** Reads the evidence as the Observatory would; undefined where it would find the site down. */
export function viewAsObservatory(evidence: HeaderEvidence): ObservatoryView | undefined {
  const https = readChain(evidence.https);
  const http = readChain(evidence.http);
  const graded = https ?? http;
  if (!graded) return undefined;
  const chain = graded === https ? evidence.https : evidence.http;
  // Of a page that sent the visitor on by itself, which the Observatory grades, only the header fields were kept.
  const isLeft = chain.hops.some(({ leftBy }) => leftBy !== undefined);
  const document = chain.document ?? evidence.https.document ?? evidence.http.document;
  const elements = isLeft ? [] : (document?.elements ?? []);
  const known = new Map(evidence.preload);
  return {
    https,
    http,
    graded,
    seenAtMs: evidence.seenAtMs,
    start: new URL(chain.start),
    elements,
    metas: htmlTypes.has(mimeOf(graded.headers)) ? readMetas(elements) : { csp: [], referrer: undefined },
    cors: readPreflight(evidence),
    preloadOf: (host) => known.get(host) ?? 'unknown',
  };
}

/** The part of Content-Type before its parameters, neither trimmed nor lowered. */
export function mimeOf({ fields }: JoinedHeaders): string {
  return (fields.get('content-type') ?? '').split(';', 1)[0] ?? '';
}

/** True for a type that the Observatory reads as a page. */
export function isHtmlToObservatory(mime: string): boolean {
  return htmlTypes.has(mime);
}

function readChain(chain: Chain): ObservatoryChain | undefined {
  const route = followTen(chain);
  const last = route.at(-1);
  if (!last) return undefined;
  return {
    route,
    last,
    headers: joinHeaders(last.headers),
    verified: route.every(({ tls }) => tls?.trusted !== false),
  };
}

// It goes round in a loop until its limit and then grades the redirect that it holds.
function followTen({ hops, end }: Chain): readonly Hop[] {
  const most = redirectLimit + 1;
  // It knows no other redirects than those by status.
  const left = hops.findIndex(({ leftBy }) => leftBy !== undefined);
  if (left >= 0) return hops.slice(0, Math.min(left + 1, most));
  if (hops.length >= most) return hops.slice(0, most);
  if (end.kind === 'answered') return hops;
  const back = end.kind === 'loop' ? hops.findIndex(({ url }) => url === end.url) : -1;
  if (back < 0) return [];
  const period = hops.slice(back);
  return Array.from({ length: most }, (_, at) => hops[at] ?? period[(at - back) % period.length]).filter(
    (hop) => hop !== undefined,
  );
}

// Node keeps the first of these and joins all others (http.IncomingMessage, "message.headers").
const firstOnly: ReadonlySet<string> = new Set(
  `age authorization content-length content-type etag expires from host if-modified-since if-unmodified-since last-modified location
  max-forwards proxy-authorization referer retry-after server user-agent`.split(/\s+/),
);

/** Joins repeated fields as Node does before the Observatory sees them. */
export function joinHeaders(lines: readonly HeaderLine[]): JoinedHeaders {
  const fields = new Map<string, string>();
  const cookies: string[] = [];
  for (const [name, value] of lines) {
    const key = name.toLowerCase();
    const before = fields.get(key);
    if (key === 'set-cookie') cookies.push(value);
    else if (before === undefined) fields.set(key, value);
    else if (!firstOnly.has(key)) fields.set(key, `${before}, ${value}`);
  }
  return { fields, cookies };
}

/** Bytes of the header section; above 16 KiB its client gives up. */
export function isTooLargeForObservatory({ route }: ObservatoryChain): boolean {
  return route.some(
    ({ headers }) => headers.reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0) > 16_384,
  );
}

/** True for the statuses that it grades. */
export function isGradedStatus(status: number): boolean {
  return (status >= 200 && status < 400) || status === 401 || status === 403;
}

function readMetas(elements: readonly PageElement[]): ObservatoryView['metas'] {
  const csp: string[] = [];
  let referrer: string | undefined;
  for (const element of elements) {
    if (element.name !== 'meta') continue;
    const content = attributeOf(element, 'content');
    const equivalent = attributeOf(element, 'http-equiv');
    if (equivalent !== undefined && content !== undefined) {
      if (content !== '' && equivalent.toLowerCase().trim() === 'content-security-policy') csp.push(content);
    } else if (attributeOf(element, 'name')?.toLowerCase().trim() === 'referrer' && content)
      referrer = content;
  }
  return { csp, referrer };
}

function readPreflight({ cors }: HeaderEvidence): JoinedHeaders | undefined {
  const preflight = cors.find(({ method, origin }) => method === 'OPTIONS' && origin !== 'null');
  if (preflight?.kind !== 'answered' || preflight.status < 200 || preflight.status > 299) return undefined;
  return joinHeaders(preflight.headers);
}
