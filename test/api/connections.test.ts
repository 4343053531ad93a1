import { connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { openService, type Service } from './kit.ts';

const limits = { headersMs: 2000, requestMs: 3000, checkEveryMs: 50, inAll: 60, perNetwork: 20 };
let service: Service;
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await service.close();
});

async function open(more: { readonly headersMs?: number } = {}): Promise<void> {
  service = await openService({ withWorker: false, connectionLimits: { ...limits, ...more } });
}

/** Opens a connection from an address of this machine and sends half a request. Resolves when it is closed, with what was answered. */
function sendHalf(
  localAddress: string,
  text = 'GET /api/me HTTP/1.1\r\nHost: localhost\r\n',
): Promise<string> {
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    const socket = connect({ port: service.port, host: '127.0.0.1', localAddress }, () => socket.write(text));
    sockets.push(socket);
    socket.on('data', (piece: Buffer) => pieces.push(piece));
    socket.on('error', () => undefined); // a reset is one way of being closed
    socket.on('close', () => resolve(Buffer.concat(pieces).toString()));
  });
}

const many = (count: number, address: string) => Array.from({ length: count }, () => sendHalf(address));

test('of one address only so many connections stay open, and others get in', async () => {
  await open();
  const halves = many(100, '127.0.0.2');
  const refused = halves.map(async (half) => ((await half) === '' ? 1 : 0));
  expect((await service.get('/api/me')).status).toBe(200);
  const counts = await Promise.all(refused);
  // What was let in is cut off with an answer; the rest is closed without one.
  expect(counts.reduce<number>((sum, count) => sum + count, 0)).toBe(100 - limits.perNetwork);
});

test('of all addresses together only so many connections stay open', async () => {
  await open();
  const addresses = Array.from({ length: 6 }, (_, index) => `127.0.0.${index + 10}`);
  const answers = await Promise.all(addresses.flatMap((address) => many(20, address)));
  expect(answers.filter((text) => text !== '')).toHaveLength(limits.inAll);
  expect((await service.get('/api/me')).status).toBe(200);
});

test('half a request, and a connection that says nothing, end after their time and free their places', async () => {
  await open({ headersMs: 300 });
  const [half, silent] = await Promise.all([sendHalf('127.0.0.2'), sendHalf('127.0.0.2', '')]);
  expect(half).toMatch(/^HTTP\/1\.1 408 [^]*"code":"invalid_request"/);
  expect(silent).toMatch(/^HTTP\/1\.1 408 |^$/);
  const again = await Promise.all(many(limits.perNetwork, '127.0.0.2'));
  expect(again.filter((text) => text === '')).toEqual([]);
});
