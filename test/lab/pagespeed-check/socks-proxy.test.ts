import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openMemoryPace } from '#shared/limits/pace/memory';
import { parseCidr } from '#shared/targets/classify-address';
import { openAddressSlots } from '../../../worker/probes/address-slots.ts';
import { openRequestSplitter, type SentPart } from '../../../worker/probes/browser/request-splitter.ts';
import {
  type ChargeRequest,
  openSocksProxy,
  type SocksProxy,
} from '../../../worker/probes/browser/socks-proxy.ts';
import type { TrafficBudget } from '../../../worker/probes/browser/traffic-account.ts';
import { describeSpent, openBudget } from '../../../worker/probes/budget.ts';
import { DialFailure } from '../../../worker/probes/dial-failure.ts';
import { openGuard } from '../../../worker/probes/guard.ts';

const reached: string[] = [];
/** Counted by the target itself. */
let heardBytes = 0;
const server = createServer((socket) => {
  reached.push(socket.localAddress ?? '');
  socket.on('data', (bytes: Buffer) => {
    heardBytes += bytes.length;
  });
  socket.on('error', () => undefined);
  // Echoes, and pours when asked to.
  socket.on('data', (bytes) => socket.write(bytes[0] === 0x2b ? Buffer.alloc(100_000, 'x') : bytes));
});
let port = 0;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => new Promise<void>((resolve) => void server.close(() => resolve())));

const roomySite = { connections: 100, receivedBytes: 1_000_000, sentBytes: 1_000_000, sentPieces: 1000 };
const roomy: TrafficBudget = {
  bytes: 1_000_000,
  connections: 100,
  connectionsAtOnce: 50,
  own: roomySite,
  foreign: roomySite,
};

async function open(
  budget: Partial<TrafficBudget> = {},
  chargeRequest?: ChargeRequest,
  audited = 'a.test',
): Promise<SocksProxy> {
  const policy = {
    addresses: { allow: [parseCidr('127.0.0.1/32')], deny: [] },
    allowedSuffixes: ['test'],
    ports: [[port, port] as const],
  };
  const dial = openGuard({
    policy,
    portMap: new Map(),
    slots: openAddressSlots(64),
    charge: async () => undefined,
    connectTimeoutMs: 1000,
    async resolve(host) {
      if (host === 'gone.test') throw new DialFailure('name-not-found', 'the name does not exist in the DNS');
      if (host === 'mixed.test') return ['127.0.0.1', '10.0.0.1'];
      return [host === 'private.test' ? '127.0.0.9' : '127.0.0.1'];
    },
  });
  const more = chargeRequest ? { chargeRequest } : {};
  return (await openSocksProxy()).serve({ audited, dial, policy, budget: { ...roomy, ...budget }, ...more });
}

/** A client that has sent its CONNECT; `reply` is the second byte of the answer, or undefined when the proxy hung up. */
async function ask(
  proxy: SocksProxy,
  host: string,
  toPort = port,
): Promise<{ socket: Socket; reply: number | undefined }> {
  const socket = connect(proxy.port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(Uint8Array.of(5, 1, 0));
  await readFrom(socket);
  socket.write(Uint8Array.of(5, 1, 0, 3, host.length, ...Buffer.from(host), toPort >> 8, toPort & 255));
  const answer = await readFrom(socket);
  return { socket, reply: answer?.[1] };
}

function readFrom(socket: Socket): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    socket.once('data', (bytes: Buffer) => resolve(bytes));
    socket.once('close', () => resolve(undefined));
  });
}

test('bytes go both ways, and are counted', async () => {
  const proxy = await open();
  const { socket, reply } = await ask(proxy, 'a.test');
  socket.write('hello');
  expect(reply).toBe(0);
  expect(String(await readFrom(socket))).toBe('hello');
  expect(proxy.traffic()).toEqual({
    connections: 1,
    receivedBytes: 5,
    sentBytes: 5,
    overspent: [],
    refused: [],
    cut: null,
  });
  await proxy.close();
});

