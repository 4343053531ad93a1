import type { ProbeFactory } from '../probes/open.ts';

/** The same probes, but none of them asks for a zone transfer: some operators see the question as an attack (PROBE_AXFR). */
export function withoutTransfers(factory: ProbeFactory): ProbeFactory {
  return {
    ...factory,
    open(signal, owner) {
      const opened = factory.open(signal, owner);
      const { dns } = opened;
      const { originZones } = dns;
      return { ...opened, dns: { originZones, ask: (question, options) => dns.ask(question, options) } };
    },
  };
}
