import { getPublicSuffix } from 'tldts';
import { isAddressHost } from './address-host.ts';
import { maskAttributeValue } from './mask-cookie.ts';
import type { SetCookie } from './set-cookie.ts';

/** Where a cookie is kept: a later one of the same name at the same place replaces it. */
export type CookiePlace = { readonly hostOnly: boolean; readonly domain: string; readonly path: string };

/** Whether a browser keeps a cookie, and why not. `deletes`: the server means to remove it, which is no fault. */
export type Storage =
  | ({ readonly stored: true } & CookiePlace)
  | ({ readonly stored: false; readonly deletes: true; readonly reason: string } & CookiePlace)
  | { readonly stored: false; readonly deletes: false; readonly reason: string };

/**
 * Judges one Set-Cookie against the answer it came with, by the storage model of RFC 6265bis and the prefixes of the layered-cookies draft.
 * @param url of the answer
 * @param nowMs Unix ms of the answer
 */
export function storeCookie(cookie: SetCookie, url: URL, nowMs: number): Storage {
  const refusal =
    whyTooLarge(cookie) ??
    whyDomainRefused(cookie, url) ??
    whyInsecure(cookie, url) ??
    whyPrefixRefused(cookie);
  if (refusal !== undefined) return { stored: false, deletes: false, reason: refusal };
  const place = placeOf(cookie, url);
  return isExpired(cookie, nowMs)
    ? { stored: false, deletes: true, reason: 'it is already expired, which deletes it', ...place }
    : { stored: true, ...place };
}

function placeOf(cookie: SetCookie, url: URL): CookiePlace {
  const hostOnly = isHostOnly(cookie, url);
  const domain = hostOnly ? url.hostname : (cookie.domain ?? url.hostname);
  return { hostOnly, domain, path: cookie.path ?? defaultPath(url) };
}

/** True where a cookie that is kept there goes to this address (RFC 6265bis, "Retrieval Algorithm"; Secure is asked elsewhere). */
export function isSentTo({ hostOnly, domain, path }: CookiePlace, { hostname, pathname }: URL): boolean {
  const isHost = hostname === domain || (!hostOnly && hostname.endsWith(`.${domain}`));
  const isPath =
    pathname === path || (pathname.startsWith(path) && (path.endsWith('/') || pathname[path.length] === '/'));
  return isHost && isPath;
}

// Octets of name and value together; a byte is one character here.
function whyTooLarge({ name, valueOctets }: SetCookie): string | undefined {
  const bytes = name.length + valueOctets;
  return bytes > 4096 ? `its name and value have ${bytes} octets, more than 4096` : undefined;
}

function whyDomainRefused(cookie: SetCookie, url: URL): string | undefined {
  const { domain } = cookie;
  if (domain === null || domain === url.hostname) return undefined;
  if (/[^\u0020-\u007e]/.test(domain)) return 'its Domain has characters beyond ASCII';
  const shown = maskAttributeValue(domain);
  if (isPublicSuffix(domain)) return `its Domain ${shown} is a public suffix, shared by strangers`;
  if (isAddressHost(url.hostname) || !url.hostname.endsWith(`.${domain}`))
    return `its Domain ${shown} does not cover ${url.hostname}`;
  return undefined;
}

function whyInsecure({ secure, sameSite, partitioned }: SetCookie, url: URL): string | undefined {
  if (secure) return url.protocol === 'https:' ? undefined : 'it has Secure but came over http';
  if (sameSite === 'None') return 'SameSite=None needs Secure';
  return partitioned ? 'Partitioned needs Secure' : undefined;
}

type PrefixDemands = { readonly httpOnly: boolean; readonly hostOnly: boolean };

// Longest first: each prefix that begins another stands behind it.
const prefixes: readonly (readonly [prefix: string, demands: PrefixDemands])[] = [
  ['__host-http-', { httpOnly: true, hostOnly: true }],
  ['__host-', { httpOnly: false, hostOnly: true }],
  ['__http-', { httpOnly: true, hostOnly: false }],
  ['__secure-', { httpOnly: false, hostOnly: false }],
];

function whyPrefixRefused(cookie: SetCookie): string | undefined {
  if (cookie.name === '' && findPrefix(cookie.value))
    return 'it has no name and a value that begins like a prefix';
  const found = findPrefix(cookie.name);
  if (!found) return undefined;
  const [prefix, { httpOnly, hostOnly }] = found;
  const sent = cookie.name.slice(0, prefix.length);
  if (!cookie.secure) return `the prefix ${sent} needs Secure`;
  if (httpOnly && !cookie.httpOnly) return `the prefix ${sent} needs HttpOnly`;
  if (!hostOnly) return undefined;
  if (cookie.domain !== null) return `the prefix ${sent} forbids Domain`;
  return cookie.path === '/' ? undefined : `the prefix ${sent} needs Path=/`;
}

function findPrefix(text: string) {
  const lower = text.toLowerCase();
  return prefixes.find(([prefix]) => lower.startsWith(prefix));
}

function isExpired({ maxAgeS, expiresMs }: SetCookie, nowMs: number): boolean {
  return maxAgeS === null ? expiresMs !== null && expiresMs <= nowMs : maxAgeS <= 0;
}

// A Domain that is the host itself and a public suffix counts as absent.
function isHostOnly({ domain }: SetCookie, url: URL): boolean {
  return domain === null || (domain === url.hostname && (isPublicSuffix(domain) || isAddressHost(domain)));
}

function isPublicSuffix(domain: string): boolean {
  return getPublicSuffix(domain, { allowPrivateDomains: true }) === domain;
}

function defaultPath({ pathname }: URL): string {
  const slash = pathname.lastIndexOf('/');
  return slash < 1 ? '/' : pathname.slice(0, slash);
}
