import { generateKeyPairSync } from 'node:crypto';
import { type Apex, upperZones, webAddress, zoneOf } from '../test/lab/domain-health/domains.ts';
import type { Zones } from '../test/lab/domain-health/name-servers.ts';
import type { Records } from '../test/lab/domain-health/zone-data.ts';
import type { Zone } from '../test/lab/kit/dns-server.ts';

/** Where http alone is served: a connection for https is refused there. */
export const plainAddress = '127.0.0.2';

/** Where mail hosts of the demo really answer. */
export const mailAddresses = { sealed: '127.0.0.3', postcard: '127.0.0.4' } as const;

/** Of the blocks for documentation: no mail host on loopback could be reached by the world, and nobody connects to these. */
const mailHosts = {
  'mx1.good.test': { A: ['192.0.2.25'], AAAA: ['2001:db8::25'] },
  'mx2.good.test': { A: ['198.51.100.25'] },
} as const;
const backwards = {
  ...zoneOf('192.in-addr.arpa', {}, { '25.2.0.192.in-addr.arpa': { PTR: ['mx1.good.test'] } }),
  ...zoneOf('198.in-addr.arpa', {}, { '25.100.51.198.in-addr.arpa': { PTR: ['mx2.good.test'] } }),
  ...zoneOf(
    '8.b.d.0.1.0.0.2.ip6.arpa',
    {},
    { [`5.2.${'0.'.repeat(22)}8.b.d.0.1.0.0.2.ip6.arpa`]: { PTR: ['mx1.good.test'] } },
  ),
};

const reports = 'mailto:reports@good.test';

/** All there is in the DNS of the demo: the root, "test", and a zone with two name servers for every domain. */
export function makeZones(): Zones {
  return {
    ...upperZones,
    ...backwards,
    ...zoneOf('good.test', goodApex, goodNames()),
    ...withSite('plain.test', plainAddress),
    ...withSite('downgrade.test', webAddress),
    ...withSite('loop.test', plainAddress),
    ...withSite('long.test', plainAddress),
    ...withSite('expired.test', webAddress),
    ...withSite('slow.test', plainAddress),
    ...withSite('bomb.test', plainAddress),
    ...withSite('inside.test', plainAddress),
    ...withSite('private.test', '10.0.0.1'),
    ...withMail('sealed.test', mailAddresses.sealed),
    ...withMail('postcard.test', mailAddresses.postcard),
    ...zoneOf('spoofed.test', {
      MX: [{ preference: 10, exchange: 'mx1.good.test' }],
      TXT: ['v=spf1 +all'],
    }),
  };
}

/** The same records for a single name server, which knows nothing of zones. */
export function flatten(zones: Zones): Zone {
  return Object.fromEntries(
    Object.values(zones).flatMap((records) =>
      Object.entries(records).map(([name, types]) => [name, everywhereAt(types, webAddress)]),
    ),
  );
}

// The machine has no second address of loopback to serve http alone at.
function everywhereAt(types: Apex, address: string): Apex {
  return JSON.stringify(types['A']) === JSON.stringify([plainAddress]) ? { ...types, A: [address] } : types;
}

const goodApex: Apex = {
  A: [webAddress],
  MX: [
    { preference: 10, exchange: 'mx1.good.test' },
    { preference: 20, exchange: 'mx2.good.test' },
  ],
  TXT: ['v=spf1 mx -all'],
  CAA: [
    { flags: 0, tag: 'issue', value: 'ca.test' },
    { flags: 0, tag: 'iodef', value: reports },
  ],
};

function goodNames(): Records {
  return {
    'www.good.test': { A: [webAddress] },
    ...mailHosts,
    'mta-sts.good.test': { A: [webAddress] },
    '_mta-sts.good.test': { TXT: ['v=STSv1; id=20261121'] },
    '_smtp._tls.good.test': { TXT: [`v=TLSRPTv1; rua=${reports}`] },
    '_dmarc.good.test': { TXT: [`v=DMARC1; p=reject; rua=${reports}`] },
    'default._domainkey.good.test': { TXT: [makeDkimRecord()] },
  };
}

/** A key as a mail host would publish it, in the strings of at most 255 characters that a TXT record is made of. */
function makeDkimRecord(): readonly string[] {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
  return `v=DKIM1; k=rsa; p=${key}`.match(/.{1,255}/g) ?? [];
}

/** A domain with one mail host. */
function withMail(domain: string, address: string): Zones {
  const host = `mx.${domain}`;
  return zoneOf(domain, { MX: [{ preference: 10, exchange: host }] }, { [host]: { A: [address] } });
}

/** A domain with a site and, as it says itself, no mail. */
function withSite(domain: string, address: string): Zones {
  return zoneOf(
    domain,
    { A: [address], MX: [{ preference: 0, exchange: '.' }], TXT: ['v=spf1 -all'] },
    { [`_dmarc.${domain}`]: { TXT: ['v=DMARC1; p=reject'] } },
  );
}
