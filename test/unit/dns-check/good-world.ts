import type { DnsRecord } from '../../../worker/probes/dns/port.ts';
import { type Hashing, withNsec, withNsec3 } from './deny.ts';
import { dsLine, keyLine, makeKey, type SigningKey, signZone } from './sign-zone.ts';
import type { ServerManner, World } from './world.ts';
import { readZone } from './zone-file.ts';

/** What a test changes of a domain in which everything is well. Lines are added; `without` drops those that begin so. */
export type Change = {
  readonly add?: readonly string[];
  readonly without?: readonly string[];
  /** Lines of the parent zone "test", its delegation of the domain first of all. */
  readonly parentAdd?: readonly string[];
  readonly parentWithout?: readonly string[];
  readonly servers?: { readonly [address: string]: Partial<ServerManner> };
  readonly resolver?: Partial<World['resolver']>;
  /** Off: no keys, no signatures, no DS. */
  readonly signed?: boolean;
  /** Seconds from now. */
  readonly signatures?: { readonly fromS: number; readonly untilS: number };
  /** Changes the records after they were signed. */
  readonly afterSigning?: (records: readonly DnsRecord[]) => readonly DnsRecord[];
  /** Denies names by NSEC3 instead of NSEC. */
  readonly nsec3?: Hashing;
  /** Lines of the zone that its denial knows nothing of. */
  readonly chainWithout?: readonly string[];
  /** Drops or replaces the key-signing key's DS. */
  readonly ds?: readonly string[];
  readonly rttMs?: number;
  readonly truncates?: boolean;
  /** Which key signs CDS and CDNSKEY; the key-signing key when left out. */
  readonly cdsSigner?: 'zone';
  readonly transfers?: boolean;
  /** Lines of the zone "as.test", whose names below "origin" and "origin6" tell the origin of addresses. */
  readonly origins?: readonly string[];
};

const day = 86_400;

/** Keys of every good.test, made once. */
export const keySigning: SigningKey = makeKey(257);
const zoneSigning: SigningKey = makeKey(256);

const child = [
  '@ 3600 SOA ns1.good.test hostmaster.good.test 2026112101 14400 3600 1209600 3600',
  '@ 3600 NS ns1.good.test',
  '@ 3600 NS ns2.good.test',
  '@ 3600 NS ns.other.test',
  'ns1.good.test 3600 A 192.0.2.1',
  'ns1.good.test 3600 AAAA 2001:db8:1::1',
  'ns2.good.test 3600 A 198.51.100.1',
  'ns2.good.test 3600 AAAA 2001:db8:2::1',
  '@ 3600 A 192.0.2.80',
  '@ 3600 AAAA 2001:db8:80::1',
  '@ 3600 MX 10 mail.good.test',
  'mail.good.test 3600 A 192.0.2.25',
  '@ 3600 TXT v=spf1 mx -all',
  '@ 3600 CAA 0 issue ca.example',
  '@ 3600 HTTPS {"priority": 1, "target": "", "params": {"alpn": ["h2"]}}',
  'www.good.test 3600 CNAME good.test',
];

const parent = [
  '@ 3600 SOA ns.test hostmaster.ns.test 1 14400 3600 1209600 3600',
  '@ 3600 NS ns.test',
  'ns.test 3600 A 203.0.113.1',
  'good.test 3600 NS ns1.good.test',
  'good.test 3600 NS ns2.good.test',
  'good.test 3600 NS ns.other.test',
  'ns1.good.test 3600 A 192.0.2.1',
  'ns1.good.test 3600 AAAA 2001:db8:1::1',
  'ns2.good.test 3600 A 198.51.100.1',
  'ns2.good.test 3600 AAAA 2001:db8:2::1',
];

const others = {
  '': [
    '. 3600 SOA a.root-servers.net nstld.example.test 1 1800 900 604800 86400',
    '. 3600 NS a.root-servers.net',
  ],
  'other.test': [
    '@ 3600 SOA ns.other.test hostmaster.other.test 1 14400 3600 1209600 3600',
    '@ 3600 NS ns.other.test',
    'ns.other.test 3600 A 203.0.113.53',
    'host.other.test 3600 A 203.0.113.80',
  ],
};

/** A small Internet with good.test in it: signed, three name servers in three networks, CAA; a perfect score, but for the change. */
export function goodWorld(change: Change = {}): World {
  const signed = change.signed !== false;
  const ds = signed ? (change.ds ?? [dsLine('good.test', keySigning)]) : [];
  const parentLines = edit(parent, {
    add: [...ds, ...(change.parentAdd ?? [])],
    without: change.parentWithout,
  });
  const servers: { readonly [address: string]: ServerManner } = {
    '192.0.2.1': { zones: ['good.test'] },
    '2001:db8:1::1': { zones: ['good.test'] },
    '198.51.100.1': { zones: ['good.test'] },
    '2001:db8:2::1': { zones: ['good.test'] },
    '203.0.113.53': { zones: ['good.test', 'other.test'] },
    '203.0.113.1': { zones: ['test'] },
  };
  const all = Object.keys({ ...servers, ...change.servers });
  return {
    zones: new Map([
      ...Object.entries(others).map(([zone, lines]) => [zone, readZone(zone, lines.join('\n'))] as const),
      ['test', readZone('test', parentLines.join('\n'))] as const,
      ['good.test', signedChild(change, signed)] as const,
      ...(change.origins ? ([originZone(change.origins)] as const) : []),
    ]),
    servers: new Map(
      all.map((address) => [
        address,
        { ...(servers[address] ?? { zones: ['good.test'] }), ...change.servers?.[address] },
      ]),
    ),
    transfers: change.transfers ?? false,
    truncates: change.truncates,
    originZones: change.origins && { ipv4: 'origin.as.test', ipv6: 'origin6.as.test' },
    resolver: { validates: true, ...change.resolver },
    ...(change.rttMs === undefined ? {} : { rttMs: change.rttMs }),
  };
}

function originZone(lines: readonly string[]): readonly [string, readonly DnsRecord[]] {
  const soa = '@ 3600 SOA ns.as.test hostmaster.as.test 1 14400 3600 1209600 3600';
  return ['as.test', readZone('as.test', [soa, ...lines].join('\n'))];
}

function signedChild(change: Change, signed: boolean): readonly DnsRecord[] {
  const keys = signed ? [keyLine(keySigning), keyLine(zoneSigning)] : [];
  const lines = edit(child, { add: [...keys, ...(change.add ?? [])], without: change.without });
  const records = readZone('good.test', lines.join('\n'));
  if (!signed) return records;
  const nowS = Math.floor(Date.now() / 1000);
  const { fromS, untilS } = change.signatures ?? { fromS: -day, untilS: 14 * day };
  const known = readZone('good.test', edit(lines, { without: change.chainWithout }).join('\n'));
  const chain = change.nsec3 ? withNsec3('good.test', known, change.nsec3) : withNsec(known);
  const chained = [...records, ...chain.slice(known.length)];
  const done = signZone('good.test', chained, [keySigning, zoneSigning], {
    keySigned: change.cdsSigner === 'zone' ? ['DNSKEY'] : ['DNSKEY', 'CDS', 'CDNSKEY'],
    fromS: nowS + fromS,
    untilS: nowS + untilS,
  });
  return change.afterSigning ? change.afterSigning(done) : done;
}

function edit(
  lines: readonly string[],
  { add = [], without = [] }: { add?: readonly string[]; without?: readonly string[] | undefined },
): readonly string[] {
  return [...lines.filter((line) => !without.some((start) => line.startsWith(start))), ...add];
}
