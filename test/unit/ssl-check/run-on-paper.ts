import { vi } from 'vitest';
import type { SslEvidence } from '../../../worker/checks/ssl-check/evidence.ts';
import { gatherSsl } from '../../../worker/checks/ssl-check/gather/gather-ssl.ts';
import type { Probes } from '../../../worker/probes/port.ts';
import { connected, intermediate, leaf, leafWith } from './evidence-of.ts';
import { makeKey } from './issue-certificate.ts';
import { readClientHello } from './read-client-hello.ts';
import { type Order, speaks } from './speaks.ts';

const rsaLeaf = leafWith({ key: makeKey('rsa2048') });
const roundTripMs = 300;
const after = <T>(roundTrips: number, value: T) =>
  new Promise<T>((resolve) => {
    setTimeout(() => resolve(value), roundTrips * roundTripMs);
  });

/** What a server accepts; the order is its own unless it is the client's. */
export type PaperServer = {
  readonly tls12: readonly number[];
  readonly tls13: readonly number[];
  readonly groups: readonly number[];
  readonly order?: Order;
  /** Of the certificate of today's clients; ECDSA unless it is said. */
  readonly keyKind?: 'RSA';
};

/** How many round trips in series a run took, and what it saw. */
export type PaperRun = { readonly roundTrips: number; readonly evidence: SslEvidence };

/** A run against a server that is one round trip away, by a clock that only such waits move. */
export async function runOnPaper({ tls12, tls13, groups, order, keyKind }: PaperServer): Promise<PaperRun> {
  const speak = speaks(tls12, tls13, groups, order);
  const { maxEarlyDataBytes: _, ...handshake } = connected({
    certificates: [(keyKind === 'RSA' ? rsaLeaf : leaf).base64, intermediate.base64],
  });
  const address = '192.0.2.1';
  const probes: Probes = {
    policy: { addresses: { allow: [], deny: [] }, allowedSuffixes: ['test'], ports: [] },
    browser: {} as Probes['browser'],
    udp: {} as Probes['udp'],
    work: {} as Probes['work'],
    tls: {
      exchange: ({ send }) => {
        const reply = speak(readClientHello(send));
        const bytes = typeof reply === 'string' ? new Uint8Array(0) : reply;
        const ended = typeof reply === 'string' ? 'closed' : 'complete';
        return after(1, { kind: 'received', bytes, ended, address, ms: roundTripMs } as const);
      },
      // The handshake, and a ticket where it is waited for.
      handshake: ({ lingerMs }) =>
        after(lingerMs > 0 ? 2 : 1, {
          ...handshake,
          session: 'AAAA',
          isResumed: true,
          renegotiation: 'refused',
        } as const),
      addresses: async () => [address],
      connections: () => 0,
    },
    http: {
      ask: ({ url }) =>
        after(2, { kind: 'failure', url, code: 'not-http', reason: 'no HTTP', address: null } as const),
    },
    dns: {
      ask: (question) =>
        after(1, {
          kind: 'failure',
          question,
          code: 'timeout',
          reason: 'no answer',
          server: '192.0.2.53',
        } as const),
    },
  };
  vi.useFakeTimers();
  const start = performance.now();
  const gathering = gatherSsl({ target: 'a.test', options: {}, probes, progress: () => undefined });
  await vi.runAllTimersAsync();
  const evidence = await gathering;
  const roundTrips = Math.round((performance.now() - start) / roundTripMs);
  vi.useRealTimers();
  return { roundTrips, evidence };
}
