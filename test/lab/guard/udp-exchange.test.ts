import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { parseCidr } from '#shared/targets/classify-address';
import { openAddressSlots } from '../../../worker/probes/address-slots.ts';
import { DialFailure } from '../../../worker/probes/dial-failure.ts';
import { openUdpProbe } from '../../../worker/probes/udp/open.ts';
import type { UdpRequest } from '../../../worker/probes/udp/port.ts';

const question = new Uint8Array(1200).fill(1);

/** A UDP server on loopback that counts what arrives. */
async function openServer(
  answer: (socket: Socket, datagram: Buffer, from: RemoteInfo) => void,
  address = '127.0.0.1',
) {
  const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
  const arrived: Buffer[] = [];
  socket.on('message', (datagram, from) => {
    arrived.push(datagram);
    answer(socket, datagram, from);
  });
  socket.bind(0, address);
  await once(socket, 'listening');
  return { port: socket.address().port, arrived, close: () => socket.close() };
}

type Wishes = {
  readonly allow?: readonly string[];
  readonly charge?: () => Promise<void>;
  readonly addresses?: readonly string[];
};

function openProbe({
  allow = ['127.0.0.0/8', '::1/128'],
  charge = async () => undefined,
  addresses = ['127.0.0.1', '::1'],
}: Wishes = {}) {
  const slots = openAddressSlots(8);
  const settings = {
    policy: {
      addresses: { allow: allow.map(parseCidr), deny: [] },
      allowedSuffixes: ['test'],
      ports: [[1024, 65_535] as const],
    },
    resolve: async () => addresses,
    portMap: new Map(),
    slots,
    charge,
  };
  const stop = new AbortController();
  const probe = openUdpProbe(settings, { isSeen: false }, stop.signal);
  const ask = (port: number, more: Partial<UdpRequest> = {}) =>
    probe.exchange({
      host: 'a.test',
      port,
      address: '127.0.0.1',
      send: question,
      timeoutMs: 2000,
      limitBytes: 256,
      ...more,
    });
  return { ask, slots, stop };
}

test.for(['127.0.0.1', '::1'])('an answer from %s comes back whole', async (address) => {
  const server = await openServer((socket, _, { port }) => socket.send('pong', port, address), address);
  const { ask, slots } = openProbe();
  const seen = await ask(server.port, { address });
  server.close();
  expect(seen).toMatchObject({ kind: 'received', address });
  expect(seen.kind === 'received' && Buffer.from(seen.bytes).toString()).toBe('pong');
  expect(server.arrived).toEqual([Buffer.from(question)]);
  expect(slots.inUse()).toBe(0);
});

test('a silent port is asked twice, and silence says nothing until any answer has come over UDP', async () => {
  const silent = await openServer(() => undefined);
  const speaking = await openServer((socket, _, { port }) => socket.send('pong', port));
  const { ask } = openProbe();
  expect(await ask(silent.port, { timeoutMs: 100 })).toMatchObject({ kind: 'silent', isUdpSeen: false });
  expect(silent.arrived).toHaveLength(2);
  await ask(speaking.port);
  expect(await ask(silent.port, { timeoutMs: 100 })).toMatchObject({ kind: 'silent', isUdpSeen: true });
  silent.close();
  speaking.close();
});

test('a closed port is refused at once by ICMP, and that proves that UDP arrives', async () => {
  const closed = await openServer(() => undefined);
  const silent = await openServer(() => undefined);
  closed.close();
  const { ask, slots } = openProbe();
  expect(await ask(closed.port)).toMatchObject({ kind: 'failure', code: 'connection-refused' });
  expect(await ask(silent.port, { timeoutMs: 100 })).toMatchObject({ kind: 'silent', isUdpSeen: true });
  silent.close();
  expect(slots.inUse()).toBe(0);
});

test('of a server that amplifies only the beginning of the first datagram is kept', async () => {
  const server = await openServer((socket, _, { port }) => {
    for (let count = 0; count < 50; count += 1) socket.send(Buffer.alloc(60_000, count), port);
  });
  const { ask } = openProbe();
  const seen = await ask(server.port);
  server.close();
  expect(seen.kind === 'received' && seen.bytes).toEqual(new Uint8Array(256));
  expect(server.arrived).toHaveLength(1);
});

test('what comes from another port than was asked is no answer', async () => {
  const stranger = createSocket('udp4');
  const server = await openServer((_, __, { port }) => stranger.send('forged', port, '127.0.0.1'));
  const { ask } = openProbe();
  expect(await ask(server.port, { timeoutMs: 150 })).toMatchObject({ kind: 'silent' });
  server.close();
  stranger.close();
});

test('an address that this machine has no way to is a failure, and its place is given back', async () => {
  const broadcast = '255.255.255.255';
  const { ask, slots } = openProbe({ allow: [`${broadcast}/32`], addresses: [broadcast] });
  expect(await ask(4433, { address: broadcast })).toMatchObject({
    kind: 'failure',
    code: 'network-unreachable',
  });
  expect(slots.inUse()).toBe(0);
});

test('a datagram that the system does not take is a failure', async () => {
  const server = await openServer(() => undefined);
  const { ask, slots } = openProbe();
  expect(await ask(server.port, { send: new Uint8Array(70_000) })).toMatchObject({
    kind: 'failure',
    code: 'network-unreachable',
  });
  server.close();
  expect(slots.inUse()).toBe(0);
});

test.for([
  ['an address that is not public', { allow: [] }, {}, 'target-address-not-allowed'],
  ['an address of another name', {}, { address: '127.0.0.9' }, 'name-not-found'],
  ['a port that is not checked', {}, { port: 53 }, 'target-not-allowed'],
  [
    'an address that has been asked enough',
    {
      charge: async () => {
        throw new DialFailure('budget-spent', 'enough');
      },
    },
    {},
    'budget-spent',
  ],
] as const)('nothing is sent to %s', async ([, wishes, request, code]) => {
  const server = await openServer(() => undefined);
  const { ask, slots } = openProbe(wishes);
  expect(await ask(server.port, request)).toMatchObject({ kind: 'failure', code });
  // Loopback delivers in order: what had been sent would be there before this.
  const witness = createSocket('udp4');
  witness.send('witness', server.port, '127.0.0.1');
  await expect.poll(() => server.arrived.map(String)).toEqual(['witness']);
  witness.close();
  server.close();
  expect(slots.inUse()).toBe(0);
});

test('the end of a run closes the socket and gives its place back', async () => {
  let own = 0;
  const server = await openServer((_, __, { port }) => {
    own = port;
  });
  const { ask, slots, stop } = openProbe();
  const asking = ask(server.port, { timeoutMs: 60_000 });
  await expect.poll(() => own).not.toBe(0);
  expect(slots.inUse()).toBe(1);
  stop.abort(new Error('the run is over'));
  await expect(asking).rejects.toThrow('the run is over');
  server.close();
  expect(slots.inUse()).toBe(0);
  expect(await openProbe().ask(own)).toMatchObject({ kind: 'failure', code: 'connection-refused' });
});
