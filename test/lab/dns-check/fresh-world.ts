import type { DnsRecord } from '../../../worker/probes/dns/port.ts';
import { withNsec, withNsec3 } from '../../unit/dns-check/deny.ts';
import { dsLine, keyLine, makeKey, type SigningKey, signZone } from '../../unit/dns-check/sign-zone.ts';
import type { ServerManner, World } from '../../unit/dns-check/world.ts';
import { readZone } from '../../unit/dns-check/zone-file.ts';

/** What a row changes of a.test, in which everything is well. Lines are added; `without` drops those that begin so. */
export type Setup = {
  readonly add?: readonly string[];
  readonly without?: readonly string[];
  readonly parentAdd?: readonly string[];
  readonly parentWithout?: readonly string[];
  /** Lines of other zones, by zone. */
  readonly others?: { readonly [zone: string]: readonly string[] };
  readonly servers?: { readonly [address: string]: Partial<ServerManner> };
  readonly resolver?: Partial<World['resolver']>;
  /** Signed with keys that no DS vouches for, or one does. */
  readonly signed?: 'with DS' | 'without DS';
  readonly nsec3?: boolean;
  readonly signatures?: { readonly fromS: number; readonly untilS: number };
  readonly afterSigning?: (records: readonly DnsRecord[]) => readonly DnsRecord[];
  readonly keySigned?: readonly string[];
};

export const resolver = '127.77.0.53';
export const addresses = {
  parent: '127.77.0.2',
  ns1: '127.77.1.1',
  ns2: '127.77.2.1',
  ns3: '127.77.3.1',
} as const;

const day = 86_400;
export const keySigning: SigningKey = makeKey(257);
export const zoneSigning: SigningKey = makeKey(256);

const child = [
  '@ 3600 SOA ns1.a.test hostmaster.a.test 1 14400 3600 1209600 3600',
  '@ 3600 NS ns1.a.test',
  '@ 3600 NS ns2.a.test',
  `ns1.a.test 3600 A ${addresses.ns1}`,
  `ns2.a.test 3600 A ${addresses.ns2}`,
  '@ 3600 A 192.0.2.80',
  '@ 3600 MX 10 mail.a.test',
  'mail.a.test 3600 A 198.41.0.25',
  '@ 3600 TXT v=spf1 mx -all',
  '_dmarc.a.test 3600 TXT v=DMARC1; p=reject; rua=mailto:dmarc@a.test',
  'one._domainkey.a.test 3600 TXT v=DKIM1; p=',
  '@ 3600 CAA 0 issue ca.example',
  'www.a.test 3600 CNAME a.test',
];

const parent = [
  '@ 3600 SOA ns.test hostmaster.a.test 1 14400 3600 1209600 3600',
  '@ 3600 NS ns.test',
  `ns.test 3600 A ${addresses.parent}`,
  'a.test 3600 NS ns1.a.test',
  'a.test 3600 NS ns2.a.test',
  `ns1.a.test 3600 A ${addresses.ns1}`,
  `ns2.a.test 3600 A ${addresses.ns2}`,
];

const others: { readonly [zone: string]: readonly string[] } = {
  '': ['. 3600 SOA a.root-servers.net nstld.example 1 1800 900 604800 86400', '. 3600 NS a.root-servers.net'],
  arpa: [
    '@ 3600 SOA ns.test hostmaster.a.test 1 1800 900 604800 86400',
    '25.0.41.198.in-addr.arpa 3600 PTR mail.a.test',
  ],
};

/** The world of a row. */
export function worldOf(setup: Setup): World {
  const ds = setup.signed === 'with DS' ? [dsLine('a.test', keySigning)] : [];
  const manners: { readonly [address: string]: ServerManner } = {
    [addresses.parent]: { zones: ['test'] },
    [addresses.ns1]: { zones: ['a.test'] },
    [addresses.ns2]: { zones: ['a.test'] },
  };
  const all = Object.keys({ ...manners, ...setup.servers });
  const zones = { ...others, ...setup.others };
  return {
    zones: new Map([
      ...Object.entries(zones).map(([zone, lines]) => [zone, readZone(zone, lines.join('\n'))] as const),
      [
        'test',
        readZone('test', edit([...parent, ...ds], setup.parentWithout, setup.parentAdd).join('\n')),
      ] as const,
      ['a.test', childOf(setup)] as const,
    ]),
    servers: new Map(
      all.map((address) => [
        address,
        { ...(manners[address] ?? { zones: ['a.test'] }), ...setup.servers?.[address] },
      ]),
    ),
    resolver: { validates: true, ...setup.resolver },
  };
}

function childOf(setup: Setup): readonly DnsRecord[] {
  const keys = setup.signed ? [keyLine(keySigning), keyLine(zoneSigning)] : [];
  const records = readZone('a.test', edit([...child, ...keys], setup.without, setup.add).join('\n'));
  if (!setup.signed) return records;
  const nowS = Math.floor(Date.now() / 1000);
  const { fromS, untilS } = setup.signatures ?? { fromS: -day, untilS: 14 * day };
  const chained = setup.nsec3 ? withNsec3('a.test', records, {}) : withNsec(records);
  const signed = signZone('a.test', chained, [keySigning, zoneSigning], {
    keySigned: setup.keySigned ?? ['DNSKEY', 'CDS', 'CDNSKEY'],
    fromS: nowS + fromS,
    untilS: nowS + untilS,
  });
  return setup.afterSigning ? setup.afterSigning(signed) : signed;
}

function edit(
  lines: readonly string[],
  without: readonly string[] = [],
  add: readonly string[] = [],
): readonly string[] {
  return [...lines.filter((line) => !without.some((start) => line.startsWith(start))), ...add];
}
