import { isMalformed } from '#shared/model/verdict';
import { keyOf } from '../../../web/cookie-jar.ts';
import { type CookiePurpose, isLogin, readCookiePurpose } from '../../../web/cookie-purpose.ts';
import { type Storage, storeCookie } from '../../../web/cookie-store.ts';
import { valuesOf } from '../../../web/fields.ts';
import { isAttribute, isAttributePair, splitJoined } from '../../../web/joined-cookie.ts';
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
  /** Behind a comma of another cookie's line: a whole cookie of its own, or perhaps only a part of that one's value. */
  readonly joined?: 'whole' | 'perhaps';
  /** Its line begins with an attribute, so that is what browsers keep as the cookie. */
  readonly isAttribute: boolean;
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
  const pieces = splitJoined(line).slice(0, joinedLimit);
  const joined = pieces.slice(1).map((text, at) => {
    const read = refuseJoined(readCookie(seen, text, nowMs), nameOf(first));
    return { ...read, joined: isWholeCookie(read, pieces[at] ?? '') ? 'whole' : 'perhaps' } as const;
  });
  return [first, ...joined];
}

/** As many of one line as are looked at. */
const joinedLimit = 51;

// A value may hold ", b=c". What has attributes as the cookie before it has, or is named like a session, was a line of its own.
function isWholeCookie({ line, purpose }: CookieFacts, before: string): boolean {
  const hasAttributes = line.split(';').slice(1).some(isAttribute);
  return hasAttributes && (before.includes(';') || (purpose !== undefined && isLogin(purpose)));
}

function refuseJoined(read: CookieFacts, first: string): CookieFacts {
  const login = read.session ? '. It may be the session, so visitors may not stay logged in' : '';
  const reason = `a comma joins its line to that of ${first.slice(0, 100)}, so browsers read it as a part of that cookie${login}`;
  return { ...read, storage: { stored: false, deletes: false, reason }, session: false };
}

// A cookie may be named "domain"; one whose value is a host that this answer may set cookies for was meant as the attribute.
function isAttributeAlone({ name, value }: SetCookie, { hostname }: URL): boolean {
  if (!isAttributePair(name === '' ? value : `${name}=${value}`)) return false;
  const domain = value.replace(/^\./, '').toLowerCase();
  return name.toLowerCase() !== 'domain' || hostname === domain || hostname.endsWith(`.${domain}`);
}

function readCookie(seen: HopFacts, line: string, nowMs: number): CookieFacts {
  const cookie = parseSetCookie(line);
  if (isMalformed(cookie)) {
    const storage = { stored: false, deletes: false, reason: `its line has ${cookie.malformed}` } as const;
    return { seen, line, cookie: undefined, storage, purpose: undefined, session: false, isAttribute: false };
  }
  const storage = storeCookie(cookie, seen.url, nowMs);
  const purpose = readCookiePurpose(cookie);
  const session = storage.stored && isLogin(purpose);
  return { seen, line, cookie, storage, purpose, session, isAttribute: isAttributeAlone(cookie, seen.url) };
}
