import { readConfig } from '#shared/config';
import type { Json } from '#shared/model/verdict';
import { dnsCheck } from '../../../worker/checks/dns-check/index.ts';
import { prepareProbesOf } from '../../../worker/start/probe-settings.ts';

async function gatherDomain(domain: string, settings: Record<string, string>): Promise<Json> {
  const probes = prepareProbesOf(readConfig(settings));
  const opened = probes.open(new AbortController().signal);
  try {
    return await dnsCheck.gather({ target: domain, options: {}, probes: opened, progress: () => undefined });
  } finally {
    opened.close();
    probes.close();
  }
}

/** Gathers over real sockets, and judges. */
export async function checkDomain(domain: string, settings: Record<string, string>) {
  return dnsCheck.assess(await gatherDomain(domain, settings));
}
