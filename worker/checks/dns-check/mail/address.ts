import ipaddr from 'ipaddr.js';
import { classifyAddress } from '#shared/targets/classify-address';
import { reverseLabelsOf } from '../reverse-labels.ts';

const nobody = { allow: [], deny: [] };

// Blocks that the world cannot reach, but that stand in examples and labs on purpose.
const harmless = ['documentation', 'benchmarking'];

/** What kind of space an address or network lies in, where no stranger can reach it ("private", "loopback", …); null for public ones. */
export function privateKindOf(address: string): string | null {
  const verdict = classifyAddress(address, nobody);
  if (verdict.kind === 'public' || harmless.includes(verdict.rule)) return null;
  return verdict.rule === 'not-global-ipv6' ? 'non-global IPv6' : verdict.rule.replaceAll('-', ' ');
}

/** The name whose PTR record names an address (RFC 1035 §3.5, RFC 3596 §2.5); null for a text that is no address. */
export function reverseNameOf(address: string): string | null {
  const labels = reverseLabelsOf(address);
  return labels === null ? null : `${labels}.${ipaddr.IPv4.isValid(address) ? 'in-addr' : 'ip6'}.arpa`;
}

/** One text for equal addresses: IPv6 in its short form. */
export function normalizeAddress(address: string): string {
  return ipaddr.isValid(address) ? ipaddr.parse(address).toString() : address;
}

/** True when all of the inner network lies in the outer one; both as address and prefix length. */
export function containsNetwork(outer: Network, inner: Network): boolean {
  if (outer.prefix > inner.prefix) return false;
  const [a, b] = [ipaddr.parse(outer.address), ipaddr.parse(inner.address)];
  return a.kind() === b.kind() && b.match(a, outer.prefix);
}

export type Network = { readonly address: string; readonly prefix: number };
