import { networkInterfaces } from 'node:os';
import type { Checks, Readiness } from '#shared/model/readiness';
import { vantageKinds, type VantageKind, vantageTexts } from '#shared/model/vantage';
import type { Config } from '#shared/settings/config';
import { namesProxy } from '#shared/settings/proxy';
import type { Logger } from '#shared/telemetry/logger';
import type { Metrics } from '#shared/telemetry/metrics';
import { missingOf, type VantageMemory } from '../probes/vantage/memory.ts';

/** Whether this machine was given an address of IPv6 at all: many have none, and want none. */
export function hasPublicIpv6(): boolean {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return addresses.some(
    ({ family, internal, address }) => family === 'IPv6' && !internal && /^[23]/.test(address),
  );
}

/** What a worker tells of its own network. */
type NetworkWatch = {
  /** Takes what is known now; tells of each change once. */
  readonly note: (memory: VantageMemory) => void;
  /** What is missing, in a few words; nothing before anybody has looked. */
  readonly readiness: () => Checks;
  /** For the body of /readyz. */
  readonly about: () => Readiness['about'];
};

/** Opens the watch over what this machine's network can do: what it lacks is not tested of any target, and only the operator can change it. */
export function watchNetwork(
  { VANTAGE_ID }: Pick<Config, 'VANTAGE_ID'>,
  log: Logger,
  metrics: Pick<Metrics, 'networkLooked'> | undefined,
): NetworkWatch {
  let missing: readonly VantageKind[] = [];
  let hasLooked = false;
  if (namesProxy())
    log.warn(
      {},
      'HTTP_PROXY and HTTPS_PROXY are ignored: probes connect directly on purpose, as a proxy would be measured instead',
    );
  return {
    note(memory) {
      const now = missingOf(memory);
      hasLooked ||= memory.surveyedAt !== null;
      for (const kind of vantageKinds) {
        const isMissing = now.includes(kind);
        metrics?.networkLooked(kind, isMissing);
        if (isMissing === missing.includes(kind)) continue;
        const { reason, fix } = vantageTexts[kind];
        if (isMissing) log.warn({ missing: kind, fix }, reason);
        else log.info({ missing: kind }, 'this network works again');
      }
      missing = now;
    },
    readiness: () => {
      const faults = missing.filter((kind) => kind !== 'ipv6' || hasPublicIpv6());
      return hasLooked
        ? { network: faults.length === 0 || `missing here: ${faults.join(', ')} (see \`diag doctor\`)` }
        : {};
    },
    about: () => (hasLooked ? { vantage: { id: VANTAGE_ID ?? null, missing } } : {}),
  };
}
