import { isMalformed } from '#shared/model/verdict';
import { type CookiePlace, isSentTo, storeCookie } from './cookie-store.ts';
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

/** Opens an empty jar (RFC 6265bis §5.7 and §5.8). */
export function openCookieJar(): CookieJar {
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
        const storage = storeCookie(cookie, url, Date.now());
        if (!storage.stored && !storage.deletes) continue;
        if (!isShadowedBySecure(cookie, storage, url, jar.values())) keep(cookie, storage, storage.stored);
      }
    },
    fieldFor: (url) => [...jar.values()].filter(isMeantFor(url)).toSorted(asSent).map(print).join('; '),
  };
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
