import { networkInterfaces } from 'node:os';
import type { Checks, Readiness } from '#shared/model/readiness';
import { vantageKinds, type VantageKind } from '#shared/model/vantage';
import type { Config } from '#shared/settings/config';
import { namesProxy } from '#shared/settings/proxy';
import type { Logger } from '#shared/telemetry/logger';
import type { Metrics } from '#shared/telemetry/metrics';
import { type ClockFault, lackingWays, missingOf, type VantageMemory } from '../probes/vantage/memory.ts';
import { kindOf, textOf } from '../probes/vantage/ways.ts';

/** Whether this machine was given an address of IPv6 at all: many have none, and want none. */
export function hasPublicIpv6(): boolean {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return addresses.some(
    ({ family, internal, address }) => family === 'IPv6' && !internal && /^[23]/.test(address),
  );
}

/** How wrong the clock is: "this machine's clock is 10 minutes slow". */
export function tellClock({ offsetMs, mostMs }: ClockFault): string {
  const bound = offsetMs === mostMs ? '' : 'at least ';
  const way = offsetMs > 0 ? 'slow' : 'fast';
  return `this machine's clock is ${bound}${tellLength(Math.abs(offsetMs))} ${way}`;
}

function tellLength(ms: number): string {
  const [unit, count] = (
    [
      ['day', ms / 86_400_000],
      ['hour', ms / 3_600_000],
      ['minute', ms / 60_000],
    ] as const
  ).find(([, length]) => length >= 1.5) ?? ['minute', 1];
  const rounded = Math.round(count);
  return `${rounded} ${unit}${rounded === 1 ? '' : 's'}`;
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
  let clock: ClockFault | null = null;
  let hasLooked = false;
  if (namesProxy())
    log.warn(
      {},
      'HTTP_PROXY and HTTPS_PROXY are ignored: probes connect directly on purpose, as a proxy would be measured instead',
    );
  const tell = (kind: VantageKind, memory: VantageMemory) => {
    const { reason, fix } = textOf(lackingWays(memory).find((way) => kindOf(way) === kind) ?? 'resolver');
    log.warn({ missing: kind, fix }, kind === 'clock' && memory.clock ? tellClock(memory.clock) : reason);
  };
  return {
    note(memory) {
      const now = missingOf(memory);
      hasLooked ||= memory.surveyedAt !== null;
      for (const kind of vantageKinds) {
        const isMissing = now.includes(kind);
        metrics?.networkLooked(kind, isMissing);
        if (isMissing === missing.includes(kind)) continue;
        if (isMissing) tell(kind, memory);
        else log.info({ missing: kind }, 'this network works again');
      }
      missing = now;
      ({ clock } = memory);
    },
    readiness: () => {
      const faults = missing.filter((kind) => kind !== 'ipv6' || hasPublicIpv6());
      const names = faults.map((kind) => (kind === 'clock' && clock ? `clock (${tellClock(clock)})` : kind));
      return hasLooked
        ? { network: names.length === 0 || `missing here: ${names.join(', ')} (see \`diag doctor\`)` }
        : {};
    },
    about: () => (hasLooked ? { vantage: { id: VANTAGE_ID ?? null, missing } } : {}),
  };
}
