/** A host's two addresses; a missing one means that the host has none of that family. */
export type Address = { readonly v4?: string; readonly v6?: string };

/** Real addresses of the root: what knows the roots by heart must meet the lab's. */
export const rootServers: { readonly [name: string]: Required<Address> } = {
  'a.root-servers.net': { v4: '198.41.0.4', v6: '2001:503:ba3e::2:30' },
  'b.root-servers.net': { v4: '170.247.170.2', v6: '2801:1b8:10::b' },
};

/** They serve com, net and org. */
export const tldServers: { readonly [name: string]: Required<Address> } = {
  'a.gtld-servers.net': { v4: '192.5.6.30', v6: '2001:503:a83e::2:30' },
  'b.gtld-servers.net': { v4: '192.33.14.30', v6: '2001:503:231d::2:30' },
};

export type Site = {
  /** Addresses of ns1 and ns2 below the domain. */
  readonly servers: readonly [Address, Address];
  readonly web: Address;
  readonly isSigned?: true;
  /** How its web host answers; otherwise with a page. */
  readonly webIs?: 'closed' | 'expired';
  /** The name servers that it is delegated to do not serve it, or are not there. */
  readonly dnsIs?: 'dead' | 'lame';
};

/** Two operators of name servers, in networks far from each other. */
const hostA = { v4: '45.76.1.53', v6: '2a01:4f8:1::53' };
const hostB = { v4: '104.16.9.53', v6: '2606:4700:9::53' };
const hosts = [hostA, hostB] as const;

export const sites: { readonly [domain: string]: Site } = {
  'healthy.com': { servers: hosts, web: { v4: '93.184.215.14', v6: '2a04:4e42:1::14' }, isSigned: true },
  'sixonly.com': { servers: hosts, web: { v6: '2a04:4e42:6::14' } },
  // Nothing of it has IPv6, its name servers neither: from where there is only IPv6, it is reached by translation.
  'fouronly.com': { servers: [{ v4: '46.4.7.53' }, { v4: '138.201.7.53' }], web: { v4: '93.185.7.14' } },
  'closed.com': { servers: hosts, web: { v4: '93.184.216.20', v6: '2a04:4e42:2::20' }, webIs: 'closed' },
  'expired.com': { servers: hosts, web: { v4: '93.184.217.30', v6: '2a04:4e42:3::30' }, webIs: 'expired' },
  'dead.com': {
    servers: [
      { v4: '45.77.2.66', v6: '2a01:4f8:66::53' },
      { v4: '104.17.2.66', v6: '2606:4700:66::53' },
    ],
    web: { v4: '93.184.218.40', v6: '2a04:4e42:4::40' },
    dnsIs: 'dead',
  },
  'lame.com': { servers: hosts, web: { v4: '93.184.219.50', v6: '2a04:4e42:5::50' }, dnsIs: 'lame' },
  'one.org': {
    servers: [
      { v4: '51.15.1.53', v6: '2001:bc8:1::53' },
      { v4: '62.210.1.53', v6: '2001:bc9:1::53' },
    ],
    web: { v4: '51.16.1.80', v6: '2001:bca:1::80' },
  },
  'two.net': {
    servers: [
      { v4: '78.46.2.53', v6: '2a03:4000:2::53' },
      { v4: '88.198.2.53', v6: '2a03:4001:2::53' },
    ],
    web: { v4: '78.47.2.80', v6: '2a03:4002:2::80' },
  },
  'verisign.com': {
    servers: [
      { v4: '72.13.1.53', v6: '2620:74:1::53' },
      { v4: '69.58.1.53', v6: '2620:75:1::53' },
    ],
    web: { v4: '72.13.2.80', v6: '2620:74:2::80' },
  },
  'centralnic.com': {
    servers: [
      { v4: '194.169.1.53', v6: '2001:67c:1::53' },
      { v4: '185.24.1.53', v6: '2a04:2b00:1::53' },
    ],
    web: { v4: '194.169.2.80', v6: '2001:67c:2::80' },
  },
  'three.com': {
    servers: [
      { v4: '139.162.3.53', v6: '2a05:d014:3::53' },
      { v4: '172.104.3.53', v6: '2a05:d015:3::53' },
    ],
    web: { v4: '139.163.3.80', v6: '2a05:d016:3::80' },
  },
};

/** Hosts of registries that the service knows by heart. */
export const registryHosts = ['rdap.verisign.com', 'rdap.centralnic.com'] as const;

/** Where a resolver that rewrites NXDOMAIN leads: any host there wants to sell the name. */
export const parking: Address = { v4: '104.18.200.1' };

/** Drops whatever is sent to it, in every network. */
export const silentAddress = '192.0.2.1';

/** The addresses of some hosts that are there. */
export function addressesOf(hostsOfThem: readonly Address[]): readonly string[] {
  return [...new Set(hostsOfThem.flatMap(({ v4, v6 }) => [v4, v6]).filter((one) => one !== undefined))];
}
