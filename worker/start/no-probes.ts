import type { ProbeFactory } from '../probes/open.ts';

/** For a process that touches no target. */
export const noProbes: ProbeFactory = {
  open: () => ({
    policy: { addresses: { allow: [], deny: [] }, allowedSuffixes: [], ports: [] },
    http: { ask: refuse },
    dns: { originZones: undefined, ask: refuse },
    tls: { addresses: refuse, handshake: refuse, exchange: refuse, connections: () => 0 },
    udp: { exchange: refuse },
    rdap: { canAsk: () => false, ask: refuse },
    browser: { run: refuse, askField: refuse },
    work: { take: refuse },
    sendVerified: refuse,
    spent: () => [],
    close: () => undefined,
  }),
  close: () => undefined,
};

function refuse(): Promise<never> {
  return Promise.reject(new Error('this process touches no target'));
}
