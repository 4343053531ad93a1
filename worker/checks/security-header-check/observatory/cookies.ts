import { CookieJar } from 'tough-cookie';
import type { ResultOf } from './chart.ts';
import { joinHeaders, type ObservatoryChain, type ObservatoryView } from './view.ts';

type CookieResult = ResultOf<'cookies'>;
type JarCookie = {
  readonly key: string;
  readonly secure: boolean;
  readonly httpOnly: boolean;
  readonly sameSite: string | undefined;
};

// From best to worst; of all that a jar shows, the worst is the result.
const order: readonly CookieResult[] = [
  'cookies-without-secure-flag-but-protected-by-hsts',
  'cookies-without-secure-flag',
  'cookies-session-without-secure-flag-but-protected-by-hsts',
  'cookies-samesite-flag-invalid',
  'cookies-anticsrf-without-samesite-flag',
  'cookies-session-without-httponly-flag',
  'cookies-session-without-secure-flag',
];

/** The Observatory's verdict on cookies: those that its jar keeps of the graded chain, sessions by "sess" or "login" anywhere in the name. */
export function testCookies({ graded }: ObservatoryView, hasHsts: boolean): CookieResult {
  const jar = fillJar(graded);
  if (jar.length === 0) return 'cookies-not-found';
  const invalid = joinHeaders(graded.last.headers).cookies.some(hasInvalidSameSite);
  const faults = [
    ...(invalid ? ['cookies-samesite-flag-invalid' as const] : []),
    ...jar.flatMap((cookie) => faultsOf(cookie, hasHsts)),
  ];
  const worst = order.findLast((result) => faults.includes(result));
  if (worst) return worst;
  return jar.every(({ sameSite }) => sameSite)
    ? 'cookies-secure-with-httponly-sessions-and-samesite'
    : 'cookies-secure-with-httponly-sessions';
}

// Its own jar, so that what it refuses and keeps is the same; only names and flags are read of it, never its times.
function fillJar({ route }: ObservatoryChain): JarCookie[] {
  const lines = route.flatMap(({ url, headers }) =>
    joinHeaders(headers).cookies.map((line) => ({ url, line })),
  );
  if (lines.length === 0) return [];
  const jar = new CookieJar();
  for (const { url, line } of lines) jar.setCookieSync(line, url, { ignoreError: true });
  return (jar.serializeSync()?.cookies ?? [])
    .map(({ key, secure, httpOnly, sameSite }) => ({
      key: key ?? '',
      secure: secure === true,
      httpOnly: httpOnly === true,
      sameSite: typeof sameSite === 'string' ? sameSite : undefined,
    }))
    .filter(({ key }) => key !== '' && key !== 'heroku-session-affinity');
}

function faultsOf({ key, secure, httpOnly, sameSite }: JarCookie, hasHsts: boolean): CookieResult[] {
  const name = key.toLowerCase();
  const isSession = name.includes('login') || name.includes('sess');
  const found: [boolean, CookieResult][] = [
    [!secure && sameSite?.toLowerCase() === 'none', 'cookies-samesite-flag-invalid'],
    [!secure && hasHsts, 'cookies-without-secure-flag-but-protected-by-hsts'],
    [!secure && !hasHsts, 'cookies-without-secure-flag'],
    [name.includes('csrf') && !sameSite, 'cookies-anticsrf-without-samesite-flag'],
    [isSession && !secure && hasHsts, 'cookies-session-without-secure-flag-but-protected-by-hsts'],
    [isSession && !secure && !hasHsts, 'cookies-session-without-secure-flag'],
    [isSession && !httpOnly, 'cookies-session-without-httponly-flag'],
  ];
  return found.flatMap(([isThere, result]) => (isThere ? [result] : []));
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
