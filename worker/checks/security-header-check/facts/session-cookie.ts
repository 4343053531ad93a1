import { findKnownCookie } from '../../../web/known-cookies.ts';
import { isSignedToken } from '../../../web/mask-cookie.ts';
import type { SetCookie } from '../../../web/set-cookie.ts';

// Words that name a login or session when they stand alone in a cookie's name: "sess_id" and "PHPSESSID", not "assessment_banner".
const sessionWords: ReadonlySet<string> = new Set(
  `sess session sessid sessionid sid ssid usid auth authn token accesstoken authtoken idtoken refreshtoken jwt login
  loggedin rememberme remember identity phpsessid jsessionid cfid cftoken aspxauth aspsessionid asp aspnetsessionid`.split(
    /\s+/,
  ),
);
const drupalSession = /^S?SESS[0-9a-f]{32}$/;
const antiForgeryWords: ReadonlySet<string> = new Set(
  'csrf xsrf csrftoken xsrftoken antiforgery requestverification'.split(' '),
);

/** True for a cookie that opens a session: by a word of its name, or by a value that is a signed token. A long random value alone proves nothing: counters and caches have them too. */
export function isSessionCookie({ name, value }: Pick<SetCookie, 'name' | 'value'>): boolean {
  if (findKnownCookie(name) || isAntiForgeryCookie({ name })) return false;
  return hasWord(name, sessionWords) || drupalSession.test(name) || isSignedToken(value);
}

/** True for a cookie that guards forms against forged requests. */
export function isAntiForgeryCookie({ name }: Pick<SetCookie, 'name'>): boolean {
  return hasWord(name, antiForgeryWords);
}

function hasWord(name: string, words: ReadonlySet<string>): boolean {
  const parts = splitName(name.slice(0, 200));
  // Neighbours are tried together too: "access_token", "laravel-session-id", "connect.sid".
  return parts.some((part, at) => words.has(part) || words.has(part + (parts[at + 1] ?? '')));
}

/** "__Host-sessionId" → host, session, id: at signs that are no letters or digits, and before a capital after a small letter. */
function splitName(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((part) => part !== '');
}
