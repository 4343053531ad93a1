import type { Config } from '#shared/settings/config';
import { namesProxy } from '#shared/settings/proxy';
import type { VantageMemory } from '../worker/probes/vantage/memory.ts';
import { kindOf, textOf, type Way } from '../worker/probes/vantage/ways.ts';
import { prepareProbesOf } from '../worker/start/probe-settings.ts';
import { tellClock } from '../worker/start/watch-network.ts';

/** What this machine's own network cannot do, and how wrong its clock is. */
export type SurveyedNetwork = { readonly missing: readonly Way[]; readonly clock: VantageMemory['clock'] };

/** Looks at this machine's own network; undefined where nobody asks (targets are on this machine, or CONTROLS is off). */
export async function surveyNetwork(config: Config): Promise<SurveyedNetwork | undefined> {
  const probes = prepareProbesOf(config);
  try {
    await probes.vantage?.surveyOnceAnHour();
    return probes.vantage && { missing: probes.vantage.missing(), clock: probes.vantage.clock() };
  } finally {
    probes.close();
  }
}

/** What is missing and what to do about it, as one line; "" where nothing is. */
export function tellMissing({ missing, clock }: SurveyedNetwork): string {
  const faults = missing.map((way) => {
    const { reason, fix } = textOf(way);
    return `${kindOf(way)}: ${way === 'clock' && clock ? tellClock(clock) : reason}. ${fix}`;
  });
  return [...new Set(faults), ...(namesProxy() ? [proxyIgnored] : [])].join(' ');
}

const proxyIgnored =
  'HTTP_PROXY and HTTPS_PROXY are ignored: probes connect directly on purpose, as a proxy would be measured instead.';
