import type { Zones } from './name-servers.ts';
import type { Records } from './zone-data.ts';

/** Pairs of name servers, each in two networks; what becomes of them is up to a test. */
export const servers = {
  well: ['127.0.1.1', '127.0.2.1'],
  silent: ['127.0.5.1', '127.0.6.1'],
  failing: ['127.0.7.1', '127.0.8.1'],
  halfSilent: ['127.0.9.1', '127.0.6.1'],
} as const;

/** Where web servers listen: the lab's; one for http alone; one that takes connections for https and says nothing; and where nobody does. */
export const webAddress = '127.0.0.1';
export const plainAddress = '127.0.0.2';
export const muteAddress = '127.0.0.3';
export const closedAddress = '127.0.0.9';

const soaOf = (zone: string) => ({
  mname: `ns1.${zone}`,
  rname: `hostmaster.${zone}`,
  serial: 2026112101,
  refresh: 14_400,
  retry: 3600,
  expire: 1_209_600,
  minimum: 3600,
});

/** Records of the apex that a domain may have; what is left out, it has not. */
export type Apex = { readonly [type: string]: readonly unknown[] };

/** A zone with two name servers; all else is reported. */
export function zoneOf(
  domain: string,
  apex: Apex,
  more: Records = {},
  manner: keyof typeof servers = 'well',
): Zones {
  const [first, second] = servers[manner];
  return {
    [domain]: {
      [domain]: { SOA: [soaOf(domain)], NS: [`ns1.${domain}`, `ns2.${domain}`], ...apex },
      [`ns1.${domain}`]: { A: [first] },
      [`ns2.${domain}`]: { A: [second] },
      ...more,
    },
  };
}

/** A domain with everything: a site with and without www, mail with SPF, DMARC, TLS reports and a key, CAA. */
export function goodZone(domain: string, apex: Apex = {}, manner: keyof typeof servers = 'well'): Zones {
  return zoneOf(
    domain,
    {
      A: [webAddress],
      MX: [{ preference: 10, exchange: `mail.${domain}` }],
      TXT: ['v=spf1 mx -all'],
      CAA: [{ flags: 0, tag: 'issue', value: 'ca.example' }],
      ...apex,
    },
    {
      [`www.${domain}`]: { CNAME: [domain] },
      [`mail.${domain}`]: { A: [webAddress] },
      [`_dmarc.${domain}`]: { TXT: [`v=DMARC1; p=reject; rua=mailto:reports@${domain}`] },
      [`_smtp._tls.${domain}`]: { TXT: [`v=TLSRPTv1; rua=mailto:reports@${domain}`] },
    },
    manner,
  );
}

/** The root, and "test" below it, so that every domain has a parent to ask. */
export const upperZones: Zones = {
  '': { '': { SOA: [soaOf('root.test')], NS: ['a.nic.test'] } },
  test: {
    test: { SOA: [soaOf('test')], NS: ['a.nic.test', 'b.nic.test'] },
    'a.nic.test': { A: ['127.0.3.1'] },
    'b.nic.test': { A: ['127.0.4.1'] },
  },
};
