import { CookieJar } from 'tough-cookie';
import type { HttpAnswer, HttpProbe } from '../../probes/http/port.ts';
import type { GatherContext } from '../check.ts';
import type { HopAnswer, HopSeen, RedirectEvidence, Stop } from './evidence.ts';
import { decodeLocation, maskCredentials, readCanonicalLink, resolveLocation } from './read-location.ts';
import { type PageSeen, readPage } from './read-page.ts';
import { parseRefresh, type Refresh } from './refresh.ts';

/** Browsers follow 20 redirects and call the 21st an error (Fetch Standard, HTTP-redirect fetch). */
const redirectLimit = 20;
const pageLimitBytes = 524_288;
/** A page that sends its visitor on within 5 s is a redirect to them. */
const shownForS = 5;
const redirectStatuses = [301, 302, 303, 307, 308];

/** Walks a chain as a browser would: GET, cookies kept within the chain, Refresh and meta refresh followed, scripts not run. */
export async function gatherRedirects({
  target,
  probes,
  progress,
}: GatherContext): Promise<RedirectEvidence> {
  const hops: HopSeen[] = [];
  const jar = new CookieJar();
  const visited = new Set<string>();
  let url = target;
  for (;;) {
    progress({ done: hops.length, total: hops.length + 1, current: new URL(url).host });
    const cookies = jar.getCookieStringSync(url);
    visited.add(visitKey(url, cookies));
    const { hop, step } = await takeHop(probes.http, url, cookies, jar);
    hops.push(hop);
    if ('stop' in step) return { url: target, hops, stop: step.stop };
    const next = step.url.href;
    if (visited.has(visitKey(next, jar.getCookieStringSync(next))))
      return { url: target, hops, stop: { kind: 'loop', to: next } };
    if (hops.length > redirectLimit) return { url: target, hops, stop: { kind: 'too-many' } };
    url = next;
  }
}

type Step = { readonly stop: Stop } | { readonly url: URL };

async function takeHop(
  http: HttpProbe,
  url: string,
  cookies: string,
  jar: CookieJar,
): Promise<{ hop: HopSeen; step: Step }> {
  const answer = await http.ask({
    url,
    headers: cookies === '' ? {} : { cookie: cookies },
    bodyLimitBytes: pageLimitBytes,
    skipRedirectBody: true,
  });
  if (answer.kind === 'failure') {
    const { code, reason, address } = answer;
    return {
      hop: { url, seen: { kind: 'failure', code, reason, address }, next: null },
      step: { stop: { kind: 'failure' } },
    };
  }
  keepCookies(jar, answer, url);
  const { sight, leads } = readAnswer(answer, url);
  const step = stepOf(leads, url);
  const next = 'url' in step && leads ? { url: step.url.href, via: leads.via } : null;
  return { hop: { url, seen: sight, next }, step };
}

type Lead = { readonly location: string; readonly via: 'http' | 'refresh-header' | 'meta-refresh' };

function readAnswer(
  answer: Extract<HttpAnswer, { kind: 'response' }>,
  url: string,
): { sight: HopAnswer; leads: Lead | undefined } {
  const valuesOf = (name: string) =>
    answer.headers.filter(([found]) => found.toLowerCase() === name).map(([, value]) => value);
  const locations = valuesOf('location').map((value) => decodeLocation(value.slice(0, 8192)));
  const page = isHtml(valuesOf('content-type')) ? readPage(answer.body.text) : undefined;
  const refresh = parseRefresh(decodeLocation(valuesOf('refresh')[0] ?? '')) ?? null;
  const sight: HopAnswer = {
    kind: 'response',
    status: answer.status,
    locations: locations.map(maskCredentials),
    hasCredentials: locations.some((location) => resolveLocation(location, url)?.hadCredentials === true),
    address: answer.address,
    timings: answer.timings,
    tls: answer.tls,
    hsts: valuesOf('strict-transport-security'),
    setsCookies: valuesOf('set-cookie').length > 0,
    refresh,
    canonical: canonicalOf(valuesOf('link'), page, url),
    page: page ? { refresh: page.refresh, setsLocation: page.setsLocation } : null,
  };
  return { sight, leads: findLead(answer.status, locations, refresh, page?.refresh ?? null) };
}

function findLead(
  status: number,
  locations: readonly string[],
  refresh: Refresh | null,
  pageRefresh: Refresh | null,
): Lead | undefined {
  if (redirectStatuses.includes(status))
    return locations[0] ? { location: locations[0], via: 'http' } : undefined;
  if (refresh && leadsOn(refresh)) return { location: refresh.target, via: 'refresh-header' };
  if (pageRefresh && leadsOn(pageRefresh)) return { location: pageRefresh.target, via: 'meta-refresh' };
  return undefined;
}

function leadsOn({ seconds, target }: Refresh): boolean {
  return seconds <= shownForS && target !== '';
}

function stepOf(lead: Lead | undefined, url: string): Step {
  if (!lead) return { stop: { kind: 'arrived' } };
  const resolved = resolveLocation(lead.location, url);
  if (!resolved) return { stop: { kind: 'invalid-location' } };
  const { protocol } = resolved.url;
  if (protocol !== 'http:' && protocol !== 'https:')
    return { stop: { kind: 'foreign-scheme', scheme: protocol.slice(0, -1) } };
  // A page that only reloads itself has arrived.
  if (lead.via !== 'http' && withoutFragment(resolved.url.href) === withoutFragment(url))
    return { stop: { kind: 'arrived' } };
  return { url: resolved.url };
}

function keepCookies(jar: CookieJar, answer: Extract<HttpAnswer, { kind: 'response' }>, url: string): void {
  for (const [name, value] of answer.headers) {
    if (name.toLowerCase() === 'set-cookie') jar.setCookieSync(value, url, { ignoreError: true });
  }
}

function canonicalOf(links: readonly string[], page: PageSeen | undefined, url: string): string | null {
  const canonical = readCanonicalLink(links) ?? page?.canonical ?? null;
  return canonical === null ? null : (resolveLocation(canonical, url)?.url.href ?? null);
}

function isHtml(contentTypes: readonly string[]): boolean {
  return contentTypes.some((value) => /^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(value));
}

function visitKey(url: string, cookies: string): string {
  return `${withoutFragment(url)} ${cookies}`;
}

function withoutFragment(url: string): string {
  return url.replace(/#.*$/s, '');
}
