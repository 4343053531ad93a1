import { isMalformed } from '#shared/model/verdict';
import { type CookiePlace, isSentTo, type Storage, storeCookie } from './cookie-store.ts';
import { maskAttributeValue } from './mask-cookie.ts';
import { parseSetCookie, type SetCookie } from './set-cookie.ts';

/** The cookies of one walk, as a browser that starts without any would keep them. */
export type CookieJar = {
  /** Takes the Set-Cookie lines of an answer. */
  keep(lines: readonly string[], url: URL): void;
  /** The Cookie field for a request; "" where there is none. */
  fieldFor(url: URL): string;
};

type JarEntry = { readonly cookie: SetCookie; readonly place: CookiePlace; readonly at: number };

/** A Cookie field stays below what servers accept, and a jar is searched quickly; the oldest cookies give way, as they do in browsers. */
const jarLimits = { bytes: 16_384, cookies: 180 };

/** A cookie that is not kept as the server seems to mean it, and why: a clause. JSON. */
export type LostCookie = { readonly cookie: string; readonly reason: string };

/**
 * Opens an empty jar (RFC 6265bis §5.7 and §5.8).
 * @param onLost where it is given, the jar keeps what a server seems to mean: at its host and for all paths, what browsers refuse, find expired
 *   or send elsewhere only. Each is told.
 */
export function openCookieJar(onLost?: (lost: LostCookie) => void): CookieJar {
  const jar = new Map<string, JarEntry>();
  let count = 0;
  let bytes = 0;
  const drop = (key: string) => {
    const kept = jar.get(key);
    if (kept) bytes -= print(kept).length;
    jar.delete(key);
    return kept;
  };
  const keep = (cookie: SetCookie, place: CookiePlace, stored: boolean) => {
    const key = keyOf(cookie, place);
    const earlier = drop(key);
    if (!stored) return;
    count += 1;
    // A cookie that is replaced keeps its place in the order.
    const kept = { cookie, place, at: earlier?.at ?? count };
    jar.set(key, kept);
    bytes += print(kept).length;
    for (const oldest of jar.keys()) {
      if (bytes <= jarLimits.bytes && jar.size <= jarLimits.cookies) return;
      drop(oldest);
    }
  };
  return {
    keep(lines, url) {
      // Of more lines than a jar holds only the last can stay.
      for (const line of lines.slice(-2 * jarLimits.cookies)) {
        const cookie = parseSetCookie(line);
        if (isMalformed(cookie)) continue;
        const storage = onLost ? storeAsMeant(cookie, url, onLost) : storeCookie(cookie, url, Date.now());
        if (!storage.stored && !storage.deletes) continue;
        if (!isShadowedBySecure(cookie, storage, url, jar.values())) keep(cookie, storage, storage.stored);
      }
    },
    fieldFor: (url) => [...jar.values()].filter(isMeantFor(url)).toSorted(asSent).map(print).join('; '),
  };
}

/** Why a circle has no end, as a clause: browsers keep none of these cookies, and with them it ends. */
export function tellLost(lost: readonly LostCookie[]): string {
  const told = lost.map(
    ({ cookie, reason }) =>
      `the cookie ${cookie === '' ? 'without a name' : `"${cookie}"`} is not kept (${reason})`,
  );
  return `${told.join(', and ')}; with it the redirects end`;
}

function storeAsMeant(cookie: SetCookie, url: URL, onLost: (lost: LostCookie) => void): Storage {
  const storage = storeCookie(cookie, url, Date.now());
  const reason = storage.stored ? whyElsewhere(cookie, storage) : storage.reason;
  // A Secure cookie and clear text are another matter, and what has no value is meant to go.
  const isMeant = cookie.value !== '' && !(cookie.secure && url.protocol === 'http:');
  if (reason === undefined || !isMeant) return storage;
  onLost({ cookie: cookie.name.slice(0, 100), reason: reason.slice(0, 300) });
  return { stored: true, hostOnly: true, domain: url.hostname, path: '/' };
}

function whyElsewhere(cookie: SetCookie, { path }: CookiePlace): string | undefined {
  if (path === '/') return undefined;
  const named = cookie.path === null ? 'no Path' : `Path=${maskAttributeValue(path)}`;
  return `it has ${named}, so browsers send it to ${maskAttributeValue(path)} and below only`;
}

/** What makes two cookies the same one: name, domain and path. */
export function keyOf({ name }: Pick<SetCookie, 'name'>, { hostOnly, domain, path }: CookiePlace): string {
  return JSON.stringify([name, hostOnly, domain, path]);
}

/** True where a clear-text answer would put a cookie over one that is Secure, which browsers do not let it do. */
export function isShadowedBySecure(
  { name, secure }: SetCookie,
  place: CookiePlace,
  url: URL,
  kept: Iterable<Pick<JarEntry, 'cookie' | 'place'>>,
): boolean {
  if (secure || url.protocol === 'https:') return false;
  for (const other of kept) {
    if (!other.cookie.secure || other.cookie.name !== name) continue;
    const isSameHost = covers(other.place.domain, place.domain) || covers(place.domain, other.place.domain);
    if (isSameHost && place.path.startsWith(other.place.path)) return true;
  }
  return false;
}

function covers(domain: string, host: string): boolean {
  return host === domain || host.endsWith(`.${domain}`);
}

function isMeantFor(url: URL): (kept: JarEntry) => boolean {
  return ({ cookie, place }) => isSentTo(place, url) && (!cookie.secure || url.protocol === 'https:');
}

// Longer paths first, then the older.
function asSent(one: JarEntry, other: JarEntry): number {
  return other.place.path.length - one.place.path.length || one.at - other.at;
}

function print({ cookie: { name, value } }: JarEntry): string {
  return name === '' ? value : `${name}=${value}`;
}
