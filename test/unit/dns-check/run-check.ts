import { assessDnsCheck } from '../../../worker/checks/dns-check/assess.ts';
import { type DnsCheckEvidence, gatherDnsCheck } from '../../../worker/checks/dns-check/gather.ts';
import type { Probes } from '../../../worker/probes/port.ts';
import { openWorld, type World } from './world.ts';

/** Gathers against a world; evidence goes through JSON, as it does when it is kept. */
export async function gatherIn(world: World, domain = 'good.test'): Promise<DnsCheckEvidence> {
  const { probe } = openWorld(world);
  const evidence = await gatherDnsCheck({
    target: domain,
    options: {},
    probes: { dns: probe } as Probes,
    progress: () => undefined,
  });
  return JSON.parse(JSON.stringify(evidence)) as DnsCheckEvidence;
}

/** Gathers and judges. */
export async function checkIn(world: World, domain = 'good.test') {
  return assessDnsCheck(await gatherIn(world, domain));
}
