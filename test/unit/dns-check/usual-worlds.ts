import type { DnsRecord } from '../../../worker/probes/dns/port.ts';
import { type Change, goodWorld } from './good-world.ts';
import type { World } from './world.ts';
import { readZone } from './zone-file.ts';

/** Zones of others, as text by name. */
type Zones = { readonly [zone: string]: readonly string[] };

const soa = '@ 3600 SOA ns.invalid hostmaster.invalid 1 14400 3600 1209600 3600';

/** A small Internet with more zones in it. */
export function worldWith(change: Change, zones: Zones): World {
  // One address of each name server but the first: the numbers of questions are compared with those of before.
  const single = ['ns2.good.test 3600 AAAA'];
  const world = goodWorld({
    ...change,
    without: [...(change.without ?? []), ...single],
    parentWithout: [...(change.parentWithout ?? []), ...single],
  });
  const more = Object.entries(zones).map(([zone, lines]): readonly [string, readonly DnsRecord[]] => [
    zone,
    readZone(zone, [soa, ...lines].join('\n')),
  ]);
  return { ...world, zones: new Map([...world.zones, ...more]) };
}

const without = ['@ 3600 MX', '@ 3600 TXT'];
const plain = { signed: false, without } as const;

const googleHosts = ['aspmx.l', 'alt1.aspmx.l', 'alt2.aspmx.l', 'alt3.aspmx.l', 'alt4.aspmx.l'];
const google: Zones = {
  'google.com': [
    ...googleHosts.flatMap((host, at) => [
      `${host}.google.com 300 A 142.250.${at}.26`,
      `${host}.google.com 300 AAAA 2a00:1450:400c:c0${at}::1b`,
    ]),
    '_spf.google.com 300 TXT v=spf1 include:_netblocks.google.com include:_netblocks2.google.com include:_netblocks3.google.com ~all',
    '_netblocks.google.com 300 TXT v=spf1 ip4:142.250.0.0/15 ~all',
    '_netblocks2.google.com 300 TXT v=spf1 ip6:2a00:1450:4000::/36 ~all',
    '_netblocks3.google.com 300 TXT v=spf1 ip4:172.217.0.0/19 ~all',
  ],
  'in-addr.arpa': googleHosts.map((_, at) => `26.${at}.250.142.in-addr.arpa 300 PTR w${at}-in-f26.1e100.net`),
  '1e100.net': googleHosts.map((_, at) => `w${at}-in-f26.1e100.net 300 A 142.250.${at}.26`),
};

const microsoft: Zones = {
  'outlook.com': [
    ...[1, 2, 3, 4].map((at) => `good-test.mail.protection.outlook.com 10 A 52.101.8.${at}`),
    'spf.protection.outlook.com 300 TXT v=spf1 ip4:40.92.0.0/15 ip4:52.100.0.0/15 ~all',
    'autodiscover.outlook.com 300 A 52.96.0.8',
  ],
  'onmicrosoft.com': ['selector1-good-test._domainkey.goodtest.onmicrosoft.com 300 TXT v=DKIM1;k=rsa;p=AAAA'],
  'in-addr.arpa': [1, 2, 3, 4].map(
    (at) => `${at}.8.101.52.in-addr.arpa 300 PTR mail-a${at}.inbound.protection.outlook.com`,
  ),
};

const cloudflareHosts = ['route1', 'route2', 'route3'];
const cloudflareServers = ['ada', 'bob'];
const cloudflare: Zones = {
  'cloudflare.net': cloudflareHosts.flatMap((host, at) => [
    `${host}.mx.cloudflare.net 300 A 162.159.205.${at}`,
    `${host}.mx.cloudflare.net 300 AAAA 2606:4700:f5::${at}`,
    `_spf.mx.cloudflare.net 300 TXT v=spf1 ip4:104.30.0.0/20 ~all`,
  ]),
  'cloudflare.com': cloudflareServers.flatMap((host, at) =>
    [1, 2, 3].flatMap((part) => [
      `${host}.ns.cloudflare.com 300 A 172.64.${at}.${part}`,
      `${host}.ns.cloudflare.com 300 AAAA 2606:4700:50::${at}${part}`,
    ]),
  ),
};

