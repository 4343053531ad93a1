// What the exchanges of a check cost a program that does nothing else, in a process of its own: ms of CPU for each round, as a message.
import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls, createSecureContext } from 'node:tls';
import { encode } from 'dns-packet';
import { writeClientHello } from '../worker/checks/ssl-check/grammar/client-hello.ts';
import type { TargetCounts } from './capacity-target.ts';

export type BareStart = {
  readonly counts: TargetCounts;
  readonly ports: { readonly http: number; readonly https: number; readonly dns: number };
};

const rounds = 60;
const lanes = 8;
const host = 'h1.test';
const address = '127.1.0.1';
const context = createSecureContext();
const hello = writeClientHello({
  version: 'TLSv1.2',
  servername: host,
  suites: [0xc02b, 0xc02f, 0xc02c, 0xc030],
  groups: [0x001d, 0x0017],
  alpn: ['http/1.1'],
  compression: false,
  random: randomBytes(32),
});
const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;

process.once('message', (start: BareStart) => {
  void measure(start).then((ms) => process.send?.(ms, () => process.exit()));
});

async function measure({ counts, ports }: BareStart): Promise<number> {
  const round = () => runRound(counts, ports);
  for (let each = 0; each < 10; each += 1) await round();
  let least = Infinity;
  for (let turn = 0; turn < 3; turn += 1) {
    const before = process.cpuUsage();
    for (let each = 0; each < rounds; each += lanes) await Promise.all(Array.from({ length: lanes }, round));
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000 / (Math.ceil(rounds / lanes) * lanes));
  }
  return least;
}

/** As many of each as a check makes. Requests beyond the handshakes and the plain connections go over connections that are open. */
async function runRound(counts: TargetCounts, ports: BareStart['ports']): Promise<void> {
  const handshakes = Math.round(counts.handshakes);
  const requests = Math.round(counts.requests);
  const others = Math.round(counts.connections) - handshakes;
  // ssl-check alone shakes hands in plain connections, with hellos of its own.
  const isPlainHttp = others <= 3;
  const overTls = Math.max(0, requests - (isPlainHttp ? others : 0));
  await Promise.all([
    ...Array.from({ length: handshakes }, (_, index) =>
      overSecure(ports.https, Math.floor((overTls + handshakes - 1 - index) / Math.max(1, handshakes))),
    ),
    ...Array.from({ length: others }, () =>
      isPlainHttp ? overPlain(ports.http, request('/')) : overPlain(ports.https, hello),
    ),
    ask(ports.dns, Math.round(counts.questions)),
  ]);
}

async function overSecure(port: number, requests: number): Promise<void> {
  const tls = connectTls({
    host: address,
    port,
    servername: host,
    rejectUnauthorized: false,
    secureContext: context,
  });
  await once(tls, 'secureConnect');
  for (let each = 0; each < requests; each += 1) {
    tls.write(request(each === 0 ? '/' : '/none'));
    await once(tls, 'data');
  }
  await end(tls);
}

async function overPlain(port: number, bytes: string | Uint8Array): Promise<void> {
  const socket = connectTcp(port, address);
  await once(socket, 'connect');
  socket.write(bytes);
  await once(socket, 'data');
  await end(socket);
}

async function end(socket: Socket): Promise<void> {
  const closed = once(socket, 'close');
  socket.destroy();
  await closed;
}

async function ask(port: number, questions: number): Promise<void> {
  const question = encode({ type: 'query', id: 1, questions: [{ type: 'A', name: host }] });
  await Promise.all(
    Array.from({ length: questions }, async () => {
      const socket = createSocket('udp4').on('error', () => undefined);
      socket.send(question, port, '127.0.0.1');
      await once(socket, 'message');
      socket.close();
    }),
  );
}
