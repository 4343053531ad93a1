import { siteOf } from '#shared/targets/parse-target';
import type { ControlHost } from './port.ts';

/**
 * Hosts of RDAP that IANA lists (RFC 9224), one of each operator: who serves hundreds of top-level domains counts once. Each answers /help
 * (RFC 9082 §3.1.6) to anybody.
 */
const listed = [
  { operator: 'Google', base: 'https://pubapi.registry.google/rdap/' },
  { operator: 'Verisign', base: 'https://rdap.verisign.com/com/v1/' },
  { operator: 'Nominet', base: 'https://rdap.nominet.uk/uk/' },
  { operator: 'CentralNic', base: 'https://rdap.centralnic.com/online/' },
  { operator: 'Identity Digital', base: 'https://rdap.identitydigital.services/rdap/' },
  { operator: 'Norid', base: 'https://rdap.norid.no/' },
  { operator: 'SIDN', base: 'https://rdap.sidn.nl/' },
  { operator: 'AFNIC', base: 'https://rdap.nic.fr/' },
  { operator: 'CZ.NIC', base: 'https://rdap.nic.cz/' },
  { operator: 'NIC.br', base: 'https://rdap.registro.br/' },
] as const;

/** Those of the table. */
export const listedControls: readonly ControlHost[] = listed.map(({ operator, base }) => {
  const { hostname, pathname } = new URL(base);
  return { host: hostname, operator, path: `${pathname}help`, isNamed: false };
});

/** Hosts that the operator of this service names: who has a registrable domain runs all of its hosts, those of the table too. */
export function namedControls(hosts: readonly string[]): readonly ControlHost[] {
  return hosts.map((host) => {
    const same = listedControls.find((one) => siteOf(one.host) === siteOf(host));
    return { host, operator: same?.operator ?? siteOf(host), path: '/', isNamed: true };
  });
}
