import type { Socket } from 'node:net';
import type { SslCode } from '#shared/catalogue/ssl-check/rules';
import { joinBytes, vectorBytes } from '../../../worker/certificates/grammar/byte-cursor.ts';
import { message, record, writeServerFlight } from '../../unit/ssl-check/write-server-flight.ts';

/** What a server does with each connection. */
export type Serve = (socket: Socket) => void;

const after =
  (serve: Serve): Serve =>
  (socket) =>
    void socket.once('data', () => serve(socket));
const says = (bytes: string | Uint8Array) => after((socket) => void socket.end(bytes));

/** Sends a piece every so often until the other side is gone. */
function drip(socket: Socket, piece: Uint8Array, everyMs: number): void {
  const timer = setInterval(() => socket.write(piece), everyMs);
  socket.once('close', () => clearInterval(timer));
}

const certificateFlood = joinBytes(
  ...Array.from({ length: 40 }, () => record(22, joinBytes(11, 1, 0, 0, new Uint8Array(16_000)))),
);
const flight = writeServerFlight({
  version: 0x0303,
  suite: 0xc02b,
  certificates: [new Uint8Array(2000)],
  done: true,
});
/** A whole flight without certificates. */
export const brokenChain = writeServerFlight({
  version: 0x0303,
  suite: 0xc02b,
  certificates: [],
  group: 23,
  done: true,
});
const liar = joinBytes(
  record(22, message(2, 3, 3, new Uint8Array(32), vectorBytes(1, []), 0xc0, 0x2b, 0, 255, 255)),
);

/** Servers that mean ill: what each does, and what it is found out to be. */
export const hostileServers: readonly (readonly [name: string, serve: Serve, code: SslCode])[] = [
  ['a reset at the greeting', after((socket) => void socket.resetAndDestroy()), 'connection-reset'],
  ['a hang-up at the greeting', after((socket) => void socket.end()), 'connection-closed'],
  ['a hang-up before it', (socket) => void socket.end(), 'connection-closed'],
  ['silence', () => undefined, 'tls-silent'],
  [
    'a tarpit that sends a record byte by byte',
    after((socket) => {
      socket.write(Uint8Array.of(22, 3, 3, 0x3f, 0xff, 2, 0, 0x3f, 0xf0));
      drip(socket, Uint8Array.of(3), 250);
    }),
    'tls-silent',
  ],
  ['half a ServerHello', after((socket) => void socket.write(flight.subarray(0, 40))), 'tls-silent'],
  ['plain HTTP', says('HTTP/1.1 400 Bad Request\r\n\r\n'), 'port-speaks-http'],
  ['SSH before the greeting', (socket) => void socket.write('SSH-2.0-OpenSSH_9.2\r\n'), 'port-not-tls'],
  [
    'an endless answer that is no TLS',
    after((socket) => drip(socket, new Uint8Array(65_536), 1)),
    'port-not-tls',
  ],
  [
    'a certificate without end',
    after((socket) => {
      socket.write(flight.subarray(0, 60));
      drip(socket, certificateFlood, 5);
    }),
    'server-hello-invalid',
  ],
  ['an extension that is longer than its message', says(liar), 'server-hello-invalid'],
  ['an alert nobody knows', says(Uint8Array.of(21, 3, 3, 0, 2, 2, 200)), 'tls-alert'],
  ['handshake_failure to everything', says(Uint8Array.of(21, 3, 3, 0, 2, 2, 40)), 'parameters-not-common'],
];
