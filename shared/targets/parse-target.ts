import { domainToASCII } from 'node:url';
import { getDomain } from 'tldts';
import { type AddressPolicy, classifyAddress, isAddress, notAnAddress } from './classify-address.ts';
import { hostLabel, judgeName } from './classify-name.ts';
import { type DeniedNames, deniedWhy } from './denied-names.ts';

/** What a target may be. The same policy applies to callers' input, Locations, MX hosts, includes and requests of the browser. */
export type TargetPolicy = {
  readonly addresses: AddressPolicy;
  readonly allowedSuffixes: readonly string[];
  readonly ports: readonly PortRange[];
  /** Left out if no name is denied. */
  readonly denied?: DeniedNames;
};
export type PortRange = readonly [from: number, to: number];

/** `malformed`: not a domain or URL. `refused`: well formed, but never checked. Nothing is sent in either case. */
export type TargetFault = {
  readonly kind: 'malformed' | 'refused';
  /** A clause: '"localhost" is a special-use name'. */
  readonly why: string;
  /** What to send instead, in whole sentences. */
  readonly advice?: string;
};

/** The fault as sentences for the caller. */
export function tellFault({ why, advice }: Omit<TargetFault, 'kind'>): string {
  const sentence = `${why.charAt(0).toUpperCase()}${why.slice(1)}.`;
  return advice === undefined ? sentence : `${sentence} ${advice}`;
}

export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly fault: TargetFault };

export const urlLengthLimit = 2048;

/**
 * Reads a domain name as people type it: any letter case, Unicode or Punycode, one last dot allowed.
 * @returns the name in lower-case ASCII without the last dot, e.g. "xn--bcher-kva.example"
 */
export function parseDomain(text: string, policy: TargetPolicy): Parsed<string> {
  const shown = quote(text);
  const slip = findDomainSlip(text);
  if (slip !== undefined) return malformed(`${shown} ${slip.why}`, slip.advice);
  const ascii = domainToASCII(text.replace(/\.$/, ''));
  if (ascii === '') return malformed(`${shown} is not a domain name (IDNA, UTS #46)`);
  if (isAddress(ascii) || isAddress(text)) return malformed(`${shown} is an address, not a domain name`);
  const fault = judgeName(ascii, policy.allowedSuffixes, hostLabel);
  if (fault) return { ok: false, fault: { kind: fault.kind, why: `${shown} ${fault.why}` } };
  return policy.denied?.covers(ascii) ? refused(`${shown} ${deniedWhy}`) : { ok: true, value: ascii };
}

/**
 * Parses an absolute http or https URL. Pass on the URL object and never parse the text again.
 * @returns the URL in the WHATWG normal form, without fragment and without a dot at the end of the host
 */
export function parseHttpUrl(text: string, policy: TargetPolicy): Parsed<URL> {
  const slip = findUrlSlip(text);
  if (slip !== undefined) return malformed(`${quote(text)} ${slip.why}`, slip.advice);
  const url = URL.parse(text);
  return url ? judgeUrl(url, policy) : malformed(`${quote(text)} is not a URL`);
}

/**
 * Judges the scheme, userinfo, host and port of a parsed URL (a Location, the address of an iframe).
 * @param url is changed into normal form and returned: nothing else may use it
 */
export function judgeUrl(url: URL, policy: TargetPolicy): Parsed<URL> {
  // Each setter serializes and parses the whole URL, so set only what must change.
  if (url.href.includes('#')) url.hash = '';
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return refused(
      `${quote(url.href)} has the scheme ${quote(url.protocol)}; only http and https are checked`,
    );
  if (url.username !== '' || url.password !== '')
    return malformed('the URL carries a user name or password', 'Remove it: reports are stored.');
  const portFault = judgePort(portOf(url), policy);
  if (portFault) return refused(`${quote(url.href)} ${portFault}`);
  return judgeHost(url, policy);
}

/** The port that a URL leads to. */
export function portOf(url: URL): number {
  return url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
}

