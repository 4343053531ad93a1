import { type Storage, storeCookie } from '../../../web/cookie-store.ts';
import { valuesOf } from '../../../web/fields.ts';
import { isMalformed } from '../../../web/malformed.ts';
import { cookieNameOf } from '../../../web/mask-cookie.ts';
import { parseSetCookie, type SetCookie } from '../../../web/set-cookie.ts';
import type { HeaderEvidence } from '../evidence.ts';
import type { SeenHop } from './page.ts';
import { isSessionCookie } from './session-cookie.ts';

/** A Set-Cookie line and what a browser makes of it. `cookie` is undefined where the line is ignored whole. */
export type SeenCookie = {
  readonly seen: SeenHop;
  readonly line: string;
  readonly cookie: SetCookie | undefined;
  readonly storage: Storage;
  readonly session: boolean;
};

/** Reads the cookies of all hops; a line that the same host repeats word for word is read once. */
export function readCookies(
  { seenAtMs }: Pick<HeaderEvidence, 'seenAtMs'>,
  hops: readonly SeenHop[],
): SeenCookie[] {
  const known = new Set<string>();
  return hops.flatMap((seen) =>
    valuesOf(seen.fields, 'set-cookie').flatMap((line) => {
      const key = `${seen.url.origin} ${line}`;
      if (known.has(key)) return [];
      known.add(key);
      return [readCookie(seen, line, seenAtMs)];
    }),
  );
}

/** The name of a cookie, also of one whose line is ignored whole; empty where it has none. */
export function nameOf({ cookie, line }: Pick<SeenCookie, 'cookie' | 'line'>): string {
  return cookie?.name ?? cookieNameOf(line) ?? '';
}

function readCookie(seen: SeenHop, line: string, nowMs: number): SeenCookie {
  const cookie = parseSetCookie(line);
  if (isMalformed(cookie)) {
    const storage = { stored: false, deletes: false, reason: `its line has ${cookie.reason}` } as const;
    return { seen, line, cookie: undefined, storage, session: false };
  }
  const storage = storeCookie(cookie, seen.url, nowMs);
  return { seen, line, cookie, storage, session: storage.stored && isSessionCookie(cookie) };
}
