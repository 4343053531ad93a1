import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../dns-check/debian-tools.ts';
import { type Address, registryHosts, rootServers, type Site, sites, tldServers } from './names.ts';

const dayS = 86_400;
const soa = 'hostmaster.healthy.com. 2026010101 14400 3600 1209600 3600';
const tlds = ['com', 'net', 'org'] as const;

/** What each of the lab's three operators serves: zone → file. "." is the root. */
export type ServedZones = {
  readonly [operator in 'root' | 'tld' | 'hosts']: Readonly<Record<string, string>>;
};

/** Writes all zones into the folder, and the root's keys into the file "anchor" there. Children come first: their parents hold their DS. */
export function writeZones(folder: string): ServedZones {
  const served = Object.entries(sites).filter(([, { dnsIs }]) => dnsIs === undefined);
  const ds = new Map(
    served.map(([name, site]) => [name, writeZone(folder, name, siteZone(name, site), site.isSigned)]),
  );
  const hosts = Object.fromEntries(
    served.map(([name, { isSigned }]) => [name, isSigned ? `${name}.signed` : name]),
  );
  for (const [zone, servers] of [
    ['gtld-servers.net', tldServers],
    ['root-servers.net', rootServers],
  ] as const)
    writeZone(folder, zone, head(Object.keys(servers)) + glue(servers));
  const tldDs = tlds.map((tld) => writeZone(folder, tld, tldZone(tld, ds), true));
  // Asked by whoever wants to know a network's NAT64 (RFC 7050).
  writeZone(
    folder,
    'arpa',
    `${head(Object.keys(rootServers))}ipv4only A 192.0.0.170\nipv4only A 192.0.0.171\n`,
  );
  const root = [
    head(Object.keys(rootServers)),
    glue(rootServers),
    ...tlds.flatMap((tld) => Object.keys(tldServers).map((server) => `${tld}. NS ${server}.\n`)),
    glue(tldServers),
    ...Object.keys(rootServers).map((server) => `arpa. NS ${server}.\n`),
    ...tldDs,
  ];
  writeFileSync(join(folder, 'anchor'), writeZone(folder, '.', root.join(''), true));
  return {
    root: { '.': 'root.signed', 'root-servers.net': 'root-servers.net', arpa: 'arpa' },
    tld: {
      ...Object.fromEntries(tlds.map((tld) => [tld, `${tld}.signed`])),
      'gtld-servers.net': 'gtld-servers.net',
    },
    hosts,
  };
}

/** Where a resolver finds the root. */
export function writeHints(folder: string): void {
  const names = Object.keys(rootServers).map((name) => `. 3600000 NS ${name}.\n`);
  writeFileSync(join(folder, 'hints'), names.join('') + glue(rootServers));
}

function head(servers: readonly string[]): string {
  return `$TTL 3600\n@ SOA ${servers[0] ?? '@'}. ${soa}\n${servers.map((name) => `@ NS ${name}.\n`).join('')}`;
}

function glue(servers: { readonly [name: string]: Address }): string {
  return Object.entries(servers)
    .map(([name, address]) => addressLines(`${name}.`, address))
    .join('');
}

function addressLines(name: string, { v4, v6 }: Address): string {
  return `${v4 ? `${name} A ${v4}\n` : ''}${v6 ? `${name} AAAA ${v6}\n` : ''}`;
}

function serversOf(name: string, { servers }: Site): { readonly [server: string]: Address } {
  return { [`ns1.${name}`]: servers[0], [`ns2.${name}`]: servers[1] };
}

function tldZone(tld: string, ds: ReadonlyMap<string, string>): string {
  const below = Object.entries(sites).filter(([name]) => name.endsWith(`.${tld}`));
  const delegations = below.map(([name, site]) => {
    const servers = serversOf(name, site);
    const names = Object.keys(servers).map((server) => `${name}. NS ${server}.\n`);
    return `${names.join('')}${glue(servers)}${ds.get(name) ?? ''}`;
  });
  const infrastructure =
    tld === 'net'
      ? [infraZone('gtld-servers.net', tldServers), infraZone('root-servers.net', rootServers)]
      : [];
  return [head(Object.keys(tldServers)), ...infrastructure, ...delegations].join('');
}

function infraZone(zone: string, servers: { readonly [name: string]: Address }): string {
  return (
    Object.keys(servers)
      .map((server) => `${zone}. NS ${server}.\n`)
      .join('') + glue(servers)
  );
}

/** Records that leave nothing to wish for; mail is refused in both directions. The apex has more TXT than 512 octets hold. */
function siteZone(name: string, site: Site): string {
  const servers = serversOf(name, site);
  const proofs = [
    'google-site',
    'facebook-domain',
    'apple-domain',
    'atlassian-domain',
    'adobe-idp-site',
    'zoom',
  ].map((service) => `@ TXT "${service}-verification=${service.repeat(8).slice(0, 50)}"\n`);
  return [
    head(Object.keys(servers)),
    glue(servers),
    addressLines('@', site.web),
    addressLines('www', site.web),
    ...(site.webIs === 'closed' ? [addressLines('*', site.web)] : []),
    ...(registryHosts.some((host) => host === `rdap.${name}`) ? [addressLines('rdap', site.web)] : []),
    '@ MX 0 .\n',
    '@ TXT "v=spf1 -all"\n',
    ...proofs,
    '_dmarc TXT "v=DMARC1; p=reject; sp=reject; adkim=s; aspf=s"\n',
    '@ CAA 0 issue "letsencrypt.org"\n@ CAA 0 issuewild ";"\n@ CAA 0 iodef "mailto:security@healthy.com"\n',
    '@ HTTPS 1 . alpn="h2"\nwww HTTPS 1 . alpn="h2"\n',
  ].join('');
}

/** Writes a zone, signed if asked, and gives its DS. */
function writeZone(
  folder: string,
  name: string,
  text: string,
  isSigned: boolean | undefined = false,
): string {
  const file = name === '.' ? 'root' : name;
  const origin = name === '.' ? '.' : `${name}.`;
  writeFileSync(join(folder, file), `$ORIGIN ${origin}\n${text}`);
  if (!isSigned) return '';
  const makeKey = (...more: readonly string[]) =>
    run('ldns-keygen', ['-a', 'ECDSAP256SHA256', ...more, origin], folder).trim();
  const keys = [makeKey('-k'), makeKey()] as const;
  const nowS = Math.floor(Date.now() / 1000);
  const times = ['-i', String(nowS - dayS), '-e', String(nowS + 20 * dayS)];
  run('ldns-signzone', [...times, '-o', origin, '-f', `${file}.signed`, file, ...keys], folder);
  const ds = readFileSync(join(folder, `${keys[0]}.ds`), 'utf8').trimEnd();
  return `${ds}\n`;
}
