import { cookieRules } from '#shared/catalogue/security-header-check/rules/cookies';
import { allOf, brokenBy, type Evidence, type Verdict, type Verdicts } from '#shared/model/verdict';
import { valuesOf } from '../../../web/fields.ts';
import { maskAttributeValue, maskSetCookie } from '../../../web/mask-cookie.ts';
import type { SetCookie } from '../../../web/set-cookie.ts';
import { nameOf, type CookieFacts } from '../facts/cookies.ts';
import { isSharedCacheable, parseCacheControl } from '../grammar/cache-control.ts';
import { cut, where } from './verdict-tables.ts';

type StoredCookie = CookieFacts & {
  readonly cookie: SetCookie;
  readonly storage: Extract<CookieFacts['storage'], { stored: true }>;
};

/** Judges the cookies that a browser would keep, and names those that it refuses. Deletions are no fault. */
export function judgeCookies(
  all: readonly CookieFacts[],
): Verdicts<keyof typeof cookieRules | 'cookie-attributes-alone'> {
  const alone = all.filter(({ isAttribute }) => isAttribute);
  return {
    'cookie-attributes-alone': where(
      all.length > 0,
      brokenBy(alone.map((each) => ({ ...show(each), value: cut(maskSetCookie(each.line)) }))),
    ),
    ...judgeOwn(all.filter(({ isAttribute }) => !isAttribute)),
  };
}

function judgeOwn(cookies: readonly CookieFacts[]): Verdicts<keyof typeof cookieRules> {
  if (cookies.length === 0) return allOf(cookieRules, 'not-applicable');
  const kept = cookies.filter(isKept);
  const overHttps = kept.filter(isOverHttps);
  const session = kept.filter(isSession);
  const other = kept.filter((cookie) => !isSession(cookie));
  // What stands before a site sets its own cookies, which the site cannot change.
  const own = other.filter(isOwn);
  return {
    'cookie-session-no-secure': lacking(overHttps.filter(isSession), ({ cookie }) => cookie.secure),
    'cookie-session-no-httponly': lacking(session, ({ cookie }) => cookie.httpOnly),
    'cookie-session-no-samesite': lacking(session, saysSameSite),
    'cookie-session-on-http': lacking(session, isOverHttps),
    'cookie-on-http': lacking(own, isOverHttps),
    'cookie-csrf-no-samesite': lacking(
      other.filter(isAntiForgery),
      (cookie) => saysSameSite(cookie) || isDoubleSubmit(cookie),
    ),
    'cookie-no-secure': lacking(own.filter(isOverHttps), ({ cookie }) => cookie.secure),
    'cookie-no-samesite': lacking(
      own.filter((cookie) => !isAntiForgery(cookie)),
      saysSameSite,
    ),
    'cookie-samesite-invalid': judgeSameSite(kept),
    'cookie-refused': judgeRefused(cookies.filter(({ joined }) => joined !== 'perhaps')),
    'cookie-comma': judgeRefused(cookies.filter(({ joined }) => joined === 'perhaps')),
    'cookie-cacheable': where(
      kept.length > 0,
      brokenBy([...session, ...own].filter(tellsApart).flatMap(findCacheable)),
    ),
    'cookie-wide-domain': where(
      session.length > 0,
      brokenBy(
        session
          .filter(({ storage }) => !storage.hostOnly)
          .map((cookie) => ({ ...show(cookie), domain: cookie.storage.domain })),
      ),
    ),
    'cookie-no-prefix': where(session.length > 0, brokenBy(session.filter(couldHavePrefix).map(show))),
  };
}

function isKept(cookie: CookieFacts): cookie is StoredCookie {
  return cookie.cookie !== undefined && cookie.storage.stored;
}

function isOverHttps({ seen }: CookieFacts): boolean {
  return seen.url.protocol === 'https:';
}

function isSession({ session }: CookieFacts): boolean {
  return session;
}

// Of a line that is ignored whole nobody knows more than that the site sent it.
function isOwn({ purpose }: CookieFacts): boolean {
  return purpose?.isOwn !== false;
}

function isAntiForgery({ purpose }: CookieFacts): boolean {
  return purpose?.kind === 'anti-forgery';
}

// Scripts of the page send it a second time; another site cannot read it, so it helps none that the browser adds it.
function isDoubleSubmit({ cookie }: StoredCookie): boolean {
  return !cookie.httpOnly;
}

// A country, a date or an experiment is the same for many, so a cache may give it to others.
function tellsApart({ purpose }: StoredCookie): boolean {
  return purpose?.identifies !== 'nobody';
}

function lacking(cookies: readonly StoredCookie[], has: (cookie: StoredCookie) => boolean): Verdict {
  return where(cookies.length > 0, brokenBy(cookies.filter((cookie) => !has(cookie)).map(show)));
}

function show(each: CookieFacts): Evidence {
  const { seen } = each;
  const name = nameOf(each);
  const shown = name === '' ? '(a cookie without a name)' : cut(name);
  return { hop: seen.index, url: seen.hop.url, header: 'set-cookie', cookie: shown };
}

// An unknown value is a finding of its own.
function saysSameSite({ cookie }: StoredCookie): boolean {
  return cookie.sameSite !== null || cookie.sameSiteUnknown !== null;
}

function judgeSameSite(cookies: readonly StoredCookie[]): Verdict {
  const unknown = cookies.flatMap((cookie) => {
    const value = cookie.cookie.sameSiteUnknown;
    return value === null ? [] : [{ ...show(cookie), value: cut(maskAttributeValue(value)) }];
  });
  return where(
    cookies.some(({ cookie }) => cookie.sameSite !== null || cookie.sameSiteUnknown !== null),
    brokenBy(unknown),
  );
}

// A Secure cookie of the http answer is refused, and does no harm where the https answer sets it.
function judgeRefused(cookies: readonly CookieFacts[]): Verdict {
  const stored = new Set(cookies.filter(isKept).map(nameOf));
  return brokenBy(
    cookies.flatMap((cookie) => {
      const { storage } = cookie;
      const isSetAnyway =
        !isOverHttps(cookie) && cookie.cookie?.secure === true && stored.has(nameOf(cookie));
      return storage.stored || storage.deletes || isSetAnyway || !isOwn(cookie)
        ? []
        : [{ ...show(cookie), reason: storage.reason }];
    }),
  );
}

function findCacheable(cookie: StoredCookie): Evidence[] {
  const lines = valuesOf(cookie.seen.fields, 'cache-control');
  return isSharedCacheable(parseCacheControl(lines))
    ? [{ ...show(cookie), value: cut(lines.join(', ')) }]
    : [];
}

function couldHavePrefix({ cookie, storage }: StoredCookie): boolean {
  const fits = cookie.secure && storage.hostOnly && storage.path === '/';
  return fits && !/^__(?:host|http)-/i.test(cookie.name);
}
