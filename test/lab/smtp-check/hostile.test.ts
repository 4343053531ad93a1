import type { Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type MailServer, reply, type Script } from './mail-server.ts';
import { type MailWorld, openMailWorld } from './world.ts';

const zone = {
  'mail.test': { MX: [{ preference: 10, exchange: 'mx.mail.test' }] },
  'mx.mail.test': { A: ['127.0.0.41'] },
};
let world: MailWorld;
let server: MailServer;
beforeAll(async () => {
  world = await openMailWorld(zone, { limits: { greetingMs: 1000, replyMs: 1000, handshakeMs: 1000 } });
  server = await world.serve(41, {});
});
afterAll(() => world.close());

/** Writes as fast as the other side reads, until it hangs up. */
function pour(socket: Socket, text: string): void {
  const chunk = text.repeat(Math.ceil(65_536 / text.length));
  const more = () => {
    while (socket.writable && socket.write(chunk, 'latin1'));
  };
  socket.on('drain', more);
  more();
}

/** Writes one byte at a time, for ever. */
function drip(socket: Socket, text: string): void {
  let at = 0;
  const timer = setInterval(() => socket.write(text[at++ % text.length] ?? '.'), 5);
  socket.on('close', () => clearInterval(timer));
}

type Attack = {
  readonly name: string;
  readonly script: Script;
  readonly state: string;
  readonly startTls: string;
};

const attacks: readonly Attack[] = [
  {
    name: 'a greeting that never ends',
    script: { raw: (socket) => pour(socket, '220-still here\r\n') },
    state: 'unknown',
    startTls: 'unknown',
  },
  {
    name: 'endless banners',
    script: { raw: (socket) => pour(socket, '220 hello\r\n') },
    state: 'unknown',
    startTls: 'unknown',
  },
  {
    name: 'a line of a megabyte',
    script: { raw: (socket) => pour(socket, 'x') },
    state: 'unknown',
    startTls: 'unknown',
  },
  {
    name: 'lines of one byte',
    script: { raw: (socket) => pour(socket, '\n') },
    state: 'unknown',
    startTls: 'unknown',
  },
  {
    name: 'a byte now and then',
    script: { raw: (socket) => drip(socket, '220-a\r\n') },
    state: 'silent',
    startTls: 'unknown',
  },
  {
    name: 'an answer to EHLO that never ends',
    script: { ehlo: reply(250, ['mx', ...Array.from({ length: 5000 }, (_, at) => `X${at}`)]) },
    state: 'unknown',
    startTls: 'unknown',
  },
  {
    name: 'other codes in one reply',
    script: { ehlo: '250-mx\r\n550 no\r\n' },
    state: 'unknown',
    startTls: 'unknown',
  },
  {
    name: 'bytes that are no text',
    script: { greeting: '220 \u0000\u001b[31m\u009b\r\n' },
    state: 'ok',
    startTls: 'broken',
  },
  {
    name: 'a flight that never ends',
    script: { inPlace: (socket) => pour(socket, '\u0016\u0003\u0003\u0040\u0000') },
    state: 'ok',
    startTls: 'broken',
  },
  {
    name: 'a flight byte by byte',
    script: { inPlace: (socket) => drip(socket, '\u0016\u0003\u0003\u0000\u007a') },
    state: 'ok',
    startTls: 'broken',
  },
  {
    name: 'a reset in place of a handshake',
    script: { inPlace: (socket) => void socket.resetAndDestroy() },
    state: 'ok',
    startTls: 'broken',
  },
  {
    name: 'clear text that goes on behind STARTTLS',
    script: { inPlace: (socket) => pour(socket, '250 injected\r\n') },
    state: 'ok',
    startTls: 'broken',
  },
];

test.for(attacks)('$name ends, and is told for what it is', async ({ script, state, startTls }) => {
  server.serve(script);
  const before = process.threadCpuUsage();
  const { addresses, evidence } = await world.checkAnew('mail.test');
  const { user, system } = process.threadCpuUsage(before);
  expect(addresses[0]).toMatchObject({ state, startTls });
  // Server and client share this thread; the whole of it stays far below a second.
  expect((user + system) / 1000).toBeLessThan(1500);
  expect(evidence.connections).toBeLessThanOrEqual(2);
  expect(JSON.stringify(evidence).length).toBeLessThan(100_000);
  expect(JSON.stringify(addresses)).not.toMatch(/\\u00[019]/);
});
