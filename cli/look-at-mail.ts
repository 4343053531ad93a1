import ipaddr from 'ipaddr.js';
import type { Config } from '#shared/settings/config';
import { readObservation, valuesOf } from '../worker/dns/observation.ts';
import type { OpenedProbes } from '../worker/probes/port.ts';
import { prepareProbesOf } from '../worker/start/probe-settings.ts';

/** What was found of the name that mail hosts are greeted with, and of the way to them. */
export type LookedAtMail = {
  /** What mail hosts would hold against us, a clause each. */
  readonly faults: readonly string[];
  /** Whether connections to port 25 leave this network; unknown without a host that must answer. */
  readonly port: 'open' | 'blocked' | 'unknown';
};

/** Looks up SMTP_HELO as mail hosts do, forward and back, and asks SMTP_CONTROL_HOST on port 25. @param withinMs ends it */
export async function lookAtMail(config: Config, withinMs: number): Promise<LookedAtMail> {
  const factory = prepareProbesOf(config);
  const probes = factory.open(AbortSignal.timeout(withinMs));
  try {
    const [faults, port] = await Promise.all([
      lookAtName(probes, config.SMTP_HELO ?? ''),
      probes.smtp?.lookAtPort() ?? Promise.resolve('unknown' as const),
    ]);
    return { faults, port };
  } finally {
    probes.close();
    factory.close();
  }
}

async function lookAtName(probes: OpenedProbes, name: string): Promise<readonly string[]> {
  const ask = async (of: string, type: string) =>
    valuesOf(readObservation({ name: of, type }, await probes.dns.ask({ name: of, type })));
  const addresses = (await Promise.all([ask(name, 'A'), ask(name, 'AAAA')])).flat();
  if (addresses.length === 0) return [`${name} has no address`];
  const back = await Promise.all(
    addresses.map(async (address) => {
      const names = await ask(reverseOf(address), 'PTR');
      return names.includes(name) ? [] : [`the PTR of ${address} is ${names[0] ?? 'missing'}, not ${name}`];
    }),
  );
  return back.flat();
}

/** The name whose PTR record names an address (RFC 1035 §3.5, RFC 3596 §2.5). */
function reverseOf(address: string): string {
  const parsed = ipaddr.parse(address);
  const bytes = parsed.toByteArray().reverse();
  if (parsed.kind() === 'ipv4') return `${bytes.join('.')}.in-addr.arpa`;
  const nibbles = bytes.flatMap((byte) => [byte & 15, byte >> 4].map((nibble) => nibble.toString(16)));
  return `${nibbles.join('.')}.ip6.arpa`;
}
