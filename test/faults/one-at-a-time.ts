import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** A way to a server of MongoDB's protocol that lets through one call after the other. */
export type OneAtATime = {
  readonly port: number;
  /** How long each call takes from now on, in ms. */
  take(callMs: number): void;
  /** Lets nothing through for so long. */
  pause(ms: number): void;
  /** Calls let through, and connections opened, so far. */
  readonly seen: { calls: number; connections: number };
  close(): Promise<void>;
};

/** What reads and writes documents; the handshake and the monitor of a driver do not wait, as a busy server answers them at once, too. */
const isCall = (message: Buffer) =>
  /(?:find|insert|update|delete|aggregate)\0/.test(message.toString('latin1', 16, 64));

/** Opens it. A driver sends one command at a time over a connection, and waits for its answer. */
export async function openOneAtATime(toPort: number): Promise<OneAtATime> {
  const sockets = new Set<Socket>();
  const seen = { calls: 0, connections: 0 };
  let tookMs = 0;
  let last: Promise<unknown> = Promise.resolve();
  const server = createServer((client) => {
    seen.connections += 1;
    const upstream = connect(toPort, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.once('close', () => sockets.delete(socket));
    }
    let left = 0;
    let isHeld: Promise<unknown> | undefined;
    client.on('data', (piece: Buffer) => {
      const isFirst = left <= 0;
      if (isFirst) left = piece.readInt32LE(0);
      left -= piece.length;
      if (isFirst && isCall(piece)) {
        seen.calls += 1;
        last = last.then(() => delay(tookMs));
        isHeld = last;
      } else if (isFirst) isHeld = undefined;
      if (isHeld) void isHeld.then(() => upstream.write(piece));
      else upstream.write(piece);
    });
    upstream.on('data', (piece) => void client.write(piece));
    client.once('close', () => upstream.destroy());
    upstream.once('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    seen,
    take(callMs) {
      tookMs = callMs;
    },
    pause(ms) {
      last = last.then(() => delay(ms));
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
