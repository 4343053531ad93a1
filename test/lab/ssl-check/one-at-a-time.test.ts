import { connect, type Socket } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { openSslLab } from './lab.ts';
import { identity, type LabServer, openTcpServer, openTlsServer } from './servers.ts';

const lab = await openSslLab({
  zone: { 'two.test': { A: ['127.0.0.1'], AAAA: ['::1'] } },
  limits: { firstTimeoutMs: 2500 },
});
afterAll(() => lab.close());

type Door = LabServer & { readonly turnedAway: () => number };

/** A good server behind a door for so many connections at a time. @param turnAway what becomes of any other; it is given what lets the connection in */
async function openDoor(
  turnAway: (socket: Socket, enter: () => void) => void,
  { places = 1, delayMs = 0 } = {},
): Promise<Door> {
  const good = await openTlsServer(identity(lab.leaf, lab.intermediate));
  const line: (() => void)[] = [];
  let taken = 0;
  let turnedAway = 0;
  const enter = (socket: Socket) => {
    taken += 1;
    const back = connect(good.port, '127.0.0.1');
    back.on('error', () => socket.destroy());
    back.pipe(socket);
    socket.once('data', (bytes) => {
      socket.pause();
      setTimeout(() => {
        back.write(bytes);
        socket.pipe(back);
      }, delayMs);
    });
    socket.once('close', () => {
      back.destroy();
      taken -= 1;
      line.shift()?.();
    });
  };
  const door = await openTcpServer((socket) => {
    if (taken < places) return enter(socket);
    turnedAway += 1;
    turnAway(socket, () => line.push(() => enter(socket)));
  });
  return {
    port: door.port,
    turnedAway: () => turnedAway,
    close: async () => void (await Promise.all([door.close(), good.close()])),
  };
}

test.for<readonly [string, Parameters<typeof openDoor>[0]]>([
  ['closes', (socket) => void socket.end()],
  ['resets', (socket) => void socket.resetAndDestroy()],
  ['keeps waiting', (_, enter) => enter()],
])('a server that %s all connections but one is asked one question at a time', async ([, turnAway]) => {
  const door = await openDoor(turnAway);
  const { report, broken } = await lab.check(door.port);
  await door.close();
  expect(door.turnedAway()).toBeGreaterThan(0);
  expect(broken).toEqual(['caa-missing']);
  expect(report).toMatchObject({
    state: 'complete',
    sslLabsEquivalent: 'A+',
    trust: { trusted: true },
    protocols: { 'TLSv1.3': true, 'TLSv1.2': true, 'TLSv1.1': false },
    suitesComplete: true,
  });
});

test('a server that takes eight connections at once is found out whole', async () => {
  // Every answer takes as long, so that many connections are open at once.
  const door = await openDoor((socket) => void socket.resetAndDestroy(), { places: 8, delayMs: 200 });
  const { report, evidence } = await lab.check(door.port);
  await door.close();
  expect(door.turnedAway()).toBeGreaterThan(0);
  expect(evidence.connections).toBeLessThanOrEqual(45);
  expect(report).toMatchObject({
    state: 'complete',
    sslLabsEquivalent: 'A+',
    protocols: { 'TLSv1.3': true, 'TLSv1.2': true, 'TLSv1.1': false },
    suitesComplete: true,
  });
});

test('a silent address keeps no other waiting', async () => {
  const seen = { asked: 0, askedAtEnd: null as number | null };
  const good = await openTlsServer(identity(lab.leaf, lab.intermediate), undefined, () => {
    seen.asked += 1;
  });
  const silent = await openTcpServer(
    // What it has sent must be read, or its end is not seen.
    (socket) => void socket.resume().once('close', () => (seen.askedAtEnd ??= seen.asked)),
    { address: '::1', port: good.port },
  );
  const { report } = await lab.check(good.port, 'two.test');
  await Promise.all([good.close(), silent.close()]);
  expect(seen.askedAtEnd).toBe(seen.asked);
  expect(report).toMatchObject({
    endpoints: [
      { address: '127.0.0.1', state: 'complete' },
      { address: '::1', state: 'unreachable' },
    ],
  });
});
