import { expect, test, vi } from 'vitest';
import { gatherSsl } from '../../../worker/checks/ssl-check/gather/gather-ssl.ts';
import type { Probes } from '../../../worker/probes/port.ts';
import { connected } from './evidence-of.ts';
import { readClientHello } from './read-client-hello.ts';
import { speaks } from './speaks.ts';

const roundTripMs = 300;
const after = <T>(roundTrips: number, value: T) =>
  new Promise<T>((resolve) => {
    setTimeout(() => resolve(value), roundTrips * roundTripMs);
  });

type Server = { readonly tls12: number[]; readonly tls13: number[]; readonly groups: number[] };

/** A run against a server that is one round trip away, by a clock that only such waits move. */
async function run({ tls12, tls13, groups }: Server) {
  const speak = speaks(tls12, tls13, groups);
  const { maxEarlyDataBytes: _, ...handshake } = connected();
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
  const { connections } = await gathering;
  const roundTrips = Math.round((performance.now() - start) / roundTripMs);
  vi.useRealTimers();
  return { roundTrips, connections };
}

const curves = [0x11ec, 0x001d, 0x0017, 0x0018, 0x0019];
test.for([
  [
    'a careful server',
    { tls12: [0xc02b, 0xc02c, 0xcca9], tls13: [0x1302, 0x1303, 0x1301], groups: curves },
    9,
  ],
  ['TLS 1.3 alone', { tls12: [], tls13: [0x1302, 0x1303, 0x1301], groups: curves }, 9],
  [
    'a server with the suites of OpenSSL’s defaults',
    {
      tls12: [
        0xc030, 0xcca8, 0xc02f, 0xc028, 0xc027, 0xc014, 0xc013, 0x009d, 0x009c, 0x003d, 0x003c, 0x0035,
        0x002f,
      ],
      tls13: [0x1302, 0x1303, 0x1301],
      groups: curves,
    },
    9,
  ],
] as const)('%s', async ([, server, most]) => {
  const seen = await run({ tls12: [...server.tls12], tls13: [...server.tls13], groups: [...server.groups] });
  expect(seen.roundTrips).toBeLessThanOrEqual(most);
  expect(seen.connections).toBeLessThanOrEqual(45);
});
