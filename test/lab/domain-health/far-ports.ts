import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A port whose answers take their time: everything that comes back from the port behind it is held up. */
export type FarPort = {
  readonly port: number;
  /** Connections that came. */
  readonly connections: () => number;
  /** Names the port behind it, once that is known. */
  lead(to: number): void;
  close(): void;
};

/** Opens it. @param delayMs before each piece of an answer, its end too. @param addresses of loopback; the port is the same at all of them */
export async function openFarPort(
  delayMs: number,
  [first = '', ...others]: readonly string[],
): Promise<FarPort> {
  let count = 0;
  let behind = 0;
  const sockets = new Set<Socket>();
  const take = (near: Socket) => {
    count += 1;
    const far = connect({ port: behind, host: '127.0.0.1', allowHalfOpen: true });
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    }
    near.on('data', (bytes) => far.write(bytes));
    near.on('end', () => far.end());
    near.on('error', () => far.destroy());
    near.on('close', () => far.destroy());
    const later = (act: () => void) => void setTimeout(act, delayMs);
    far.on('data', (bytes) => later(() => near.writable && near.write(bytes)));
    far.on('end', () => later(() => near.end()));
    far.on('error', () => later(() => near.destroy()));
  };
  const listen = (port: number, address: string): Promise<Server> =>
    new Promise((resolve, reject) => {
      const server = createServer({ allowHalfOpen: true }, take);
      server.once('error', reject);
      server.listen(port, address, () => resolve(server));
    });
  const server = await listen(0, first);
  const { port } = server.address() as AddressInfo;
  const servers = [server, ...(await Promise.all(others.map((address) => listen(port, address))))];
  return {
    port,
    connections: () => count,
    lead: (to) => {
      behind = to;
    },
    close() {
      for (const socket of sockets) socket.destroy();
      for (const one of servers) one.close();
    },
  };
}
