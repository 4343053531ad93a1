import { getServers } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isAddress } from '../../../shared/target/classify-address.ts';

export type Server = { readonly address: string; readonly port: number };

/**
 * The resolvers to ask: the configured ones, host names among them looked up once, or the system's.
 * @param configured "192.0.2.1", "192.0.2.1:5353", "2001:db8::1", "[2001:db8::1]:5353", "unbound:53"
 */
export async function findServers(configured: readonly string[] | undefined): Promise<readonly Server[]> {
  return Promise.all((configured ?? getServers()).map(toServer));
}

async function toServer(text: string): Promise<Server> {
  if (isAddress(text)) return { address: text, port: 53 };
  const [, bracketed, host, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(text) ?? [];
  const name = bracketed ?? host;
  if (name === undefined) throw new Error(`DNS_SERVERS: "${text}" is not host-or-ip[:port]`);
  const address = isAddress(name) ? name : (await lookup(name)).address;
  return { address, port: Number(port ?? 53) };
}
