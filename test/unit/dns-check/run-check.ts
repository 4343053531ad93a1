import { dnsRules } from '#shared/catalogue/dns-check/rules';
import type { Assessment } from '#shared/model/report';
import { codesBroken } from '#shared/model/verdict';
import { parseCidr } from '#shared/targets/classify-address';
import type { TargetPolicy } from '#shared/targets/parse-target';
import { assessDnsCheck } from '../../../worker/checks/dns-check/assess.ts';
import { type DnsCheckEvidence, gatherDnsCheck } from '../../../worker/checks/dns-check/gather.ts';
import type { DnsProbe } from '../../../worker/probes/dns/port.ts';
import type { Probes } from '../../../worker/probes/port.ts';
import { openWorld, type World } from './world.ts';

/** Gathers against a world; evidence goes through JSON, as it does when it is kept. */
export async function gatherIn(world: World, domain = 'good.test'): Promise<DnsCheckEvidence> {
  const { probe } = openWorld(world);
  const evidence = await gatherDnsCheck({
    target: domain,
    options: {},
    probes: probesOf(probe),
    progress: () => undefined,
  });
  return JSON.parse(JSON.stringify(evidence)) as DnsCheckEvidence;
}

/** A run's probes: this DNS, and a web on which nothing answers. */
/** As an operator's settings let a lab through: its suffix, and every address. */
export const labPolicy: TargetPolicy = {
  addresses: { allow: [parseCidr('0.0.0.0/0'), parseCidr('::/0')], deny: [] },
  allowedSuffixes: ['test'],
  ports: [],
};

export function probesOf(dns: DnsProbe): Probes {
  const http: Probes['http'] = {
    ask: async ({ url }) => ({
      kind: 'failure',
      url,
      code: 'connection-refused',
      reason: 'the connection was refused',
      address: null,
    }),
  };
  return { dns, http, policy: labPolicy } as Probes;
}

/** The broken rules of the DNS half alone. */
export function dnsCodesBroken({ verdicts }: Pick<Assessment, 'verdicts'>): readonly string[] {
  return codesBroken(verdicts).filter((code) => Object.hasOwn(dnsRules, code));
}

/** Gathers and judges. */
export async function checkIn(world: World, domain = 'good.test') {
  return assessDnsCheck(await gatherIn(world, domain));
}
