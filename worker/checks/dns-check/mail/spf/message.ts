import ipaddr from 'ipaddr.js';
import { reverseLabelsOf } from '../../reverse-labels.ts';
import type { MacroValues } from './expand-domain.ts';

/** A message whose sender is asked about. */
export type SpfMessage = { readonly ip: string; readonly sender: string; readonly helo: string };

/** A message as check_host() reads it (RFC 7208 §4.1): IPv4 in IPv6 is IPv4, and a sender has a local part. */
export type ReadMessage = {
  readonly ip: ipaddr.IPv4 | ipaddr.IPv6;
  /** The domain that is asked for its policy, as it was written. */
  readonly domain: string;
  readonly values: MacroValues;
};

/** Reads a message; texts become octets, each one character, as the DNS has them. */
export function readMessage({ ip, sender, helo }: SpfMessage): ReadMessage {
  const parsed = ipaddr.process(ip);
  const written = toOctets(sender === '' ? helo : sender);
  const at = written.lastIndexOf('@');
  const domain = written.slice(at + 1);
  const local = at > 0 ? written.slice(0, at) : 'postmaster';
  const isIpv4 = parsed.kind() === 'ipv4';
  return {
    ip: parsed,
    domain,
    values: {
      s: `${local}@${domain}`,
      l: local,
      o: domain,
      h: toOctets(helo),
      i: isIpv4 ? parsed.toString() : dotted(parsed),
      c: parsed.toString(),
      v: isIpv4 ? 'in-addr' : 'ip6',
      // The receiver, and when: what is asked here has neither.
      r: 'unknown',
      t: '0',
    },
  };
}

function toOctets(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

// Every half octet of an IPv6 address, with dots between them (RFC 7208 §7.3).
function dotted(ip: ipaddr.IPv4 | ipaddr.IPv6): string {
  return (reverseLabelsOf(ip.toString()) ?? '').split('.').toReversed().join('.');
}

/** True for a name that a policy can be asked for (RFC 7208 §4.3): labels of 1 to 63 octets, at least two of them. */
export function isPolicyDomain(domain: string): boolean {
  const labels = domain.replace(/\.$/, '').split('.');
  return labels.length > 1 && domain.length <= 254 && labels.every(({ length }) => length > 0 && length < 64);
}
