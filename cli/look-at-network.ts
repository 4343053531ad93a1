import { vantageTexts, type VantageKind } from '#shared/model/vantage';
import type { Config } from '#shared/settings/config';
import { namesProxy } from '#shared/settings/proxy';
import { prepareProbesOf } from '../worker/start/probe-settings.ts';

/** What this machine's own network cannot do; undefined where nobody asks, as targets are on this machine. */
export async function surveyNetwork(config: Config): Promise<readonly VantageKind[] | undefined> {
  const probes = prepareProbesOf(config);
  try {
    await probes.vantage?.surveyOnceAnHour();
    return probes.vantage?.missing();
  } finally {
    probes.close();
  }
}

/** What is missing and what to do about it, as one line; "" where nothing is. */
export function tellMissing(kinds: readonly VantageKind[]): string {
  const faults = kinds.map((kind) => `${kind}: ${vantageTexts[kind].reason}. ${vantageTexts[kind].fix}`);
  return [...faults, ...(namesProxy() ? [proxyIgnored] : [])].join(' ');
}

const proxyIgnored =
  'HTTP_PROXY and HTTPS_PROXY are ignored: probes connect directly on purpose, as a proxy would be measured instead.';