const sixServers = ['a', 'b', 'c', 'd', 'e', 'f'];
const sixLines = sixServers.map((server) => `@ 3600 NS ${server}.ns.other.test`);

type UsualWorld = { readonly name: string; readonly world: World };

/** Domains as the large providers set them up, each with as many hosts and servers as they have. */
export const usualWorlds: readonly UsualWorld[] = [
  { name: 'its own mail host', world: worldWith({}, {}) },
  {
    name: 'Google Workspace',
    world: worldWith(
      {
        ...plain,
        add: [
          ...googleHosts.map((host, at) => `@ 3600 MX ${at + 1} ${host}.google.com`),
          '@ 3600 TXT v=spf1 include:_spf.google.com ~all',
        ],
      },
      google,
    ),
  },
  {
    name: 'Microsoft 365',
    world: worldWith(
      {
        ...plain,
        add: [
          '@ 3600 MX 0 good-test.mail.protection.outlook.com',
          '@ 3600 TXT v=spf1 include:spf.protection.outlook.com -all',
          'selector1._domainkey.good.test 3600 CNAME selector1-good-test._domainkey.goodtest.onmicrosoft.com',
        ],
      },
      microsoft,
    ),
  },
  {
    name: 'Cloudflare',
    world: worldWith(
      {
        signed: false,
        without: [...without, '@ 3600 NS'],
        parentWithout: ['good.test 3600 NS'],
        parentAdd: cloudflareServers.map((host) => `good.test 3600 NS ${host}.ns.cloudflare.com`),
        add: [
          ...cloudflareServers.map((host) => `@ 3600 NS ${host}.ns.cloudflare.com`),
          ...cloudflareHosts.map((host, at) => `@ 3600 MX ${at + 1} ${host}.mx.cloudflare.net`),
          '@ 3600 TXT v=spf1 include:_spf.mx.cloudflare.net ~all',
        ],
        servers: Object.fromEntries(
          cloudflareServers.flatMap((_, at) =>
            [1, 2, 3].flatMap((part) => [
              [`172.64.${at}.${part}`, {}] as const,
              [`2606:4700:50::${at}${part}`, {}] as const,
            ]),
          ),
        ),
      },
      cloudflare,
    ),
  },
  {
    name: 'six name servers of one provider',
    world: worldWith(
      {
        signed: false,
        without: ['@ 3600 NS'],
        parentWithout: ['good.test 3600 NS'],
        parentAdd: sixLines.map((line) => line.replace('@', 'good.test')),
        add: sixLines,
        servers: Object.fromEntries(
          sixServers.flatMap((_, at) => [
            [`203.0.113.${100 + at}`, {}] as const,
            [`2001:db8:53::${at}`, {}] as const,
          ]),
        ),
      },
      {
        'ns.other.test': sixServers.flatMap((server, at) => [
          `${server}.ns.other.test 3600 A 203.0.113.${100 + at}`,
          `${server}.ns.other.test 3600 AAAA 2001:db8:53::${at}`,
        ]),
      },
    ),
  },
];

const hostileTerms = Array.from({ length: 200 }, (_, at) => `a:h${at}.victim.example.com`).join(' ');
const servers = Array.from({ length: 13 }, (_, at) => at);

/** A domain that names one victim wherever a record can: 200 terms of its SPF, its mail hosts, its name servers and their addresses. */
export const hostileWorld: World = worldWith(
  {
    signed: false,
    without: [...without, '@ 3600 NS'],
    parentWithout: ['good.test 3600 NS'],
    parentAdd: servers.map((at) => `good.test 3600 NS n${at}.good.test`),
    add: [
      `@ 3600 TXT v=spf1 ${hostileTerms} -all`,
      ...servers.map((at) => `@ 3600 NS n${at}.good.test`),
      ...Array.from({ length: 20 }, (_, at) => `@ 3600 MX ${at} m${at}.victim.example.com`),
      ...servers.flatMap((at) => [
        `n${at}.good.test 3600 A 8.8.${at}.1`,
        `n${at}.good.test 3600 A 8.8.${at}.2`,
      ]),
    ],
    servers: {},
  },
  {},
);
