import { connect, type Socket } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import type { SslCode } from '#shared/catalogue/ssl-check/rules';
import { joinBytes, vectorBytes } from '../../../worker/certificates/grammar/byte-cursor.ts';
import { message, record, writeServerFlight } from '../../unit/ssl-check/write-server-flight.ts';
import { openSslLab, runLimitMs } from './lab.ts';
import { identity, type LabServer, openNothing, openTcpServer, openTlsServer } from './servers.ts';

// Waiting is half of the real one, so that silence does not make the suite long.
const lab = await openSslLab({
  zone: { 'inside.test': { A: ['10.0.0.1'] } },
  limits: { firstTimeoutMs: 2500 },
});
afterAll(() => lab.close());

const tcp = (serve: (socket: Socket) => void) => () => openTcpServer(serve);
const after = (serve: (socket: Socket) => void) =>
  tcp((socket) => void socket.once('data', () => serve(socket)));
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
const brokenChain = writeServerFlight({
  version: 0x0303,
  suite: 0xc02b,
  certificates: [],
  group: 23,
  done: true,
});
const liar = joinBytes(
  record(22, message(2, 3, 3, new Uint8Array(32), vectorBytes(1, []), 0xc0, 0x2b, 0, 255, 255)),
);

type Case = readonly [name: string, open: () => Promise<LabServer>, code: SslCode];
const cases: readonly Case[] = [
  ['a closed port', openNothing, 'connection-refused'],
  ['a reset at the greeting', after((socket) => void socket.resetAndDestroy()), 'connection-reset'],
  ['a hang-up at the greeting', after((socket) => void socket.end()), 'connection-closed'],
  ['a hang-up before it', tcp((socket) => void socket.end()), 'connection-closed'],
  ['silence', tcp(() => undefined), 'tls-silent'],
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
  ['SSH before the greeting', tcp((socket) => void socket.write('SSH-2.0-OpenSSH_9.2\r\n')), 'port-not-tls'],
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
    'port-not-tls',
  ],
  ['an extension that is longer than its message', says(liar), 'port-not-tls'],
  ['an alert nobody knows', says(Uint8Array.of(21, 3, 3, 0, 2, 2, 200)), 'tls-alert'],
  ['handshake_failure to everything', says(Uint8Array.of(21, 3, 3, 0, 2, 2, 40)), 'parameters-not-common'],
];

test.for(cases)('%s is named, and ends in time', async ([, open, code]) => {
  const server = await open();
  const { broken, report, tookMs } = await lab.check(server.port);
  await server.close();
  expect(broken).toContain(code);
  expect(broken.filter((one) => one !== 'caa-missing')).toEqual([code]);
  expect(report.score).toBe(code.startsWith('port-') ? 20 : null);
  expect(tookMs).toBeLessThan(runLimitMs);
});

test('an answer without certificates is judged as far as it goes', async () => {
  const server = await says(brokenChain)();
  const { report, broken } = await lab.check(server.port);
  await server.close();
  // F, less a point for the master secret.
  expect(report.score).toBe(19);
  expect(broken).toContain('handshake-not-completed');
  expect(report.notTested.map(({ code }) => code)).toContain('certificate-expired');
});

test('a name that does not exist, and one that leads inside, make no connection', async () => {
  expect((await lab.check(443, 'nobody.test')).broken).toContain('name-not-found');
  const seen = await lab.check(443, 'inside.test');
  expect(seen.broken).toContain('target-address-not-allowed');
  expect(JSON.stringify(seen.report)).not.toContain('10.0.0.1');
});

/** Passes on to a good server what comes in one piece of at most so many bytes, and deals with the rest in its own way. */
async function openNarrow(limitBytes: number, refuse: (socket: Socket) => void) {
  const good = await openTlsServer(identity(lab.leaf, lab.intermediate));
  const front = await openTcpServer((socket) => {
    socket.once('data', (first) => {
      if (first.length > limitBytes) return refuse(socket);
      const back = connect(good.port, '127.0.0.1');
      back.on('error', () => socket.destroy()).write(first);
      socket.pipe(back).pipe(socket);
    });
  });
  return { port: front.port, close: () => Promise.all([front.close(), good.close()]) };
}

const refusals: readonly (readonly [string, (socket: Socket) => void])[] = [
  ['drops', () => undefined],
  ['resets', (socket) => void socket.resetAndDestroy()],
  ['closes', (socket) => void socket.end()],
];
test.for(refusals)('a middlebox that %s long greetings is found out', async ([, refuse]) => {
  const server = await openNarrow(1000, refuse);
  const { broken, report } = await lab.check(server.port);
  await server.close();
  expect(broken).toContain('client-hello-size-intolerance');
  expect(report).toMatchObject({ trust: { trusted: true } });
});

test('a server that falls silent is judged by what it said', async () => {
  const good = await openTlsServer(identity(lab.leaf, lab.intermediate));
  let served = 0;
  const front = await openTcpServer((socket) => {
    served += 1;
    if (served > 4) return;
    const back = connect(good.port, '127.0.0.1');
    back.on('error', () => socket.destroy());
    socket.pipe(back).pipe(socket);
  });
  const { report, tookMs } = await lab.check(front.port);
  await Promise.all([front.close(), good.close()]);
  expect(report.state).toBe('partial');
  expect(report.notTested.length).toBeGreaterThan(5);
  expect(report).toMatchObject({ trust: { trusted: true } });
  expect(tookMs).toBeLessThan(runLimitMs);
});
