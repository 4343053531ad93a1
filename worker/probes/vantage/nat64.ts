import ipaddr from 'ipaddr.js';
import { isAddress } from '#shared/targets/classify-address';

/** The name whose addresses tell the prefix of a NAT64, and its only addresses (RFC 7050 §2.2). */
export const ipv4OnlyName = 'ipv4only.arpa';
const ipv4OnlyAddresses = ['192.0.0.170', '192.0.0.171'];

/** A prefix lengths that RFC 6052 §2.2 knows, the longest first: an address may fit two. */
const lengths = [96, 64, 56, 48, 40, 32];
/** The octet that stays zero. */
const skipped = 8;

/** Where the octets of the IPv4 address stand behind a prefix (RFC 6052 §2.2). */
function placesOf(length: number): readonly number[] {
  const start = length / 8;
  return Array.from({ length: 16 - start }, (_, index) => start + index)
    .filter((place) => place !== skipped)
    .slice(0, 4);
}

function octetsOf(address: string): readonly number[] {
  return isAddress(address) ? ipaddr.parse(address).toByteArray() : [];
}

/** The prefixes in addresses of the name that has only IPv4: "64:ff9b::/96". */
export function readPrefixes(addresses: readonly string[]): readonly string[] {
  const found = addresses.flatMap((address) => {
    const octets = octetsOf(address);
    if (octets.length !== 16) return [];
    const length = lengths.find((one) => ipv4OnlyAddresses.includes(inside(octets, one)));
    if (length === undefined) return [];
    const places = placesOf(length);
    const prefix = octets.map((octet, at) => (at < length / 8 && !places.includes(at) ? octet : 0));
    return [`${ipaddr.fromByteArray([...prefix]).toString()}/${length}`];
  });
  return [...new Set(found)];
}

function inside(octets: readonly number[], length: number): string {
  return placesOf(length)
    .map((place) => octets[place])
    .join('.');
}

/** The IPv4 address inside one that a NAT64 translates; undefined for any other address. */
export function ipv4Inside(address: string, prefixes: readonly string[]): string | undefined {
  if (prefixes.length === 0 || !address.includes(':')) return undefined;
  const octets = octetsOf(address);
  for (const prefix of prefixes) {
    const [start = '', bits = '96'] = prefix.split('/');
    const length = Number(bits);
    const isBelow = octetsOf(start)
      .slice(0, length / 8)
      .every((octet, at) => octets[at] === octet);
    if (octets.length === 16 && isBelow) return inside(octets, length);
  }
  return undefined;
}

/** The address by which a NAT64 is asked for one of IPv4. */
export function throughNat64(address: string, prefix: string): string {
  const [start = '', bits = '96'] = prefix.split('/');
  const octets = [...octetsOf(start)];
  for (const [index, place] of placesOf(Number(bits)).entries())
    octets[place] = octetsOf(address)[index] ?? 0;
  return ipaddr.fromByteArray(octets).toString();
}
