import type { RedirectVia } from '#shared/catalogue/redirect-check/report';
import type { FailureCode } from '#shared/model/failure';
import { withoutFragment } from '#shared/targets/without-fragment';
import type { HttpAnswer, HttpProbe } from '../probes/http/port.ts';
import { type CookieJar, type LostCookie, openCookieJar } from './cookie-jar.ts';
import { indexFields, valuesOf } from './fields.ts';
import { type HstsStore, type HstsUpgrade, openHstsStore } from './hsts-store.ts';
import { decodeLocation, inheritFragment, resolveLocation } from './location.ts';
import { findLure, type Lure } from './lure.ts';
import { maskLocation, maskUrls } from './mask-credentials.ts';
import { whyNowhere } from './nowhere.ts';
import type { PreloadList } from './preload-list.ts';
import { addressLimit, isRedirect } from './redirect.ts';

export type HttpResponse = Extract<HttpAnswer, { kind: 'response' }>;

/** Why a walk stopped after its last hop. JSON. */
export type Stop =
  | { readonly kind: 'arrived' }
  /** `lost`: cookies that the circle sets and browsers do not keep, where it was seen to end once they are. */
  | { readonly kind: 'loop'; readonly to: string; readonly lost?: readonly LostCookie[] }
  | { readonly kind: 'too-many'; readonly to?: string }
  /** We follow no further, though browsers would: for them a page that sends its visitor on begins a new chain. */
  | { readonly kind: 'given-up'; readonly to: string }
  | { readonly kind: 'invalid-location' }
  /** Several Location fields that differ: browsers refuse the whole answer. */
  | { readonly kind: 'several-locations' }
  | { readonly kind: 'foreign-scheme'; readonly scheme: string }
  /** The next address is longer than we follow. */
  | { readonly kind: 'location-too-long'; readonly length: number }
  /** The last hop cannot be anybody's: the redirect to it is a mistake. `why` is a clause. */
  | { readonly kind: 'nowhere'; readonly why: string }
  /** The last hop gave no answer. */
  | { readonly kind: 'failure' }
  /** The last hop gave no answer before the time for the whole chain was over. */
  | { readonly kind: 'out-of-time'; readonly afterMs: number };

/** A hop that gave no answer. JSON. */
export type FailedHop = {
  readonly kind: 'failure';
  readonly code: FailureCode;
  readonly reason: string;
  readonly address: string | null;
  /** From asking to knowing that no answer comes; left out by evidence that is older than this field. */
  readonly waitedMs?: number;
};

/** A hop as evidence: no credentials in its addresses. `next` is where it sends the visitor; the walk went there unless it stopped here. */
export type WalkedHop<Seen> = {
  readonly url: string;
  readonly seen: Seen | FailedHop;
  readonly next: NextHop | null;
};

/** `upgraded` where browsers ask `url` instead of the http address that was named. JSON. */
export type NextHop = {
  readonly url: string;
  readonly via: RedirectVia;
  readonly upgraded?: HstsUpgrade;
};

export type WalkLimits = {
  /** Redirects that are followed, by status in a row and over the whole chain. */
  readonly redirects: number;
  /** How much of a page is read. */
  readonly pageBytes: number;
  /** For the whole chain; below the check's run limit, so that a slow chain still gives a report of what was seen. */
  readonly chainMs: number;
};

/** Where a page itself sends its visitor. */
export type PageLead = { readonly url: URL; readonly via: Exclude<RedirectVia, 'http'> };

type ReadPage<Seen> = { readonly seen: Seen; readonly lead?: PageLead | null };

export type Walk<Seen> = {
  readonly http: HttpProbe;
  readonly limits: WalkLimits;
  /** Sent instead of our own. */
  readonly userAgent?: string | undefined;
  readonly preloadList: PreloadList;
  /** What a check keeps of an answer; `lead` where the page itself sends its visitor on, for checks that follow that. */
  readonly read: (answer: HttpResponse, url: string) => ReadPage<Seen> | Promise<ReadPage<Seen>>;
  readonly arriveAt?: (url: string, count: number) => void;
};

/** Browsers follow 20 redirects and call the 21st an error (Fetch Standard, HTTP-redirect fetch). */
export const redirectLimit = 20;

/**
 * Walks a chain as a browser would: GET, cookies and Strict-Transport-Security kept within the chain, each address asked once for the
 * same cookies, scripts not run. The first address is asked as it was given, also where the preload list has its host.
 */
