import type { TlsProbe } from '../../../probes/tls/port.ts';
import type { EndpointSeen } from '../evidence.ts';
import type { Allowance } from './allowance.ts';
import type { Target } from './ask-hello.ts';
import { keepHandshake } from './gather-handshakes.ts';
import type { Lanes } from './lanes.ts';

/** How long a handshake may take; none is begun that could not end within the run. */
const lookMs = 5000;

/** How many addresses get a short look beside the one that is looked at in full. */
const shortLooks = 8;

export type EndpointsLook = {
  readonly lanes: Lanes;
  readonly allowance: Allowance;
  /** Addresses that were looked at in full. */
  readonly seen: readonly string[];
};

/**
 * Shakes hands once with each other address of a name, because a site is all its addresses.
 */
export async function gatherEndpoints(
  probe: Pick<TlsProbe, 'addresses' | 'handshake'>,
  { host, port }: Target,
  { lanes, allowance, seen }: EndpointsLook,
): Promise<readonly EndpointSeen[]> {
  const others = (await probe.addresses(host)).filter((address) => !seen.includes(address));
  const look = async (address: string): Promise<EndpointSeen | null> => {
    if (allowance.leftMs(lookMs) < lookMs) return null;
    const request = {
      host,
      port,
      servername: host,
      alpn: ['h2', 'http/1.1'],
      requestOcsp: true,
      lingerMs: 0,
    };
    return { address, handshake: keepHandshake(await probe.handshake({ ...request, address })) };
  };
  const looked = await Promise.all(spread(others).map((address) => lanes(() => look(address))));
  return looked.filter((one) => one !== null);
}

/** As many of each family as possible, the first of each first. */
function spread(addresses: readonly string[]): readonly string[] {
  const isIpv6 = (address: string) => address.includes(':');
  const families = [addresses.filter((one) => !isIpv6(one)), addresses.filter(isIpv6)];
  const longest = Math.max(...families.map(({ length }) => length));
  const turns = Array.from({ length: longest }, (_, index) =>
    families.flatMap((family) => family.slice(index, index + 1)),
  );
  return turns.flat().slice(0, shortLooks);
}
