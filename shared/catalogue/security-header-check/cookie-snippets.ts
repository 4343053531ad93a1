import { isToken } from '../../model/token.ts';

/** Lines to paste, by server. */
type CookieSnippets = { readonly [server: string]: string };

type CookieAttribute = 'Secure' | 'HttpOnly' | 'SameSite=Lax';

// What each cookie rule asks to be added, and nothing else: a cookie may be meant for other sites, or for scripts.
const cookieAttributes: { readonly [code: string]: CookieAttribute } = {
  'cookie-session-no-secure': 'Secure',
  'cookie-session-no-httponly': 'HttpOnly',
  'cookie-session-no-samesite': 'SameSite=Lax',
  'cookie-csrf-no-samesite': 'SameSite=Lax',
  'cookie-no-secure': 'Secure',
  'cookie-no-samesite': 'SameSite=Lax',
  'cookie-samesite-invalid': 'SameSite=Lax',
};

const expressOptions: { readonly [A in CookieAttribute]: string } = {
  Secure: 'secure: true',
  HttpOnly: 'httpOnly: true',
  'SameSite=Lax': "sameSite: 'lax'",
};

/** The lines that add to a cookie what all these rules ask for; undefined where they ask for nothing, or its name cannot stand in a line. */
export function snippetsOfCookie(codes: readonly string[], name: unknown): CookieSnippets | undefined {
  const attributes = [...new Set(codes.flatMap((code) => cookieAttributes[code] ?? []))];
  if (attributes.length === 0 || typeof name !== 'string' || name.length > 100) return undefined;
  if (!isToken(name) || /['`$]/.test(name)) return undefined;
  const list = attributes.join('; ');
  return {
    header: `Set-Cookie: ${name}=…; ${list}`,
    nginx: `proxy_cookie_flags ${name} ${attributes.join(' ').toLowerCase()};`,
    apache: `Header always edit Set-Cookie "^(${name.replaceAll(/[.*+^|\\]/g, '\\$&')}=.*)$" "$1; ${list}"`,
    express: `response.cookie('${name}', value, { ...options, ${attributes.map((each) => expressOptions[each]).join(', ')} });`,
  };
}
