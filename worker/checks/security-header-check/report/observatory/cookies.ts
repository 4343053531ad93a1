import { Cookie, defaultPath, domainMatch, getPublicSuffix, pathMatch } from 'tough-cookie';
import type { OutcomeOf } from './chart.ts';
import { joinHeaders, type ObservatoryChain, type ObservatoryView } from './view.ts';

type CookieOutcome = OutcomeOf<'cookies'>;
type JarCookie = {
  readonly key: string;
  readonly secure: boolean;
  readonly httpOnly: boolean;
  readonly sameSite: string | undefined;
};

// From best to worst; of all that a jar shows, the worst is the result.
const order: readonly CookieOutcome[] = [
  'cookies-without-secure-flag-but-protected-by-hsts',
  'cookies-without-secure-flag',
  'cookies-session-without-secure-flag-but-protected-by-hsts',
  'cookies-samesite-flag-invalid',
  'cookies-anticsrf-without-samesite-flag',
  'cookies-session-without-httponly-flag',
  'cookies-session-without-secure-flag',
];

/** The Observatory's verdict on cookies: those that its jar keeps of the graded chain, sessions by "sess" or "login" anywhere in the name. */
export function testCookies({ graded, seenAtMs }: ObservatoryView, hasHsts: boolean): CookieOutcome {
  const jar = fillJar(graded, seenAtMs);
  if (jar.length === 0) return 'cookies-not-found';
  const invalid = joinHeaders(graded.last.headers).cookies.some(hasInvalidSameSite);
  const faults = [
    ...(invalid ? ['cookies-samesite-flag-invalid' as const] : []),
    ...jar.flatMap((cookie) => faultsOf(cookie, hasHsts)),
  ];
  const worst = order.findLast((outcome) => faults.includes(outcome));
  if (worst) return worst;
  return jar.every(({ sameSite }) => sameSite)
    ? 'cookies-secure-with-httponly-sessions-and-samesite'
    : 'cookies-secure-with-httponly-sessions';
}

/**
 * It keeps what tough-cookie 5 keeps with its defaults; releases since then refuse more, so the rules of that one stand here.
 * A cookie that comes expired is kept too, and leaves only when a later request of the chain would have carried it. Its requests for
 * robots.txt and with OPTIONS come without the jar, so what the last answer deletes stays.
 */
function fillJar({ route }: ObservatoryChain, nowMs: number): JarCookie[] {
  const jar = new Map<string, Entry>();
  for (const hop of route) {
    const url = new URL(hop.url);
    for (const [place, entry] of jar) if (entry.isExpired(nowMs) && isCarried(entry, url)) jar.delete(place);
    for (const line of joinHeaders(hop.headers).cookies) {
      const kept = keep(line, url);
      if (kept) jar.set(kept.place, kept);
    }
  }
  return [...jar.values()]
    .map(({ cookie }) => cookie)
    .filter(({ key }) => key !== '' && key !== 'heroku-session-affinity');
}

function isCarried(
  { host, isHostOnly, path, cookie }: Entry,
  { hostname, pathname, protocol }: URL,
): boolean {
  const isHost = isHostOnly ? host === hostname : domainMatch(hostname, host, false) === true;
  return isHost && pathMatch(pathname, path) && (!cookie.secure || protocol === 'https:');
}

type Entry = {
  readonly place: string;
  readonly host: string;
  readonly isHostOnly: boolean;
  readonly path: string;
  readonly cookie: JarCookie;
  readonly isExpired: (nowMs: number) => boolean;
};

function keep(line: string, { hostname, pathname }: URL): Entry | undefined {
  const parsed = Cookie.parse(line);
  if (!parsed) return undefined;
  const { key, secure, httpOnly, sameSite } = parsed;
  const domain = domainOf(parsed);
  if (domain === null) return undefined;
  const path = parsed.path?.startsWith('/') ? parsed.path : defaultPath(pathname);
  const isHostOnly = domain === undefined;
  if (!coversHost(domain, hostname) || !fulfilsPrefix({ key, secure, path, isHostOnly })) return undefined;
  const host = domain ?? hostname;
  const cookie = { key, secure, httpOnly, sameSite: sameSite ?? undefined };
  const isExpired = (nowMs: number) =>
    (parsed.expiryTime(new Date(nowMs)) ?? Number.POSITIVE_INFINITY) <= nowMs;
  return { place: JSON.stringify([host, path, key]), host, isHostOnly, path, cookie, isExpired };
}

/** undefined where it names none; null where tough-cookie throws for what it names ("é é"). */
function domainOf(cookie: Cookie): string | undefined | null {
  try {
    return cookie.cdomain();
  } catch {
    return null;
  }
}

function coversHost(domain: string | undefined, hostname: string): boolean {
  return domain === undefined || (isRegistrable(domain) && domainMatch(hostname, domain, false) === true);
}

type PrefixFacts = {
  readonly key: string;
  readonly secure: boolean;
  readonly path: string;
  readonly isHostOnly: boolean;
};

function fulfilsPrefix({ key, secure, path, isHostOnly }: PrefixFacts): boolean {
  if (key.startsWith('__Secure-')) return secure;
  return !key.startsWith('__Host-') || (secure && isHostOnly && path === '/');
}

function isRegistrable(domain: string): boolean {
  try {
    return getPublicSuffix(domain, { allowSpecialUseDomain: true, ignoreError: true }) !== undefined;
  } catch {
    return false; // it throws for some special-use names, and the Observatory drops the cookie
  }
}

function faultsOf({ key, secure, httpOnly, sameSite }: JarCookie, hasHsts: boolean): CookieOutcome[] {
  const name = key.toLowerCase();
  const isSession = name.includes('login') || name.includes('sess');
  const found: [boolean, CookieOutcome][] = [
    [!secure && sameSite?.toLowerCase() === 'none', 'cookies-samesite-flag-invalid'],
    [!secure && hasHsts, 'cookies-without-secure-flag-but-protected-by-hsts'],
    [!secure && !hasHsts, 'cookies-without-secure-flag'],
    [name.includes('csrf') && !sameSite, 'cookies-anticsrf-without-samesite-flag'],
    [isSession && !secure && hasHsts, 'cookies-session-without-secure-flag-but-protected-by-hsts'],
    [isSession && !secure && !hasHsts, 'cookies-session-without-secure-flag'],
    [isSession && !httpOnly, 'cookies-session-without-httponly-flag'],
  ];
  return found.flatMap(([isThere, outcome]) => (isThere ? [outcome] : []));
}

function hasInvalidSameSite(line: string): boolean {
  return line.split(';').some((piece) => {
    const [name = '', value = ''] = piece.trim().split('=');
    return (
      name.trim().toLowerCase() === 'samesite' &&
      !['lax', 'strict', 'none'].includes(value.trim().toLowerCase())
    );
  });
}
