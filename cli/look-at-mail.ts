import ipaddr from 'ipaddr.js';
import type { Config } from '#shared/settings/config';
import { type Observation, readObservation, valuesOf } from '../worker/dns/observation.ts';
import type { OpenedProbes } from '../worker/probes/port.ts';
import { prepareProbesOf } from '../worker/start/probe-settings.ts';

/** What was found of the name that mail hosts are greeted with, and of the way to them. */
export type LookedAtMail = {
  /** What mail hosts would hold against us and how to set it right, a clause each. */
  readonly faults: readonly string[];
  /** What could not be looked up, a clause each: nothing is known of it. */
  readonly unknown: readonly string[];
  /** Whether connections to port 25 leave this network; unknown without a host that must answer. */
  readonly port: 'open' | 'blocked' | 'unknown';
};

/** Looks up SMTP_HELO as mail hosts do, forward and back, and asks SMTP_CONTROL_HOST on port 25. @param withinMs ends it */
export async function lookAtMail(config: Config, withinMs: number): Promise<LookedAtMail> {
  const factory = prepareProbesOf(config);
  const probes = factory.open(AbortSignal.timeout(withinMs));
  try {
    const [name, port] = await Promise.all([
      lookAtName(probes, config.SMTP_HELO ?? ''),
      probes.smtp?.lookAtPort() ?? Promise.resolve('unknown' as const),
    ]);
    return { ...name, port };
  } finally {
    probes.close();
    factory.close();
  }
}

type Name = Pick<LookedAtMail, 'faults' | 'unknown'>;

async function lookAtName(probes: OpenedProbes, name: string): Promise<Name> {
  const ask = async (of: string, type: string) =>
    readObservation({ name: of, type }, await probes.dns.ask({ name: of, type }));
  const found = await Promise.all([ask(name, 'A'), ask(name, 'AAAA')]);
  const unknown = found.flatMap(describeUnknown);
  const addresses = found.flatMap(valuesOf);
  if (addresses.length === 0) {
    const faults = [
      `${name} has no address; in its zone, add an A record of the address that others see this machine at`,
    ];
    return unknown.length > 0 ? { faults: [], unknown } : { faults, unknown };
  }
  const back = await Promise.all(
    addresses.map(async (address) => judgePtr(await ask(reverseOf(address), 'PTR'), address, name)),
  );
  return {
    faults: back.flatMap(({ faults }) => faults),
    unknown: [...unknown, ...back.flatMap((one) => one.unknown)],
  };
}

function describeUnknown({ name, type, outcome, why }: Observation): readonly string[] {
  return outcome === 'unknown' ? [`the ${type} records of ${name} could not be looked up: ${why}`] : [];
}

/** The PTR record is not in the zone of the name: whoever has given the address sets it. */
function judgePtr(ptr: Observation, address: string, name: string): Name {
  const unknown = describeUnknown(ptr);
  const names = valuesOf(ptr);
  if (unknown.length > 0 || names.includes(name)) return { faults: [], unknown };
  const is =
    names.length === 0 ? `${address} has no PTR` : `the PTR of ${address} is ${names[0]}, not ${name}`;
  return {
    faults: [`${is}; set it to ${name} where you got the address (reverse DNS in your provider's panel)`],
    unknown,
  };
}

/** The name whose PTR record names an address (RFC 1035 §3.5, RFC 3596 §2.5). */
function reverseOf(address: string): string {
  const parsed = ipaddr.parse(address);
  const bytes = parsed.toByteArray().reverse();
  if (parsed.kind() === 'ipv4') return `${bytes.join('.')}.in-addr.arpa`;
  const nibbles = bytes.flatMap((byte) => [byte & 15, byte >> 4].map((nibble) => nibble.toString(16)));
  return `${nibbles.join('.')}.ip6.arpa`;
}
