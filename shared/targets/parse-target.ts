import { domainToASCII } from 'node:url';
import { getDomain } from 'tldts';
import { type AddressPolicy, classifyAddress, isAddress, notAnAddress } from './classify-address.ts';
import { hostLabel, judgeName } from './classify-name.ts';
import { type DeniedNames, deniedWhy } from './denied-names.ts';

/** What may be named as a target: the one policy for callers' input, Locations, MX, includes and browser requests. */
export type TargetPolicy = {
  readonly addresses: AddressPolicy;
  readonly allowedSuffixes: readonly string[];
  readonly ports: readonly PortRange[];
  /** Absent where there are none. */
  readonly denied?: DeniedNames;
};
export type PortRange = readonly [from: number, to: number];

/** `malformed`: not such a thing at all. `refused`: well formed, but never checked; nothing is sent. */
export type TargetFault = {
  readonly kind: 'malformed' | 'refused';
  /** A clause: '"localhost" is a special-use name'. */
  readonly why: string;
  /** What to write instead: whole sentences. */
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
 * Reads an absolute http or https URL once; hand on the URL object, never the text.
 * @returns the URL in the WHATWG normal form, without fragment and without a dot at the end of the host
 */
export function parseHttpUrl(text: string, policy: TargetPolicy): Parsed<URL> {
  const slip = findUrlSlip(text);
  if (slip !== undefined) return malformed(`${quote(text)} ${slip.why}`, slip.advice);
  const url = URL.parse(text);
  return url ? judgeUrl(url, policy) : malformed(`${quote(text)} is not a URL`);
}

/**
 * Judges a URL that is already parsed (a Location, an iframe's address): scheme, userinfo, host and port.
 * @param url one that nobody else uses: it is brought into normal form and given back
 */
export function judgeUrl(url: URL, policy: TargetPolicy): Parsed<URL> {
  // Setting a part has the whole URL written and parsed again: only what must change is set.
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

/** The port a URL leads to. */
export function portOf(url: URL): number {
  return url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
}

/** What to say of a port that is not checked, as the end of a clause; undefined for one that is. */
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
 * Whose visitors we are: the registrable domain, private suffixes of the public suffix list included ("a.github.io");
 * the host itself where there is none, or where it is an address. The unit of the per-host limit.
 */
export function siteOf(host: string): string {
  return getDomain(host, { allowPrivateDomains: true }) ?? host;
}

/** The domain as registries sell it that a name is or lies below ("example.co.uk"); null for a public suffix itself. */
export function registeredNameOf(domain: string): string | null {
  return getDomain(domain);
}

/**
 * True for a domain as registries sell it ("example.co.uk"). Not for a name below it, for a suffix itself, nor for a name below a private
 * suffix ("a.github.io"): that is a site of its own, but nobody publishes a www below it.
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

// What domainToASCII would swallow in silence: it cuts "example.com\.evil.example" at the backslash (measured).
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
  if (/^[a-z][a-z0-9+.-]*:(?!\d+(\/|$))/i.test(text)) return undefined; // another scheme (data:, javascript:), refused below by its name
  if (/^https?%3a/i.test(text)) return { why: 'is percent-encoded twice', advice: 'Encode it once.' };
  return { why: 'is not an absolute URL', advice: 'Begin it with https:// or http://.' };
}

// C0 controls, space, DEL, C1 controls, and the invisible marks that turn or hide text.
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
