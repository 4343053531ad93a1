import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A way to a server of MongoDB's protocol on which the writing of reports is seen. */
export type InsertWatch = {
  readonly port: number;
  /** Calls `strike` once, as soon as so many more reports were handed to the server. */
  arm(afterReports: number, strike: () => void): void;
  close(): Promise<void>;
};

// The first field of the command: a string with its length before it.
const insertsReport = /\x02insert\0[^]{4}reports\0/g;

/** Opens a port of loopback that leads to the server. What a client that is killed has sent still arrives. */
export async function openInsertWatch(toPort: number): Promise<InsertWatch> {
  const sockets = new Set<Socket>();
  let armed: { left: number; readonly strike: () => void } | undefined;
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const upstream = connect(toPort, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.once('close', () => sockets.delete(socket));
    }
    client.on('data', (piece) => {
      upstream.write(piece);
      if (!armed) return;
      armed.left -= piece.toString('latin1').match(insertsReport)?.length ?? 0;
      if (armed.left > 0) return;
      const { strike } = armed;
      armed = undefined;
      strike();
    });
    client.once('end', () => upstream.end());
    upstream.pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    arm(afterReports, strike) {
      armed = { left: afterReports, strike };
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
