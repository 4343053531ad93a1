import { CookieJar } from 'tough-cookie';
import type { HttpAnswer, HttpProbe } from '../../probes/http/port.ts';
import type { GatherContext } from '../check.ts';
import type { HopSeen, RedirectEvidence, Stop } from './evidence.ts';
import { addressLimit } from './follow.ts';
import { type HttpResponse, type Lead, readAnswer } from './read-answer.ts';
import { withoutFragment } from './read-location.ts';

export type WalkLimits = {
  /** Redirects that are followed; the next is an error. */
  readonly redirects: number;
  /** How much of a page is read. */
  readonly pageBytes: number;
  /** For the whole chain; below the check's run limit, so that a slow chain still gives a report of what was seen. */
  readonly chainMs: number;
};

/** Browsers follow 20 redirects and call the 21st an error (Fetch Standard, HTTP-redirect fetch). */
export const walkLimits: WalkLimits = { redirects: 20, pageBytes: 524_288, chainMs: 18_000 };

/** Walks a chain as a browser would: GET, cookies kept within the chain, Refresh and meta refresh followed, scripts not run. */
export async function gatherRedirects(
  { target, probes, progress }: GatherContext,
  limits: WalkLimits,
): Promise<RedirectEvidence> {
  const hops: HopSeen[] = [];
  // Loose, since browsers keep a cookie without a name too; Secure ones are not taken over http by default.
  const walk: Walk = { http: probes.http, jar: new CookieJar(undefined, { looseMode: true }), limits };
  const late = AbortSignal.timeout(limits.chainMs);
  const visited = new Set<string>();
  let url = target;
  for (;;) {
    progress({ done: hops.length, total: hops.length + 1, current: new URL(url).host });
    visited.add(visitKey(url, walk.jar));
    const { hop, stop } = await takeHop(url, walk, late);
    hops.push(hop);
    if (stop || !hop.next) return { url: target, hops, stop: stop ?? { kind: 'arrived' } };
    const to = hop.next.url;
    // The same address with another cookie is another question, and may have another answer.
    if (visited.has(visitKey(to, walk.jar))) return { url: target, hops, stop: { kind: 'loop', to } };
    if (hops.length > limits.redirects) return { url: target, hops, stop: { kind: 'too-many' } };
    url = to;
  }
}

type Walk = { readonly http: HttpProbe; readonly jar: CookieJar; readonly limits: WalkLimits };

type Failure = Extract<HopSeen['seen'], { kind: 'failure' }>;

async function takeHop(url: string, walk: Walk, late: AbortSignal): Promise<{ hop: HopSeen; stop?: Stop }> {
  const askedAt = performance.now();
  const answer = await inTime(ask(url, walk), late);
  const waitedMs = Math.round((performance.now() - askedAt) * 10) / 10;
  const failAt = (seen: Failure, stop: Stop) => ({
    hop: { url, seen: { ...seen, waitedMs }, next: null },
    stop,
  });
  if (!answer) {
    const reason = 'the time for the whole chain was over before it answered';
    const stop = { kind: 'out-of-time', afterMs: walk.limits.chainMs } as const;
    return failAt({ kind: 'failure', code: 'response-timeout', reason, address: null }, stop);
  }
  if (answer.kind === 'failure') {
    const { kind, code, reason, address } = answer;
    return failAt({ kind, code, reason, address }, { kind: 'failure' });
  }
  keepCookies(walk.jar, answer, url);
  const { seen, lead } = readAnswer(answer, url);
  const stop = stopAt(lead);
  const next = lead.kind === 'url' && !stop ? { url: lead.url.href, via: lead.via } : null;
  return { hop: { url, seen, next }, ...(stop ? { stop } : {}) };
}

function ask(url: string, { http, jar, limits }: Walk): Promise<HttpAnswer> {
  const cookies = jar.getCookieStringSync(url);
  return http.ask({
    url,
    headers: cookies === '' ? {} : { cookie: cookies },
    bodyLimitBytes: limits.pageBytes,
    skipRedirectBody: true,
  });
}

/** The answer, or undefined once it is late; the request then ends with its run, whose probes are closed. */
function inTime<T>(answer: Promise<T>, late: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const giveUp = () => resolve(undefined);
    if (late.aborted) giveUp();
    late.addEventListener('abort', giveUp, { once: true });
    answer.then(resolve, reject).finally(() => late.removeEventListener('abort', giveUp));
  });
}

function stopAt(lead: Lead): Stop | undefined {
  if (lead.kind === 'invalid') return { kind: 'invalid-location' };
  if (lead.kind === 'none') return undefined;
  const { protocol, href } = lead.url;
  if (protocol !== 'http:' && protocol !== 'https:')
    return { kind: 'foreign-scheme', scheme: protocol.slice(0, -1) };
  return href.length > addressLimit ? { kind: 'location-too-long', length: href.length } : undefined;
}

function keepCookies(jar: CookieJar, answer: HttpResponse, url: string): void {
  for (const [name, value] of answer.headers) {
    if (name.toLowerCase() === 'set-cookie') jar.setCookieSync(value, url, { ignoreError: true });
  }
}

function visitKey(url: string, jar: CookieJar): string {
  return `${withoutFragment(url)} ${jar.getCookieStringSync(url)}`;
}
