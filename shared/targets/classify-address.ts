import { type Address, type Cidr, cidrOf, contains, isIpv6, readAddress, writeAddress } from './address.ts';

/** The operator's exceptions; `deny` beats `allow`, `allow` beats `own` and the table below. */
export type AddressPolicy = {
  readonly allow: readonly Cidr[];
  readonly deny: readonly Cidr[];
  /** Canonical addresses of this machine. A service there may accept connections from this machine that it refuses to others. */
  readonly own?: readonly string[];
};

export type AddressVerdict =
  | { readonly kind: 'public'; readonly address: string }
  | { readonly kind: 'refused'; readonly rule: string };

// IANA IPv4 Special-Purpose Address Registry: every block that is not globally reachable; also multicast, and the metadata address of one
// cloud.
const refusedIpv4: readonly (readonly [string, Cidr])[] = named([
  ['this-network', '0.0.0.0/8'],
  ['private', '10.0.0.0/8'],
  ['shared-address-space', '100.64.0.0/10'],
  ['loopback', '127.0.0.0/8'],
  ['link-local', '169.254.0.0/16'],
  ['private', '172.16.0.0/12'],
  ['ietf-protocol', '192.0.0.0/24'],
  ['documentation', '192.0.2.0/24'],
  ['6to4-relay', '192.88.99.0/24'],
  ['private', '192.168.0.0/16'],
  ['benchmarking', '198.18.0.0/15'],
  ['documentation', '198.51.100.0/24'],
  ['documentation', '203.0.113.0/24'],
  ['cloud-metadata', '168.63.129.16/32'],
  ['multicast', '224.0.0.0/4'],
  ['reserved', '240.0.0.0/4'],
]);

// For IPv6 the default is the opposite: only 2000::/3 is global, minus these blocks. That refuses mapped, compatible, NAT64, unique-local,
// link-local, multicast and unallocated addresses without listing them.
const globalIpv6 = parseCidr('2000::/3');
/** IPv4-mapped (RFC 4291 §2.5.5.2). */
const mapped = parseCidr('::ffff:0:0/96');
const refusedIpv6 = named([
  ['ietf-protocol', '2001::/23'],
  ['documentation', '2001:db8::/32'],
  ['6to4', '2002::/16'],
  ['as112', '2620:4f:8000::/48'],
  ['documentation', '3fff::/20'],
]);

/** The rule that refuses a text that is not an address. */
export const notAnAddress = 'not-an-address';

/**
 * Judges a textual address: dotted IPv4 of four decimal parts, or IPv6 without zone and brackets. Fails closed: anything else is refused.
 * @returns the canonical text of a public address, or the name of the rule that refuses it (IANA special-purpose registries).
 */
export function classifyAddress(text: string, policy: AddressPolicy): AddressVerdict {
  const ip = readAddress(text);
  if (!ip) return { kind: 'refused', rule: notAnAddress };
  if (policy.deny.some((cidr) => contains(cidr, ip))) return { kind: 'refused', rule: 'denied-by-operator' };
  const address = writeAddress(ip);
  if (policy.allow.some((cidr) => contains(cidr, ip))) return { kind: 'public', address };
  if (policy.own?.includes(address)) return { kind: 'refused', rule: 'own-address' };
  const rule = isIpv6(ip) ? classifyIpv6(ip) : firstMatch(refusedIpv4, ip);
  return rule === undefined ? { kind: 'public', address } : { kind: 'refused', rule };
}

/** True for any text that the operating system or a URL parser could take for an address: dotted IPv4 or IPv6. */
export function isAddress(text: string): boolean {
  return readAddress(text) !== undefined;
}

/** The network that counts as one caller: the IPv4 address itself, or the IPv6 /64. A mapped address counts as IPv4. */
export function callerNetwork(text: string): string {
  const ip = readCaller(text);
  if (!ip) return 'unknown';
  return isIpv6(ip) ? networkOf(ip, 64) : writeAddress(ip);
}

/** The larger network of an IPv6 caller, such as "2001:db8:1::/48". Undefined for IPv4, mapped or not, and for any other text. */
export function widerNetwork(text: string, prefix: number): string | undefined {
  const ip = readCaller(text);
  return ip && isIpv6(ip) ? networkOf(ip, prefix) : undefined;
}

/**
 * The networks whose callers share turns, the widest first: the /24 of an IPv4 address, or the /32 and /48 of an IPv6 address. Empty for
 * any other text.
 */
export function turnNetworks(text: string): readonly string[] {
  const ip = readCaller(text);
  if (!ip) return [];
  return (isIpv6(ip) ? [32, 48] : [24]).map((prefix) => networkOf(ip, prefix));
}

function readCaller(text: string): Address | undefined {
  const ip = readAddress(text.replace(/%.*$/, ''));
  return ip && contains(mapped, ip) ? ip.slice(3) : ip;
}

function networkOf(ip: Address, prefix: number): string {
  return `${writeAddress(cidrOf(ip, prefix).network)}/${prefix}`;
}

/** Parses "10.0.0.0/8", "2001:db8::/32" or a single address. Throws an Error that quotes any other text. */
export function parseCidr(text: string): Cidr {
  const [address = '', prefix] = text.split('/');
  const ip = readAddress(address);
  const bits = ip && isIpv6(ip) ? 128 : 32;
  const length = prefix === undefined ? bits : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN;
  if (!ip || !(length <= bits)) throw new Error(`"${text}" is not an address or CIDR block`);
  return cidrOf(ip, length);
}

/** True when the address lies in one of the blocks. */
export function isInCidrs(text: string, cidrs: readonly Cidr[]): boolean {
  const ip = readAddress(text);
  return ip !== undefined && cidrs.some((cidr) => contains(cidr, ip));
}

function classifyIpv6(ip: Address): string | undefined {
  if (!contains(globalIpv6, ip)) return 'not-global-ipv6';
  const [, , kind = 0, ipv4 = 0] = ip;
  // A router of ISATAP sends it on to the IPv4 address inside (RFC 5214 §6.1; 02: an id that is unique in the world).
  const isPrivate = isatapKinds.has(kind) && firstMatch(refusedIpv4, [ipv4]) !== undefined;
  return isPrivate ? 'isatap-private' : firstMatch(refusedIpv6, ip);
}

const isatapKinds: ReadonlySet<number> = new Set([0x0000_5efe, 0x0200_5efe]);

function firstMatch(blocks: readonly (readonly [string, Cidr])[], ip: Address): string | undefined {
  for (const [rule, cidr] of blocks) if (contains(cidr, ip)) return rule;
  return undefined;
}

function named(blocks: readonly (readonly [string, string])[]): readonly (readonly [string, Cidr])[] {
  return blocks.map(([rule, text]) => [rule, parseCidr(text)]);
}