test.for([
  { name: 'a private address', host: '10.0.0.1', code: 'target-not-allowed' },
  { name: 'the same as one number', host: '167772161', code: 'target-not-allowed' },
  { name: 'IPv6 loopback', host: '::1', code: 'target-not-allowed' },
  { name: 'loopback in IPv6', host: '::ffff:127.0.0.1', code: 'target-not-allowed' },
  { name: 'localhost', host: 'localhost', code: 'target-not-allowed' },
  {
    name: 'a name with one private address among others',
    host: 'mixed.test',
    code: 'target-address-not-allowed',
  },
  { name: 'a name with a private address', host: 'private.test', code: 'target-address-not-allowed' },
  { name: 'a name that does not exist', host: 'gone.test', code: 'name-not-found' },
])('$name is not connected to, and is told of', async ({ host, code }) => {
  const proxy = await open();
  const before = reached.length;
  const { reply } = await ask(proxy, host);
  expect(reply).toBeGreaterThan(0);
  expect(proxy.traffic().refused.map((refused) => refused.code)).toEqual([code]);
  expect(reached.length).toBe(before);
  await proxy.close();
});

test('a port that may not be named is refused', async () => {
  const proxy = await open();
  const { reply } = await ask(proxy, 'a.test', 25);
  expect(reply).toBe(2);
  await proxy.close();
});

test('what Chromium asks for by itself is refused without a word', async () => {
  const proxy = await open();
  const { reply } = await ask(proxy, 'update.googleapis.com');
  expect(reply).toBe(2);
  expect(proxy.traffic()).toEqual({
    connections: 0,
    receivedBytes: 0,
    sentBytes: 0,
    overspent: [],
    refused: [],
    cut: null,
  });
  await proxy.close();
});

test('after the last byte of the budget everything is cut', async () => {
  const proxy = await open({ bytes: 50_000 });
  const { socket } = await ask(proxy, 'a.test');
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.resume();
  socket.write('+');
  await closed;
  expect(proxy.traffic().cut).toBe('bytes');
  const { reply } = await ask(proxy, 'a.test');
  expect(reply).toBe(2);
  await proxy.close();
});

test('after the last connection of the budget none is made', async () => {
  const proxy = await open({ connections: 2 });
  const replies = [await ask(proxy, 'a.test'), await ask(proxy, 'a.test'), await ask(proxy, 'a.test')].map(
    ({ reply }) => reply,
  );
  expect(replies).toEqual([0, 0, 2]);
  expect(proxy.traffic().cut).toBe('connections');
  await proxy.close();
});

const spentOnForeign: readonly {
  name: string;
  budget: Partial<TrafficBudget['foreign']>;
  what: string;
  piece: string;
}[] = [
  {
    name: 'bytes that it uploads',
    budget: { sentBytes: 100_000 },
    what: 'sentBytes',
    piece: 'x'.repeat(20_000),
  },
  { name: 'bytes that it downloads', budget: { receivedBytes: 150_000 }, what: 'receivedBytes', piece: '+' },
  { name: 'requests', budget: { sentPieces: 20 }, what: 'sentPieces', piece: 'GET / HTTP/1.1' },
];
test.for(spentOnForeign)(
  'a page that spends its $name at another site loses that site alone',
  async ({ budget, what, piece }) => {
    const proxy = await open({ foreign: { ...roomySite, ...budget } });
    const own = await ask(proxy, 'a.test');
    const { socket } = await ask(proxy, 'www.victim.test');
    const before = heardBytes;
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.on('data', () => socket.write(piece));
    socket.write(piece);
    await closed;
    expect(proxy.traffic()).toMatchObject({ cut: null, overspent: [{ site: 'victim.test', what }] });
    expect(heardBytes - before).toBeLessThan(250_000);
    expect((await ask(proxy, 'api.victim.test')).reply).toBe(2);
    own.socket.write('still there');
    expect(String(await readFrom(own.socket))).toBe('still there');
    await proxy.close();
  },
);

test('a page makes so many connections to another site, under whatever names, and no more', async () => {
  const proxy = await open({ foreign: { ...roomySite, connections: 3 } });
  const before = reached.length;
  const replies: (number | undefined)[] = [];
  for (const name of ['a', 'b', 'c', 'd', 'e']) replies.push((await ask(proxy, `${name}.victim.test`)).reply);
  expect(replies).toEqual([0, 0, 0, 2, 2]);
  expect(reached.length - before).toBe(3);
  expect((await ask(proxy, 'a.test')).reply).toBe(0);
  await proxy.close();
});

const record = (length: number, type = 23) => [
  type,
  3,
  3,
  length >> 8,
  length & 255,
  ...Array<number>(length).fill(length & 255),
];

