import { noPace } from '#shared/limits/pace/memory';
import type { Config } from '#shared/settings/config';
import { targetPolicyOf } from '#shared/settings/policy';
import { dnsLimits } from '../../../worker/probes/dns/open.ts';
import { httpLimits } from '../../../worker/probes/http/settings.ts';
import { prepareProbes } from '../../../worker/probes/open.ts';
import { tlsLimits } from '../../../worker/probes/tls/open.ts';
import { browserSettingsOf } from '../../../worker/start/browser-settings.ts';

/** Probes as a worker has them, without a pace; what is given replaces what is usual. */
export function prepareLabProbes(config: Config, more: Partial<Parameters<typeof prepareProbes>[0]> = {}) {
  return prepareProbes({
    pace: noPace,
    policy: targetPolicyOf(config),
    portMap: config.TARGET_PORT_MAP,
    contactUrl: undefined,
    connectTimeoutMs: 3000,
    socketsPerAddress: 8,
    dns: { servers: config.DNS_SERVERS, nameserverPort: config.NAMESERVER_PORT, ...dnsLimits },
    browser: browserSettingsOf(config),
    http: httpLimits,
    tls: tlsLimits,
    ...more,
  });
}
