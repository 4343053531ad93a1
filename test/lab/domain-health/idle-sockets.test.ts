import { expect, test } from 'vitest';
import { noPace } from '#shared/limits/pace/memory';
import { targetPolicyOf } from '#shared/settings/policy';
import { dnsLimits } from '../../../worker/probes/dns/open.ts';
import { httpLimits } from '../../../worker/probes/http/settings.ts';
import { prepareProbes } from '../../../worker/probes/open.ts';
import { tlsLimits } from '../../../worker/probes/tls/open.ts';
import { browserSettingsOf } from '../../../worker/start/browser-settings.ts';
import { openLab } from '../kit/lab.ts';
import { goodPage, goodSite } from './sites.ts';

/** Asks for a page, then shakes hands with its server, with so many places at an address. */
async function pageThenHandshake(socketsPerAddress: number) {
  const lab = await openLab({ sites: goodSite('a.test', goodPage) });
  const config = lab.config();
  const factory = prepareProbes({
    pace: noPace,
    policy: targetPolicyOf(config),
    portMap: config.TARGET_PORT_MAP,
    contactUrl: undefined,
    connectTimeoutMs: 3000,
    socketsPerAddress,
    dns: { servers: config.DNS_SERVERS, nameserverPort: config.NAMESERVER_PORT, ...dnsLimits },
    browser: browserSettingsOf(config),
    http: httpLimits,
    tls: tlsLimits,
  });
  const limit = AbortSignal.timeout(2000);
  const probes = factory.open(limit);
  try {
    await probes.http.ask({ url: 'https://a.test/', bodyLimitBytes: 0 });
    const shake = { host: 'a.test', port: 443, servername: 'a.test', lingerMs: 0 };
    return await probes.tls.handshake(shake).then(
      ({ kind }) => kind,
      () => 'no place within 2 s',
    );
  } finally {
    probes.close();
    factory.close();
    await lab.close();
  }
}

test('a handshake has a place beside an idle connection', async () => {
  expect(await pageThenHandshake(2)).toBe('connected');
});

// A visit keeps up to seven connections for the next hop, of eight places; its ssl-check would have the one that is left.
test('an idle connection gives its place to whoever waits for one', async () => {
  expect(await pageThenHandshake(1)).toBe('connected');
});
