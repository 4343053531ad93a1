import type { Config } from '#shared/settings/config';
import type { Logger } from '#shared/telemetry/logger';
import { lookAtResolvers } from '../probes/dns/look-at-resolvers.ts';

/** Asks each resolver once and tells of those that do not answer: the checks would only say of each target that it could not be resolved. */
export async function tellResolvers(
  { DNS_SERVERS }: Config,
  log: Pick<Logger, 'error' | 'warn'>,
): Promise<void> {
  const { answering, faults } = await lookAtResolvers(DNS_SERVERS);
  if (faults.length === 0) return;
  const fields = {
    setting: DNS_SERVERS ? 'DNS_SERVERS' : 'none: these are the servers of the system',
    faults,
  };
  if (answering.length === 0) log.error(fields, 'no resolver answers');
  else log.warn(fields, 'a resolver does not answer');
}