/** Says why a port is not checked, as the end of a clause; undefined for one that is. */
export function judgePort(port: number, { ports }: TargetPolicy): string | undefined {
  if (isPortAllowed(port, ports)) return undefined;
  const checked = ports.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`)).join(', ');
  return `names port ${port}, which is not checked; these ports are: ${checked}`;
}

/** True when the operator lets targets name this port. */
export function isPortAllowed(port: number, ports: readonly PortRange[]): boolean {
  return ports.some(([from, to]) => from <= port && port <= to);
}

/**
 * The registrable domain of a host, with private suffixes of the public suffix list ("a.github.io"); the host itself if it has none or is
 * an address. The limit of runs per host counts by it.
 */
export function siteOf(host: string): string {
  return getDomain(host, { allowPrivateDomains: true }) ?? host;
}

/** The domain that was registered, for a name at or below it ("example.co.uk"); null for a public suffix. */
export function registeredNameOf(domain: string): string | null {
  return getDomain(domain);
}

/**
 * True for a name that a registry sells ("example.co.uk"). False for a name below it, for a suffix, and for a name below a private suffix
 * ("a.github.io"): that is a site of its own, but it has no www name.
 */
export function isRegistrable(domain: string): boolean {
  return getDomain(domain) === domain;
}

function judgeHost(url: URL, policy: TargetPolicy): Parsed<URL> {
  const { hostname } = url;
  const literal = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  const verdict = classifyAddress(literal, policy.addresses);
  if (verdict.kind === 'public' || verdict.rule !== notAnAddress) {
    if (verdict.kind === 'refused')
      return refused(`${quote(url.host)} is an address that is not checked (${verdict.rule})`);
    return { ok: true, value: url };
  }
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1);
  const shown = `the host ${quote(url.hostname)}`;
  const fault = judgeName(url.hostname, policy.allowedSuffixes, hostLabel);
  if (fault) return { ok: false, fault: { kind: fault.kind, why: `${shown} ${fault.why}` } };
  return policy.denied?.covers(url.hostname) ? refused(`${shown} ${deniedWhy}`) : { ok: true, value: url };
}

type Slip = Omit<TargetFault, 'kind'>;

// What domainToASCII would hide: it cuts "example.com\.evil.example" at the backslash (measured).
function findDomainSlip(text: string): Slip | undefined {
  if (text === '') return { why: 'is empty', advice: 'Give a domain name, such as example.com.' };
  if (text.length > 1024) return { why: 'is too long for a domain name' };
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text))
    return { why: 'is a URL', advice: 'Give only the domain name, such as example.com.' };
  if (text.includes('@')) return { why: 'looks like a mail address', advice: 'Give what is behind the @.' };
  if (text.startsWith('*.')) return { why: 'is a wildcard', advice: 'Give one name.' };
  if (/^[^:]+:\d{1,5}$/.test(text))
    return { why: 'names a port', advice: 'Give only the domain name; ssl-check takes ?port=.' };
  if (hasForbiddenCharacter(text) || /[/\\:?#%<>[\]^|]/.test(text))
    return { why: 'has characters that no domain name has' };
  return undefined;
}

function findUrlSlip(text: string): Slip | undefined {
  if (text === '') return { why: 'is empty', advice: 'Give a URL, such as https://example.com/.' };
  if (text.length > urlLengthLimit) return { why: `is longer than ${urlLengthLimit} characters` };
  if (hasForbiddenCharacter(text) || text.includes('\\'))
    return { why: 'has a space, backslash or control character', advice: 'Percent-encode it.' };
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return undefined;
  if (/^[a-z][a-z0-9+.-]*:(?!\d+(\/|$))/i.test(text)) return undefined; // another scheme (data:, javascript:), which is refused by name below
  if (/^https?%3a/i.test(text)) return { why: 'is percent-encoded twice', advice: 'Encode it once.' };
  return { why: 'is not an absolute URL', advice: 'Begin it with https:// or http://.' };
}

// C0 controls, space, DEL, C1 controls, and invisible marks that reverse or hide text.
function hasForbiddenCharacter(text: string): boolean {
  return /[\u0000-\u0020\u007f-\u00a0\u200e\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069\ufeff\ufffd]/.test(
    text,
  );
}

function quote(text: string): string {
  return JSON.stringify(text.length > 120 ? `${text.slice(0, 120)}…` : text);
}

function malformed(why: string, advice?: string): Parsed<never> {
  return { ok: false, fault: { kind: 'malformed', why, ...(advice === undefined ? {} : { advice }) } };
}

function refused(why: string): Parsed<never> {
  return { ok: false, fault: { kind: 'refused', why } };
}
