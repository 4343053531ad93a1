import ipaddr from 'ipaddr.js';

type Ip = ipaddr.IPv4 | ipaddr.IPv6;

/** An address block, parsed once. */
export type Cidr = readonly [Ip, number];

/** The operator's exceptions; `deny` beats `allow`, `allow` beats `own` and the table below. */
export type AddressPolicy = {
  readonly allow: readonly Cidr[];
  readonly deny: readonly Cidr[];
  /** Addresses of this machine, canonical: what listens there may be open to the machine itself and to nobody else. */
  readonly own?: readonly string[];
};

export type AddressVerdict =
  | { readonly kind: 'public'; readonly address: string }
  | { readonly kind: 'refused'; readonly rule: string };

// IANA IPv4 Special-Purpose Address Registry: every block that is not globally reachable, multicast, and one cloud's metadata address.
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

// IPv6 is judged the other way round: only 2000::/3 is allocated to the world, and of it these blocks are not.
// Mapped, compatible, NAT64, unique-local, link-local, multicast and unallocated space fall out without a list.
const globalIpv6 = parseCidr('2000::/3');
const refusedIpv6 = named([
  ['ietf-protocol', '2001::/23'],
  ['documentation', '2001:db8::/32'],
  ['6to4', '2002::/16'],
  ['as112', '2620:4f:8000::/48'],
  ['documentation', '3fff::/20'],
]);

/**
 * Judges a textual address: dotted IPv4 of four decimal parts, or IPv6 without zone and brackets. Fails closed: anything else is refused.
 * @returns the canonical text of a public address, or the name of the rule that refuses it (IANA special-purpose registries).
 */
export function classifyAddress(text: string, policy: AddressPolicy): AddressVerdict {
  const ip = parseAddress(text);
  if (!ip) return { kind: 'refused', rule: 'not-an-address' };
  if (policy.deny.some((cidr) => contains(cidr, ip))) return { kind: 'refused', rule: 'denied-by-operator' };
  if (policy.allow.some((cidr) => contains(cidr, ip))) return { kind: 'public', address: ip.toString() };
  if (policy.own?.includes(ip.toString())) return { kind: 'refused', rule: 'own-address' };
  const rule = ip.kind() === 'ipv4' ? firstMatch(refusedIpv4, ip) : classifyIpv6(ip);
  return rule === undefined ? { kind: 'public', address: ip.toString() } : { kind: 'refused', rule };
}

/** True for any text that the operating system or a URL parser could take for an address: dotted IPv4 or IPv6. */
export function isAddress(text: string): boolean {
  return parseAddress(text) !== undefined;
}

/** The network whose holder is one caller: the IPv4 address itself, or the IPv6 /64; a mapped address counts as IPv4. */
export function callerNetwork(text: string): string {
  const ip = parseCaller(text);
  if (!ip) return 'unknown';
  return isIpv6(ip) ? networkOf(ip, 64) : ip.toString();
}

/** The larger network of an IPv6 caller, such as "2001:db8:1::/48"; undefined for IPv4, mapped or not, and for what is no address. */
export function widerNetwork(text: string, prefix: number): string | undefined {
  const ip = parseCaller(text);
  return ip && isIpv6(ip) ? networkOf(ip, prefix) : undefined;
}

function parseCaller(text: string): Ip | undefined {
  const ip = parseAddress(text.replace(/%.*$/, ''));
  return ip && isIpv6(ip) && ip.isIPv4MappedAddress() ? ip.toIPv4Address() : ip;
}

function networkOf(ip: ipaddr.IPv6, prefix: number): string {
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${ip.toString()}/${prefix}`).toString()}/${prefix}`;
}

/** Parses "10.0.0.0/8", "2001:db8::/32" or a lone address. Throws an Error that quotes the text otherwise. */
export function parseCidr(text: string): Cidr {
  const [address = '', prefix] = text.split('/');
  const ip = parseAddress(address);
  const bits = ip?.kind() === 'ipv4' ? 32 : 128;
  const length = prefix === undefined ? bits : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN;
  if (!ip || !(length <= bits)) throw new Error(`"${text}" is not an address or CIDR block`);
  return [ip, length];
}

/** True when the address lies in one of the blocks. */
export function isInCidrs(text: string, cidrs: readonly Cidr[]): boolean {
  const ip = parseAddress(text);
  return ip !== undefined && cidrs.some((cidr) => contains(cidr, ip));
}

function parseAddress(text: string): Ip | undefined {
  // ipaddr.js also reads "127.1" and zone ids; neither is a form that we accept.
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  if (text.includes('%') || !ipaddr.IPv6.isValid(text)) return undefined;
  return ipaddr.IPv6.parse(text);
}

function classifyIpv6(ip: Ip): string | undefined {
  return contains(globalIpv6, ip) ? firstMatch(refusedIpv6, ip) : `not-global-ipv6`;
}

function firstMatch(blocks: readonly (readonly [string, Cidr])[], ip: Ip): string | undefined {
  return blocks.find(([, cidr]) => contains(cidr, ip))?.[0];
}

function contains([network, length]: Cidr, ip: Ip): boolean {
  if (isIpv6(network)) return isIpv6(ip) && ip.match(network, length);
  return !isIpv6(ip) && ip.match(network, length);
}

function isIpv6(ip: Ip): ip is ipaddr.IPv6 {
  return ip.kind() === 'ipv6';
}

function named(blocks: readonly (readonly [string, string])[]): readonly (readonly [string, Cidr])[] {
  return blocks.map(([rule, text]) => [rule, parseCidr(text)]);
}
