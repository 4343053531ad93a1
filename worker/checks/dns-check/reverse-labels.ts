import ipaddr from 'ipaddr.js';

/** The labels of an address in reverse: octets of IPv4, nibbles of IPv6 (RFC 1035 §3.5, RFC 3596 §2.5); null for a text that is no address. */
export function reverseLabelsOf(address: string): string | null {
  if (!ipaddr.isValid(address)) return null;
  const ip = ipaddr.parse(address);
  const bytes = ip.toByteArray();
  if (ip.kind() === 'ipv4') return bytes.toReversed().join('.');
  const nibbles = bytes.flatMap((byte) => [byte >> 4, byte & 15]);
  return nibbles
    .toReversed()
    .map((nibble) => nibble.toString(16))
    .join('.');
}
