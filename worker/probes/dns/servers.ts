import { getServers } from 'node:dns';
import { lookup } from 'node:dns/promises';
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
  return Promise.all((configured ?? getServers()).map(async (text) => toServer(text, lookUp)));
}

async function toServer(text: string, lookUp: LookUp): Promise<Server> {
  if (isAddress(text)) return { address: text, port: 53 };
  const [, bracketed, host, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(text) ?? [];
  const name = bracketed ?? host;
  if (name === undefined) throw new Error(`DNS_SERVERS: "${text}" is not host-or-ip[:port]`);
  const address = isAddress(name) ? name : (await lookUp(name)).address;
  return { address, port: Number(port ?? 53) };
}
