import type { DnsAskOptions } from '../../../probes/dns/port.ts';
import type { HalfContext } from '../halves.ts';
import type { HostAnswers } from './evidence.ts';

/** Asks for both kinds of addresses of a host. */
export async function askHost(
  { ask }: HalfContext,
  name: string,
  options: DnsAskOptions = {},
): Promise<HostAnswers> {
  const [A, AAAA] = await Promise.all([
    ask({ name, type: 'A' }, options),
    ask({ name, type: 'AAAA' }, options),
  ]);
  return { name, A, AAAA };
}
