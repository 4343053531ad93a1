import type { DnsProbe } from '../../../../probes/dns/port.ts';
import type { HalfContext } from '../../halves.ts';
import type { ServerAnswers, TransferAnswer } from '../evidence.ts';

/** How a probe asks for a transfer; it closes the connection after the first records, and keeps none. */
type Transfers = {
  transfer?(zone: string, server: string): Promise<TransferAnswer['answer']>;
};

/**
 * Asks each name server that spoke for a transfer of the zone, once.
 * @returns undefined where the probe does not offer transfers, as the operator has not switched them on
 */
export async function gatherTransfers(
  { domain, probes }: HalfContext,
  servers: readonly ServerAnswers[],
): Promise<readonly TransferAnswer[] | undefined> {
  const dns: DnsProbe & Transfers = probes.dns;
  if (!dns.transfer) return undefined;
  const asked = servers
    .filter(({ soa, ns, tcp }) => tcp.kind === 'answer' && (soa.kind === 'answer' || ns.kind === 'answer'))
    .map(async ({ name, address }) => {
      const answer = await dns.transfer?.(domain, address);
      return answer === undefined ? [] : [{ name, address, answer }];
    });
  return (await Promise.all(asked)).flat();
}
