import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A way to a server over which its answers come late, and on which some commands can be held. */
export type SlowWay = {
  readonly port: number;
  /** Lets through what was held, and holds nothing any more. */
  release(): void;
  close(): Promise<void>;
};

export type SlowWayOptions = {
  /** How late each answer comes. */
  readonly answerMs: number;
  /** A connection that sends this is held from there on. */
  readonly holdFrom?: string;
};

/** Opens a port of loopback that leads to another one. */
export async function openSlowWay(toPort: number, { answerMs, holdFrom }: SlowWayOptions): Promise<SlowWay> {
  const sockets = new Set<Socket>();
  const held: (() => void)[] = [];
  let isReleased = false;
  const server = createServer((client) => {
    const upstream = connect(toPort, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.once('close', () => sockets.delete(socket));
    }
    let isHeld = false;
    client.on('data', (piece) => {
      isHeld ||= holdFrom !== undefined && piece.includes(holdFrom);
      if (isHeld && !isReleased) held.push(() => upstream.write(piece));
      else upstream.write(piece);
    });
    upstream.on('data', (piece) => void setTimeout(() => client.write(piece), answerMs));
    client.once('close', () => upstream.destroy());
    upstream.once('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    release() {
      isReleased = true;
      for (const send of held.splice(0)) send();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
