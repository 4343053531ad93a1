import { getServers } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import { isAddress } from '#shared/targets/classify-address';

export type Server = { readonly address: string; readonly port: number };

/** Gives an address of a host of ours, as the system knows it. */
export type LookUp = (host: string) => Promise<{ readonly address: string }>;

/**
 * The resolvers to ask: the configured ones, host names among them looked up, or the system's.
 * @param configured "192.0.2.1", "192.0.2.1:5353", "2001:db8::1", "[2001:db8::1]:5353", "unbound:53"
 */
export async function findServers(
  configured: readonly string[] | undefined,
  lookUp: LookUp = lookup,
): Promise<readonly Server[]> {
  return Promise.all((configured ?? listSystemServers()).map(async (text) => toServer(text, lookUp)));
}

const resolvConf = '/etc/resolv.conf';

/** The system's resolvers. Node loses the zone of a link-local one ("fe80::1%eth0"), without which there is no way to it. */
export function listSystemServers(): readonly string[] {
  const servers = getServers();
  if (!servers.some(isLinkLocal)) return servers;
  const scoped = readScoped();
  return servers.map((server) => scoped.find((one) => one.startsWith(`${server}%`)) ?? server);
}

function isLinkLocal(server: string): boolean {
  return /^fe[89ab]/i.test(server);
}

function readScoped(): readonly string[] {
  try {
    const lines = readFileSync(resolvConf, 'utf8').split('\n');
    return lines.flatMap((line) => /^\s*nameserver\s+(\S+%\S+)/.exec(line)?.[1] ?? []);
  } catch {
    return []; // a system without that file knows no zones
  }
}

async function toServer(text: string, lookUp: LookUp): Promise<Server> {
  if (isAddress(text.replace(/%\w+$/, ''))) return { address: text, port: 53 };
  const [, bracketed, host, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(text) ?? [];
  const name = bracketed ?? host;
  if (name === undefined) throw new Error(`DNS_SERVERS: "${text}" is not host-or-ip[:port]`);
  const address = isAddress(name.replace(/%\w+$/, '')) ? name : (await lookUp(name)).address;
  return { address, port: Number(port ?? 53) };
}
