import type { HalfContext } from '../../halves.ts';
import { reverseLabelsOf } from '../../reverse-labels.ts';
import type { OriginAnswer } from '../evidence.ts';
import { isIpv6 } from '../servers/addresses.ts';
import { prefixOf } from './delegation.ts';

/** So many networks are asked about: as many as there are addresses that are asked directly. */
const networkLimit = 16;

/**
 * Asks which autonomous systems announce the networks of these addresses, by one address of each network.
 * @returns undefined where the operator has named no zone that tells it
 */
export async function gatherOrigins(
  { ask, probes }: HalfContext,
  addresses: readonly string[],
): Promise<readonly OriginAnswer[] | undefined> {
  const zones = probes.dns.originZones;
  if (!zones) return undefined;
  const networks = new Map(addresses.map((address) => [prefixOf(address) ?? address, address]));
  const asked = [...networks.values()].slice(0, networkLimit).map(async (address) => {
    const labels = reverseLabelsOf(address);
    if (labels === null) return [];
    const zone = isIpv6(address) ? zones.ipv6 : zones.ipv4;
    return [{ address, answer: await ask({ name: `${labels}.${zone}`, type: 'TXT' }) }];
  });
  return (await Promise.all(asked)).flat();
}
