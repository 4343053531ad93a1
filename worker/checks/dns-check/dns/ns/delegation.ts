import ipaddr from 'ipaddr.js';
import { isInZone } from '../../../../dns/name.ts';
import { foundRecords, readAnswer, recordsAt } from '../../../../dns/read-answer.ts';
import { readAll, readText } from '../../../../dns/record-values.ts';
import type { HostAnswers } from '../evidence.ts';
import type { DnsFacts } from '../facts.ts';
import { addressesOf, delegatedNames } from '../servers/addresses.ts';

/** Who the name servers are, by the parent and by the zone itself; null where nobody said. Names sorted. */
export type Delegation = {
  readonly parent: readonly string[] | null;
  /** False where the parent's servers hold the zone themselves: what they say is then the zone's own word. */
  readonly isReferred: boolean;
  readonly child: readonly string[] | null;
  readonly all: readonly string[];
};

/** Compares what parent and child say (RFC 1034 §4.2.2). The child's word is that of its own servers; the resolver's where none of them spoke. */
export function readDelegation({ evidence, domain, authoritative, apex }: DnsFacts): Delegation {
  const delegated = delegatedNames(evidence.referrals, domain);
  const own = authoritative.flatMap(({ nsNames }) => nsNames ?? []);
  const resolved = readAll(foundRecords(apex.NS), readText);
  const parent = delegated.length > 0 ? sorted(delegated) : null;
  const child = own.length > 0 ? sorted(own) : resolved.length > 0 ? sorted(resolved) : null;
  const isReferred = evidence.referrals.some(
    (answer) => answer.kind === 'answer' && recordsAt(answer.authority, domain, 'NS').length > 0,
  );
  return { parent, isReferred, child, all: sorted([...delegated, ...own, ...resolved]) };
}

/** The addresses that the parent gives for a name server; only one inside the domain cannot do without. */
export type Glue = {
  readonly server: string;
  readonly addresses: readonly string[];
  readonly isInside: boolean;
};

/**
 * The glue of the parent's referrals (RFC 9471), for each name server inside the domain, and for others that the parent gives addresses of.
 * @returns null when the parent's servers gave no referral: they do not answer, or serve the zone themselves
 */
export function readGlue({ evidence, domain }: DnsFacts): readonly Glue[] | null {
  const referrals = evidence.referrals.flatMap((answer) =>
    answer.kind === 'answer' && recordsAt(answer.authority, domain, 'NS').length > 0 ? [answer] : [],
  );
  if (referrals.length === 0) return null;
  const names = sorted(
    referrals.flatMap(({ authority }) => readAll(recordsAt(authority, domain, 'NS'), readText)),
  );
  return names
    .map((server) => ({
      server,
      isInside: isInZone(server, domain),
      addresses: sorted(
        referrals.flatMap(({ additional }) =>
          ['A', 'AAAA'].flatMap((type) => readAll(recordsAt(additional, server, type), readText)),
        ),
      ),
    }))
    .filter(({ isInside, addresses }) => isInside || addresses.length > 0);
}

/** Addresses of all name servers, and whether every lookup of them was answered. */
export function allAddresses(hosts: readonly HostAnswers[]): {
  readonly addresses: readonly string[];
  readonly isWhole: boolean;
} {
  const isWhole = hosts.every(({ A, AAAA }) =>
    [A, AAAA].every((answer) => readAnswer(answer).state !== 'unknown'),
  );
  return { addresses: sorted(hosts.flatMap(addressesOf)), isWhole };
}

/** The network that is taken for one place: /24 of IPv4, /48 of IPv6. Undefined for text that is no address. */
export function prefixOf(address: string): string | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(address))
    return `${ipaddr.IPv4.networkAddressFromCIDR(`${address}/24`).toString()}/24`;
  if (address.includes('%') || !ipaddr.IPv6.isValid(address)) return undefined;
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/48`).toString()}/48`;
}

/** Each once, in order. */
export function sorted(names: readonly string[]): readonly string[] {
  return [...new Set(names)].toSorted();
}

/** The value met most often; of several the first. */
export function mostFrequent(values: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? '';
}
