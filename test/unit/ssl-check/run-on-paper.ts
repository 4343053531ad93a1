import { vi } from 'vitest';
import type { GatherContext } from '../../../worker/checks/check.ts';
import type { SslEvidence } from '../../../worker/checks/ssl-check/evidence.ts';
import { gatherSsl } from '../../../worker/checks/ssl-check/gather/gather-ssl.ts';
import type { Probes } from '../../../worker/probes/port.ts';
import { connected, intermediate, leaf, leafWith } from './evidence-of.ts';
import { makeKey } from './issue-certificate.ts';
import { type ReadHello, readClientHello } from './read-client-hello.ts';
import { type Order, type Reply, speaks } from './speaks.ts';
import { alertRecord, writeServerFlight } from './write-server-flight.ts';

const rsaLeaf = leafWith({ key: makeKey('rsa2048') });
const roundTripMs = 300;
/** Gives a value after so many round trips. */
type After = <T>(roundTrips: number, value: T) => Promise<T>;
const after: After = (roundTrips, value) =>
  new Promise((resolve) => {
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
  /** Suites of TLS 1.0 and 1.1, none unless it is said. */
  readonly older?: readonly number[];
  /** One, unless it is said. */
  readonly addresses?: readonly string[];
};

/** How many round trips in series a run took, and what it saw. */
export type PaperRun = {
  readonly roundTrips: number;
  /** After how many the first handshake was finished. */
  readonly metAfter: number | null;
  readonly evidence: SslEvidence;
};

/** A run against a server that is one round trip away, by a clock that only such waits move. */
export async function runOnPaper(server: PaperServer): Promise<PaperRun> {
  vi.useFakeTimers();
  const start = performance.now();
  let isGathered = false;
  const inTrips = () => Math.round((performance.now() - start) / roundTripMs);
  let metAfter: number | null = null;
  const probes = probesOnPaper(server, after);
  const handshake: Probes['tls']['handshake'] = (request) =>
    probes.tls.handshake({
      ...request,
      onSecure: (met) => {
        metAfter ??= inTrips();
        request.onSecure?.(met);
      },
    });
  const watched = { ...probes, tls: { ...probes.tls, handshake } };
  const gathering = gatherSsl(contextOf(watched)).finally(() => {
    isGathered = true;
  });
  // Not until no timer is left: what other files opened may set one again and again.
  while (!isGathered) await vi.advanceTimersToNextTimerAsync();
  const evidence = await gathering;
  const roundTrips = inTrips();
  vi.useRealTimers();
  return { roundTrips, metAfter, evidence };
}

/** What a gather is given. */
export function contextOf(probes: Probes): GatherContext {
  return { target: 'a.test', options: {}, probes, progress: () => undefined };
}

/** Probes that know one server only. */
export function probesOnPaper(
  { tls12, tls13, groups, order, keyKind, older = [], addresses = ['192.0.2.1'] }: PaperServer,
  answer: After,
): Probes {
  const newer = speaks(tls12, tls13, groups, order);
  const speak = (hello: ReadHello | null) =>
    hello !== null && isOld(hello) && older.length > 0 ? speakOld(older, hello) : newer(hello);
  const { maxEarlyDataBytes: _, ...handshake } = connected({
    certificates: [(keyKind === 'RSA' ? rsaLeaf : leaf).base64, intermediate.base64],
  });
  return {
    policy: { addresses: { allow: [], deny: [] }, allowedSuffixes: ['test'], ports: [] },
    browser: {} as Probes['browser'],
    udp: {} as Probes['udp'],
    work: {} as Probes['work'],
    tls: {
      exchange: ({ send, address = '192.0.2.1' }) => {
        const reply = speak(readClientHello(send));
        const bytes = typeof reply === 'string' ? new Uint8Array(0) : reply;
        const ended = typeof reply === 'string' ? 'closed' : 'complete';
        return answer(1, { kind: 'received', bytes, ended, address, ms: roundTripMs } as const);
      },
      // The handshake, and a ticket where it is waited for.
      handshake: async ({ lingerMs, onSecure, address = '192.0.2.1' }) => {
        const shaken = { ...handshake, address, isResumed: true, renegotiation: 'refused' } as const;
        onSecure?.(await answer(1, { ...shaken, session: null }));
        return answer(lingerMs === 0 ? 0 : 1, { ...shaken, session: 'AAAA' });
      },
      addresses: () => answer(0, addresses),
      connections: () => 0,
    },
    http: {
      ask: ({ url }) =>
        answer(2, { kind: 'failure', url, code: 'not-http', reason: 'no HTTP', address: null } as const),
    },
    dns: {
      ask: (question) =>
        answer(1, {
          kind: 'failure',
          question,
          code: 'timeout',
          reason: 'no answer',
          server: '192.0.2.53',
        } as const),
    },
  };
}

function isOld({ version }: ReadHello): boolean {
  return version === 0x0301 || version === 0x0302;
}

function speakOld(own: readonly number[], { version, suites }: ReadHello): Reply {
  const suite = own.find((id) => suites.includes(id));
  return suite === undefined
    ? alertRecord(2, 40)
    : writeServerFlight({ version, suite, certificates: [Uint8Array.of(1)], done: true });
}