test('requests over TLS are told by their records, however they are cut into pieces, and nothing is lost', () => {
  // A ClientHello, what changes the cipher, the end of the handshake, a WINDOW_UPDATE, three requests, a PING and an empty record.
  const records = [[300, 22], [1, 20], [53], [30], [60], [300], [47], [34], [0]] as const;
  const stream = Uint8Array.from(records.flatMap(([length, type]) => record(length, type)));
  for (const size of [1, 2, 7, 400, 4000]) {
    const split = openRequestSplitter();
    const parts: SentPart[] = [];
    for (let at = 0; at < stream.length; at += size) parts.push(...split(stream.subarray(at, at + size)));
    expect(parts.filter(({ isRequest }) => isRequest)).toHaveLength(3);
    expect(Buffer.concat(parts.map(({ bytes }) => bytes))).toEqual(Buffer.from(stream));
    // Each begins with its record, so that one that is not paid for is not sent.
    expect(parts.filter(({ isRequest }) => isRequest).map(({ bytes }) => bytes[0])).toEqual([23, 23, 23]);
  }
});

test('without TLS each piece is a request, and the first is that of the connection', () => {
  const split = openRequestSplitter();
  const told = ['GET /a', 'GET /b', 'body'].map((text) => split(Buffer.from(text)));
  expect(told.flat().map(({ isRequest }) => isRequest)).toEqual([false, true, true]);
});

test('a thousand requests in one piece: the site gets as many as are allowed, and no more', async () => {
  const proxy = await open({ foreign: { ...roomySite, sentPieces: 300 } });
  const { socket } = await ask(proxy, 'www.victim.test');
  const before = heardBytes;
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.resume();
  const requests = Array.from({ length: 1000 }, () => record(60)).flat();
  socket.write(Uint8Array.from([...record(300, 22), ...record(53), ...requests]));
  await closed;
  // The connection is one of them. The site still reads what was sent to it when the other end closes.
  await expect.poll(() => heardBytes - before).toBe(305 + 58 + 299 * 65);
  await proxy.close();
});

test('all runs together send an address requests at its pace, as the address counts them', async () => {
  const pace = openMemoryPace();
  const chargeOf = (site: string): ChargeRequest => {
    const budget = openBudget(pace, { site, isAnonymous: true });
    return async (address, signal) => {
      const spent = await budget.chargeInSlot('requests', address, signal);
      if (spent) throw new DialFailure('budget-spent', describeSpent(spent), { address });
    };
  };
  const proxies = await Promise.all(
    ['a.test', 'b.test'].map((site) =>
      open({ own: { ...roomySite, sentPieces: 1000 } }, chargeOf(site), site),
    ),
  );
  const before = heardBytes;
  const start = performance.now();
  const sockets = await Promise.all(
    proxies.map(async (proxy, at) => (await ask(proxy, at === 0 ? 'a.test' : 'b.test')).socket),
  );
  const stream = Uint8Array.from([
    ...record(300, 22),
    ...record(53),
    ...Array.from({ length: 400 }, () => record(60)).flat(),
  ]);
  for (const socket of sockets) socket.resume().write(stream);
  await delay(3000);
  const requests = (heardBytes - before - 2 * (305 + 58)) / 65;
  const tookS = (performance.now() - start) / 1000;
  expect(requests).toBeLessThanOrEqual((250 + 25 * tookS) * 1.1);
  expect(requests).toBeGreaterThanOrEqual(250 + 25 * 2);
  await Promise.all(proxies.map((proxy) => proxy.close()));
  await pace.close();
});

test('who does not speak SOCKS5 is hung up on', async () => {
  const proxy = await open();
  const socket = connect(proxy.port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write('GET http://127.0.0.1/ HTTP/1.1\r\n\r\n');
  expect(await readFrom(socket)).toBeUndefined();
  await proxy.close();
});

test('closing ends every connection', async () => {
  const proxy = await open();
  const { socket } = await ask(proxy, 'a.test');
  const closed = new Promise<boolean>((resolve) => socket.once('close', () => resolve(true)));
  await proxy.close();
  expect(await closed).toBe(true);
});

test('a thousand refusals of one page are told in fifty', async () => {
  const proxy = await open();
  for (let n = 0; n < 60; n += 1) await ask(proxy, `10.0.0.${n}`);
  expect(proxy.traffic().refused).toHaveLength(50);
  await proxy.close();
});
