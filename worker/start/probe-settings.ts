import { noPace } from '#shared/limits/pace/memory';
import type { Pace } from '#shared/ports/pace';
import type { Config } from '#shared/settings/config';
import { targetPolicyOf } from '#shared/settings/policy';
import { dnsLimits } from '../probes/dns/open.ts';
import { httpLimits } from '../probes/http/settings.ts';
import { type ProbeFactory, prepareProbes } from '../probes/open.ts';
import { tlsLimits } from '../probes/tls/open.ts';
import { browserSettingsOf } from './browser-settings.ts';
import { withoutTransfers } from './without-transfers.ts';

/**
 * The probes as the settings want them, with production's limits.
 * @param pace of all runs together; left out by labs and by the command line, whose targets are its own caller's
 */
export function prepareProbesOf(config: Config, pace: Pace = noPace): ProbeFactory {
  const factory = prepareProbes({
    pace,
    policy: targetPolicyOf(config),
    portMap: config.TARGET_PORT_MAP,
    contactUrl: config.CONTACT_URL,
    connectTimeoutMs: 3000,
    socketsPerAddress: 8,
    dns: {
      servers: config.DNS_SERVERS,
      nameserverPort: config.NAMESERVER_PORT,
      originZones: config.ORIGIN_ASN_ZONE,
      ...dnsLimits,
    },
    browser: browserSettingsOf(config),
    http: httpLimits,
    tls: tlsLimits,
  });
  return config.PROBE_AXFR ? factory : withoutTransfers(factory);
}
