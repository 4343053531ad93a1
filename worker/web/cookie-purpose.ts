import { type CookieKind, findKnownCookie } from './known-cookies.ts';
import { isMeantForScripts, isSignedToken, octetsOf } from './mask-cookie.ts';
import type { SetCookie } from './set-cookie.ts';

/** What one cookie is, asked once; every rule about cookies uses this answer. */
export type CookiePurpose = {
  readonly kind: CookieKind | 'session' | 'anti-forgery' | 'unknown';
  /** login: who has it is taken for the person · visitor: it may tell visitors apart · nobody: many visitors have the same. */
  readonly identifies: 'login' | 'visitor' | 'nobody';
  /** Whose it is; null where it is the site's own, or nobody has said. */
  readonly owner: string | null;
  /** False where what stands before the site sets it, so that the owner of the site cannot change it. */
  readonly isOwn: boolean;
};

type CookiePair = Pick<SetCookie, 'name' | 'value'>;

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));
const loginWords =
  words(`sess session sessions sessid sessionid sid ssid usid auth authn token accesstoken authtoken
  idtoken refreshtoken jwt login loggedin rememberme remember identity phpsessid jsessionid cfid cftoken aspxauth aspsessionid
  asp aspnetsessionid bearer sso`);
const antiForgeryWords = words('csrf xsrf csrftoken xsrftoken antiforgery requestverification');
/** Beside a word for sessions: the session is one of counting, not of a login. */
const trackingWords =
  words(`track tracking tracker trk analytics analytic stats statistics metrics visit visits visitor
  traffic campaign utm attribution referrer referer landing heatmap replay recording telemetry rum beacon pixel marketing ads
  adserver affiliate anonymous anon guest insights segment mixpanel amplitude piwik matomo clickstream pageview pageviews`);
const experimentWords = words(
  'ab abtest experiment experiments exp variant variation bucket cohort split optimizely rollout flag flags feature features',
);
const consentWords = words('consent gdpr ccpa cookiebanner optout optin tcf privacy');
/** Answers about the visitor's surroundings, the same for many. */
const preferenceWords =
  words(`country countrycode geo geoip region city continent location locale lang language currency market
  device platform browser os mobile desktop tablet viewport screen theme dark timezone tz date time timestamp ts expires expiry
  expire timeout start started end last first lastvisit seen banner popup modal notice warning bandwidth connectionspeed edition
  view layout sort count counter depth left duration expired redirect return url remaining version build status state enabled test check`);
const tokenWords = words('token jwt');
const identifierWords = words('id uid uuid guid visitorid userid deviceid');
/** Words of delivery networks and firewalls: their tokens identify a client, not a person. */
const deliveryWords = words(
  'cdn edge site waf bot akamai fastly cloudfront challenge captcha clearance proxy gateway',
);
/** Drupal, classic ASP, Tomcat’s single sign-on, Google, TYPO3, XenForo, Microsoft, LinkedIn, IBM, ForgeRock, Zen Cart, PrestaShop. */
const sessionName =
  /^(?:S?SESS[0-9a-f]{32}|ASPSESSIONID[A-Z]{8}|JSESSIONIDSSO|__Secure-[13]PSID(?:TS|CC)?|[SH]?APISID|[SHL]?SID|[fb]e_typo_user|xf_user|ESTSAUTH(?:PERSISTENT|LIGHT)?|MSPAuth|li_at|LtpaToken2?|iPlanetDirectoryPro|zenid|PrestaShop-[0-9a-f]{32})$/;
const sessionSuffix = /(?<!as|pos|ob|proc)(?:sess|session|sessionid|sessid)$/;
/** "logged_in=no" says whether there is a login, and opens none. */
const loginFlag =
  /^_{0,2}(?:is|has)?[_-]?(?:logged[_-]?in|auth|authenticated|login|signed[_-]?in)$|^has[_-]?session$/i;
const flagOctets = 5;
/** Fewer octets cannot tell many visitors apart. */
const identifierOctets = 16;