export async function walkRedirects<Seen>(
  start: string,
  walk: Walk<Seen>,
): Promise<{ readonly hops: readonly WalkedHop<Seen>[]; readonly stop: Stop }> {
  const hops: WalkedHop<Seen>[] = [];
  const sets: CookiesSet[] = [];
  const jar = openCookieJar();
  const hsts = openHstsStore(walk.preloadList);
  const late = AbortSignal.timeout(walk.limits.chainMs);
  const visited = new Map<string, number>();
  let url = start;
  let inARow = 0;
  for (;;) {
    walk.arriveAt?.(url, hops.length);
    visited.set(visitKey(url, jar), hops.length);
    const { hop, stop, to, set } = await takeHop(url, { jar, hsts, late, from: hops.at(-1)?.url }, walk);
    sets.push(...set);
    hops.push(hop);
    inARow = hop.next?.via === 'http' ? inARow + 1 : 0;
    if (stop || to === undefined) return { hops, stop: stop ?? { kind: 'arrived' } };
    // The same address with another cookie is another question, and may have another answer.
    const circle = visited.get(visitKey(to, jar));
    if (circle !== undefined) {
      const hosts = new Set(hops.slice(circle).map((each) => new URL(each.url).host));
      const left = walk.limits.redirects - hops.length;
      return { hops, stop: await endLoop(to, { sets, hosts, hsts, late, left }, walk) };
    }
    if (hops.length > walk.limits.redirects)
      return {
        hops,
        stop: { kind: inARow > walk.limits.redirects ? 'too-many' : 'given-up', to: maskUrls(to) },
      };
    url = to;
  }
}

/** The Set-Cookie lines of an answer. */
type CookiesSet = { readonly lines: readonly string[]; readonly url: URL };

/** As many as are named. */
const namedLimit = 3;

type Circle = Pick<WalkState, 'hsts' | 'late'> & {
  readonly sets: readonly CookiesSet[];
  readonly hosts: ReadonlySet<string>;
  /** Redirects that may still be followed. */
  readonly left: number;
};

async function endLoop(to: string, circle: Circle, walk: Walk<unknown>): Promise<Stop> {
  const lost = await findLost(to, circle, walk);
  return { kind: 'loop', to: maskUrls(to), ...(lost.length > 0 ? { lost } : {}) };
}

/** Walks a circle once more with the cookies that browsers do not keep, and to no other host. @returns these, where it then ends or leads out */
async function findLost(
  start: string,
  { sets, hosts, left, ...state }: Circle,
  walk: Walk<unknown>,
): Promise<readonly LostCookie[]> {
  const lost = new Map<string, LostCookie>();
  const jar = openCookieJar((one) => lost.set(one.cookie, one));
  for (const { lines, url } of sets) jar.keep(lines, url);
  const visited = new Set<string>();
  let url = start;
  for (let taken = 0; lost.size > 0 && taken < left; taken += 1) {
    visited.add(visitKey(url, jar));
    const { stop, to, isError } = await takeHop(url, { ...state, jar, from: url }, walk);
    if (stop || isError === true) return [];
    if (to === undefined || !hosts.has(new URL(to).host)) return [...lost.values()].slice(0, namedLimit);
    if (visited.has(visitKey(to, jar))) return [];
    url = to;
  }
  return [];
}

/** What one walk keeps from hop to hop. */
type WalkState = {
  readonly jar: CookieJar;
  readonly hsts: HstsStore;
  readonly late: AbortSignal;
  /** The hop that led here; undefined at the first. */
  readonly from: string | undefined;
};

type Taken<Seen> = {
  readonly hop: WalkedHop<Seen>;
  readonly stop?: Stop;
  readonly to?: string;
  /** None where no answer came. */
  readonly set: readonly CookiesSet[];
  readonly isError?: boolean;
};

