import type { ProbeFactory } from '../probes/open.ts';

/**
 * The same probes, but none of them asks for a zone transfer: some operators see the question as an attack (PROBE_AXFR).
 * The run's slot is not passed on, so a run keeps it while it waits for a pace (docs/decisions/006 says what was measured).
 */
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
