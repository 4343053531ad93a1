import { isMalformed } from '#shared/model/verdict';
import { keyOf } from '../../../web/cookie-jar.ts';
import { type CookiePurpose, isLogin, readCookiePurpose } from '../../../web/cookie-purpose.ts';
import { type Storage, storeCookie } from '../../../web/cookie-store.ts';
import { valuesOf } from '../../../web/fields.ts';
import { splitJoined } from '../../../web/joined-cookie.ts';
import { cookieNameOf } from '../../../web/mask-cookie.ts';
import { parseSetCookie, type SetCookie } from '../../../web/set-cookie.ts';
import type { HeaderEvidence } from '../evidence.ts';
import type { HopFacts } from './page.ts';

/** A Set-Cookie line and what a browser makes of it. `cookie` is undefined where the line is ignored whole. */
export type CookieFacts = {
  readonly seen: HopFacts;
  readonly line: string;
  readonly cookie: SetCookie | undefined;
  readonly storage: Storage;
  /** undefined where the line is ignored whole. */
  readonly purpose: CookiePurpose | undefined;
  /** It is stored, and opens a session of a person. */
  readonly session: boolean;
};

/**
 * Reads the cookies of all hops in order. A later cookie of the same name, domain and path replaces or deletes the earlier,
 * and a clear-text answer replaces none that is Secure (RFC 6265bis §5.7); the same line from the same host is read once.
 */
export function readCookies(
  { seenAtMs }: Pick<HeaderEvidence, 'seenAtMs'>,
  hops: readonly HopFacts[],
): CookieFacts[] {
  const cookies = new Map<string, CookieFacts>();
  for (const seen of hops) {
    for (const read of valuesOf(seen.fields, 'set-cookie').flatMap((line) =>
      readLine(seen, line, seenAtMs),
    )) {
      const key = placeKeyOf(read);
      cookies.delete(key);
      cookies.set(key, read);
    }
  }
  return [...cookies.values()];
}

// What is not stored has no place; such a line stands for itself.
function placeKeyOf({ cookie, storage, seen, line }: CookieFacts): string {
  if (!cookie || !('domain' in storage)) return `${seen.url.origin} ${line}`;
  return keyOf(cookie, storage);
}

/** The name of a cookie, also of one whose line is ignored whole; empty where it has none. */
export function nameOf({ cookie, line }: Pick<CookieFacts, 'cookie' | 'line'>): string {
  return cookie?.name ?? cookieNameOf(line) ?? '';
}

/** The cookie of a line, and those that commas joined to it, which browsers read as a part of it. */
function readLine(seen: HopFacts, line: string, nowMs: number): readonly CookieFacts[] {
  const first = readCookie(seen, line, nowMs);
  const joined = splitJoined(line).slice(1, joinedLimit);
  return [first, ...joined.map((text) => refuseJoined(readCookie(seen, text, nowMs), nameOf(first)))];
}

/** As many of one line as are looked at. */
const joinedLimit = 50;

function refuseJoined(read: CookieFacts, first: string): CookieFacts {
  const login = read.session ? '. It may be the session, so visitors may not stay logged in' : '';
  const reason = `a comma joins its line to that of ${first.slice(0, 100)}, so browsers read it as a part of that cookie${login}`;
  return { ...read, storage: { stored: false, deletes: false, reason }, session: false };
}

function readCookie(seen: HopFacts, line: string, nowMs: number): CookieFacts {
  const cookie = parseSetCookie(line);
  if (isMalformed(cookie)) {
    const storage = { stored: false, deletes: false, reason: `its line has ${cookie.malformed}` } as const;
    return { seen, line, cookie: undefined, storage, purpose: undefined, session: false };
  }
  const storage = storeCookie(cookie, seen.url, nowMs);
  const purpose = readCookiePurpose(cookie);
  return { seen, line, cookie, storage, purpose, session: storage.stored && isLogin(purpose) };
}
