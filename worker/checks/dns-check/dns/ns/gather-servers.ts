import type { DnsAnswer } from '../../../../probes/dns/port.ts';
import type { PartContext } from '../../parts.ts';
import type { ServerAnswers } from '../evidence.ts';

/** Name servers are the target's choice, so their number is ours. */
export const serverLimit = 13;
const addressesPerServer = 2;

export type ServerAddress = { readonly name: string; readonly address: string };

/** A name that is surely not the domain's: who resolves it for us, resolves for everybody. */
export const foreignName = 'a.root-servers.net';

/** What a zone tells about itself, with its own TTL; asked of two servers, in case one is silent. */
const directTypes = ['A', 'AAAA', 'MX', 'TXT', 'CAA'] as const;
const directServers = 2;

/**
 * Picks the addresses that are asked: of each name first one IPv4 and one IPv6, then the rest, up to twice as many as there are names (at most 26).
 * @returns `left` counts those that are not asked
 */
export function chooseAddresses(hosts: readonly (readonly [name: string, addresses: readonly string[]])[]): {
  chosen: readonly ServerAddress[];
  left: number;
} {
  const ranked = hosts.flatMap(([name, addresses]) => {
    const first = [
      addresses.find((address) => !address.includes(':')),
      addresses.find((address) => address.includes(':')),
    ];
    return addresses.map((address) => ({ name, address, rank: first.includes(address) ? 0 : 1 }));
  });
  const sorted = ranked.toSorted((a, b) => a.rank - b.rank);
  const chosen = sorted
    .slice(0, hosts.length * addressesPerServer)
    .map(({ name, address }): ServerAddress => ({ name, address }));
  return { chosen, left: sorted.length - chosen.length };
}

/** Asks each address four questions at once, and two of them for the records themselves. */
export async function askServers(
  context: PartContext,
  addresses: readonly ServerAddress[],
): Promise<{ servers: readonly ServerAnswers[]; direct: readonly DnsAnswer[] }> {
  const [servers, direct] = await Promise.all([
    Promise.all(addresses.map((address) => askServer(context, address))),
    askDirect(context, addresses),
  ]);
  return { servers, direct };
}

async function askServer(
  { domain, ask }: PartContext,
  { name, address }: ServerAddress,
): Promise<ServerAnswers> {
  const server = address;
  const [soa, ns, tcp, foreign] = await Promise.all([
    ask({ name: domain, type: 'SOA' }, { server }),
    ask({ name: domain, type: 'NS' }, { server, edns: false }),
    askByTcp({ domain, ask }, server),
    ask({ name: foreignName, type: 'A' }, { server, recursionDesired: true }),
  ]);
  return { name, address, soa, ns, tcp, foreign };
}

// A connection may fail for once; a second one, for another type as equal questions of a run are asked once, shows whether it did.
async function askByTcp(
  { domain, ask }: Pick<PartContext, 'domain' | 'ask'>,
  server: string,
): Promise<DnsAnswer> {
  const options = { server, transport: 'tcp', edns: false } as const;
  const first = await ask({ name: domain, type: 'SOA' }, options);
  if (first.kind === 'answer') return first;
  const second = await ask({ name: domain, type: 'NS' }, options);
  return second.kind === 'answer' ? second : first;
}

async function askDirect(
  { domain, ask }: PartContext,
  addresses: readonly ServerAddress[],
): Promise<readonly DnsAnswer[]> {
  const names = [...new Set(addresses.map(({ name }) => name))].slice(0, directServers);
  const servers = names.flatMap((name) => addresses.find((server) => server.name === name) ?? []);
  return Promise.all(
    servers.flatMap(({ address }) =>
      directTypes.map((type) => ask({ name: domain, type }, { server: address })),
    ),
  );
}