/** Says what a cookie is for, whom it identifies and whose it is. A value that is masked gives the same answer as the value. */
export function readCookiePurpose({ name, value }: CookiePair): CookiePurpose {
  const known = findKnownCookie(name);
  if (known) return purposeOfKnown(known.kind, known.owner, octetsOf(value));
  const own = { owner: null, isOwn: true } as const;
  const parts = splitName(name.slice(0, 200));
  if (octetsOf(value) === 0) return { kind: 'unknown', identifies: 'nobody', ...own };
  if (has(parts, antiForgeryWords) || isMeantForScripts(value))
    return { kind: 'anti-forgery', identifies: 'visitor', ...own };
  if (opensSession(name, value, parts)) return purposeOfSession(parts, value);
  return { ...purposeByWords(parts, octetsOf(value)), ...own };
}

/** True for a cookie that opens a session of a person. */
export function isLogin({ identifies }: CookiePurpose): boolean {
  return identifies === 'login';
}

const anonymousKinds: ReadonlySet<string> = new Set(['consent', 'experiment', 'preference']);

function purposeOfKnown(kind: CookieKind, owner: string, octets: number): CookiePurpose {
  const isOwn = kind !== 'bot' && kind !== 'routing';
  return { kind, identifies: mayTellApart(kind, octets), owner, isOwn };
}

function mayTellApart(kind: CookiePurpose['kind'], octets: number): 'visitor' | 'nobody' {
  return !anonymousKinds.has(kind) && octets >= identifierOctets ? 'visitor' : 'nobody';
}

function opensSession(name: string, value: string, parts: readonly string[]): boolean {
  if (loginFlag.test(name) && octetsOf(value) <= flagOctets) return false;
  return (
    has(parts, loginWords) || parts.some((part) => sessionSuffix.test(part)) || isLongSecret(name, value)
  );
}

// A long random value alone proves nothing: counters and caches have them too. A signed token says who somebody is.
function isLongSecret(name: string, value: string): boolean {
  return sessionName.test(name) || isSignedToken(value);
}

/** A name that speaks of sessions, unless its other words say which kind of session that is. */
function purposeOfSession(parts: readonly string[], value: string): CookiePurpose {
  const own = { owner: null, isOwn: true } as const;
  if (has(parts, trackingWords))
    return { kind: 'analytics', identifies: mayTellApart('analytics', octetsOf(value)), ...own };
  if (has(parts, consentWords)) return { kind: 'consent', identifies: 'nobody', ...own };
  if (has(parts, experimentWords)) return { kind: 'experiment', identifies: 'nobody', ...own };
  if (isTokenOfDelivery(parts)) return { kind: 'bot', identifies: 'nobody', owner: null, isOwn: false };
  // A choice or a date is no signed token.
  if (has(parts, preferenceWords) && !isSignedToken(value))
    return { kind: 'preference', identifies: 'nobody', ...own };
  return { kind: 'session', identifies: 'login', ...own };
}

/** "cdn_token" is; "site_auth_token" speaks of a person. */
function isTokenOfDelivery(parts: readonly string[]): boolean {
  const others = parts.filter((part) => !tokenWords.has(part));
  return others.length < parts.length && has(parts, deliveryWords) && !has(others, loginWords);
}

function purposeByWords(
  parts: readonly string[],
  octets: number,
): Pick<CookiePurpose, 'kind' | 'identifies'> {
  if (has(parts, consentWords)) return { kind: 'consent', identifies: 'nobody' };
  if (has(parts, experimentWords)) return { kind: 'experiment', identifies: 'nobody' };
  const isIdentifier = has(parts, identifierWords);
  if (has(parts, preferenceWords) && !isIdentifier) return { kind: 'preference', identifies: 'nobody' };
  const kind = has(parts, trackingWords) ? 'analytics' : 'unknown';
  return { kind, identifies: mayTellApart(kind, octets) };
}

// Neighbours are tried together too: "access_token", "laravel-session-id", "connect.sid".
function has(parts: readonly string[], wanted: ReadonlySet<string>): boolean {
  return parts.some((part, at) => wanted.has(part) || wanted.has(part + (parts[at + 1] ?? '')));
}

/** "__Host-sessionId" → host, session, id: at signs that are no letters or digits, and before a capital after a small letter. */
function splitName(name: string): string[] {
  return name
    .replace(/^__(?:Host|Secure|Http)-/i, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((part) => part !== '');
}
