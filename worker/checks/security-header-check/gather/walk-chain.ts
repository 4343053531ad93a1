import { CookieJar } from 'tough-cookie';
import type { HttpAnswer, HttpRequest } from '../../../probes/http/port.ts';
import type { Chain, ChainEnd, DocumentSight, HeaderLine, Hop } from '../evidence.ts';
import { isHtml, parseContentType } from '../grammar/content-type.ts';
import { maskCredentials, resolveLocation } from './location.ts';
import { readDocument } from './read-document.ts';

type Response = Extract<HttpAnswer, { kind: 'response' }>;
export type Ask = (request: HttpRequest) => Promise<HttpAnswer>;

/** Browsers follow 20 redirects and call the 21st an error (Fetch Standard, HTTP-redirect fetch). */
const redirectLimit = 20;
const pageLimitBytes = 524_288;
const late = 'the redirects before it took too long';
const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Walks from an address to the page it leads to: GET, redirects by status only, cookies kept on the way as a browser does.
 * @param isInTime asked before each further hop; a walk that is late ends there, so that what was seen can still be judged
 */
export async function walkChain(start: string, ask: Ask, isInTime: () => boolean): Promise<Chain> {
  const hops: Hop[] = [];
  const jar = new CookieJar();
  const visited = new Set<string>();
  const keyOf = (url: string) => `${url} ${jar.getCookieStringSync(url)}`;
  const ended = (end: ChainEnd, document: DocumentSight | null = null): Chain => ({
    start,
    hops,
    end,
    document,
  });
  let url = start;
  for (;;) {
    visited.add(keyOf(url));
    const cookie = jar.getCookieStringSync(url);
    const answer = await ask({
      url,
      headers: cookie === '' ? {} : { cookie },
      bodyLimitBytes: pageLimitBytes,
      skipRedirectBody: true,
    });
    if (answer.kind === 'failure')
      return ended({ kind: 'failed', url, code: answer.code, reason: answer.reason });
    hops.push(seeHop(answer, url));
    for (const line of valuesOf(answer, 'set-cookie')) jar.setCookieSync(line, url, { ignoreError: true });
    const step = stepOf(answer, url);
    if (step.kind === 'arrived') return ended({ kind: 'answered' }, seeDocument(answer));
    if (step.kind === 'lost') return ended({ kind: 'invalid-location', url, location: step.location });
    if (visited.has(keyOf(step.url))) return ended({ kind: 'loop', url: step.url });
    if (hops.length > redirectLimit) return ended({ kind: 'too-many', url: step.url });
    if (!isInTime()) return ended({ kind: 'failed', url: step.url, code: 'response-timeout', reason: late });
    url = step.url;
  }
}

type Step =
  | { readonly kind: 'arrived' }
  | { readonly kind: 'on'; readonly url: string }
  | { readonly kind: 'lost'; readonly location: string };

// Several equal Locations are one; browsers refuse different ones.
function stepOf(answer: Response, url: string): Step {
  const [location, ...others] = new Set(valuesOf(answer, 'location').map((value) => value.slice(0, 8192)));
  if (!redirectStatuses.has(answer.status) || location === undefined || location === '')
    return { kind: 'arrived' };
  const next = resolveLocation(location, url);
  if (!next || others.length > 0 || (next.protocol !== 'http:' && next.protocol !== 'https:'))
    return { kind: 'lost', location: maskCredentials(location) };
  return { kind: 'on', url: next.href };
}

function seeHop({ status, headers, tls }: Response, url: string): Hop {
  return {
    url,
    status,
    headers: headers.map(
      ([name, value]): HeaderLine =>
        name.toLowerCase() === 'location' ? [name, maskCredentials(value)] : [name, value],
    ),
    tls: tls ? { trusted: tls.trusted, error: tls.error } : null,
  };
}

// null where there is no page to read: another type, or a body that never came.
function seeDocument(answer: Response): DocumentSight | null {
  const { text, cut } = answer.body;
  if (!isHtml(parseContentType(valuesOf(answer, 'content-type')))) return null;
  const isUnread = cut !== undefined && cut !== 'limit' && text === '';
  if (isUnread) return null;
  const document = readDocument(text);
  return cut === undefined ? document : { ...document, cut: document.cut ?? `its body was cut (${cut})` };
}

function valuesOf({ headers }: Response, name: string): string[] {
  return headers.filter(([found]) => found.toLowerCase() === name).map(([, value]) => value);
}