async function takeHop<Seen>(
  url: string,
  { jar, hsts, late, from }: WalkState,
  { http, limits, userAgent, read }: Walk<Seen>,
): Promise<Taken<Seen>> {
  const askedAt = performance.now();
  const answer = await inTime(ask(url, jar, { http, limits, userAgent }), late);
  const waitedMs = Math.round((performance.now() - askedAt) * 10) / 10;
  const shown = maskUrls(url);
  if (!answer) {
    const reason = 'the time for the whole chain was over before it answered';
    const seen: FailedHop = { kind: 'failure', code: 'response-timeout', reason, address: null, waitedMs };
    return {
      hop: { url: shown, seen, next: null },
      set: [],
      stop: { kind: 'out-of-time', afterMs: limits.chainMs },
    };
  }
  if (answer.kind === 'failure') {
    const { kind, code, reason, address } = answer;
    const seen: FailedHop = { kind, code, reason, address, waitedMs };
    const why = from === undefined ? undefined : whyNowhere({ from, to: url, code });
    const stop: Stop = why === undefined ? { kind: 'failure' } : { kind: 'nowhere', why };
    return { hop: { url: shown, seen, next: null }, set: [], stop };
  }
  const fields = indexFields(answer.headers);
  const lines = valuesOf(fields, 'set-cookie');
  const set = [{ lines, url: new URL(url) }];
  jar.keep(lines, new URL(url));
  hsts.keep(answer.tls, valuesOf(fields, 'strict-transport-security')[0], new URL(url));
  const { seen, lead } = await read(answer, url);
  const { stop, next } = stepFrom(
    leadOfStatus(answer.status, valuesOf(fields, 'location'), url) ?? lead ?? null,
    hsts,
  );
  const isError = answer.status >= 400;
  if (!next) return { hop: { url: shown, seen, next: null }, set, isError, ...(stop ? { stop } : {}) };
  return { hop: { url: shown, seen, next: maskNext(next) }, set, isError, to: next.url };
}

function maskNext({ url, via, upgraded }: NextHop): NextHop {
  const masked = upgraded && { ...upgraded, from: maskUrls(upgraded.from) };
  return { url: maskUrls(url), via, ...(masked ? { upgraded: masked } : {}) };
}

type HopContext = Pick<Walk<unknown>, 'http' | 'limits' | 'userAgent'>;

function ask(url: string, jar: CookieJar, { http, limits, userAgent }: HopContext): Promise<HttpAnswer> {
  const cookie = jar.fieldFor(new URL(url));
  return http.ask({
    url: withoutFragment(url),
    headers: {
      ...(cookie === '' ? {} : { cookie }),
      ...(userAgent === undefined ? {} : { 'user-agent': userAgent }),
    },
    bodyLimitBytes: limits.pageBytes,
    skipRedirectBody: true,
    isLenient: true,
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

type Lead = 'several' | 'invalid' | { readonly url: URL; readonly via: RedirectVia };

/**
 * Where the Location fields of an answer lead; undefined where they lead nowhere, and the answer is a page.
 * Fields that differ are refused, whatever the status (Chromium's ERR_RESPONSE_HEADERS_MULTIPLE_LOCATION, Firefox's NS_ERROR_CORRUPTED_CONTENT).
 */
function leadOfStatus(status: number, values: readonly string[], url: string): Lead | undefined {
  if (new Set(values).size > 1) return 'several';
  const [value = ''] = values;
  if (!isRedirect(status) || value === '') return undefined;
  const resolved = resolveLocation(decodeLocation(value).text, url);
  return resolved ? { url: inheritFragment(resolved.url, url), via: 'http' } : 'invalid';
}

function stepFrom(lead: Lead | null, hsts: HstsStore): { readonly stop?: Stop; readonly next?: NextHop } {
  if (lead === null) return {};
  if (lead === 'several') return { stop: { kind: 'several-locations' } };
  if (lead === 'invalid') return { stop: { kind: 'invalid-location' } };
  const { protocol } = lead.url;
  if (protocol !== 'http:' && protocol !== 'https:')
    return { stop: { kind: 'foreign-scheme', scheme: protocol.slice(0, -1) } };
  const upgraded = hsts.upgrade(lead.url);
  const { href } = upgraded?.to ?? lead.url;
  if (href.length > addressLimit) return { stop: { kind: 'location-too-long', length: href.length } };
  return { next: { url: href, via: lead.via, ...(upgraded ? { upgraded: upgraded.seen } : {}) } };
}

function visitKey(url: string, jar: CookieJar): string {
  return `${withoutFragment(url)} ${jar.fieldFor(new URL(url))}`;
}

/** One Location field, as evidence. */
export type LocationObservation = {
  /** UTF-8 where it is, else bytes above 0x7f percent-encoded; credentials hidden; cut where it is very long. */
  readonly text: string;
  readonly isUtf8: boolean;
  readonly hasCredentials: boolean;
  /** Where the credentials look like another host; left out where they do not. */
  readonly lure?: Lure;
};

/** Reads a Location field as evidence. */
export function seeLocation(value: string, url: string): LocationObservation {
  const { text, isUtf8 } = decodeLocation(value);
  const hasCredentials = resolveLocation(text, url)?.hadCredentials === true;
  const lure = hasCredentials ? findLure(text, url) : undefined;
  return {
    text: maskLocation(text, url).slice(0, addressLimit),
    isUtf8,
    hasCredentials,
    ...(lure ? { lure } : {}),
  };
}
