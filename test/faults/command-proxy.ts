import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** When to strike: at the n-th script (0 is the first) since the arming, before the server hears it or before its answer is heard. */
export type Strike = { readonly script: number; readonly when: 'before' | 'after' };

export type CommandProxy = {
  readonly url: string;
  /** From now on scripts are counted; `strike` is called once, and nothing more passes through. */
  arm(at: Strike, strike: () => void): void;
  close(): Promise<void>;
};

/** A way to Redis that can be cut between two commands of a client. @param url redis://host:port */
export async function openCommandProxy(url: string): Promise<CommandProxy> {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  let armed: { left: number; readonly at: Strike; readonly strike: () => void } | undefined;
  let isCut = false;

  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.once('close', () => sockets.delete(socket));
    }
    client.on('data', (piece) => {
      if (isCut) return;
      const isStruck = countScripts(piece);
      if (!isStruck || armed?.at.when === 'after') upstream.write(piece);
      if (!isStruck) return;
      isCut = true;
      // The server has the command by now; its answer stays here.
      setTimeout(() => armed?.strike(), armed?.at.when === 'after' ? 50 : 0);
    });
    upstream.on('data', (piece) => void (isCut || client.write(piece)));
    client.once('close', () => upstream.destroy());
    upstream.once('close', () => client.destroy());
  });

  function countScripts(piece: Buffer): boolean {
    if (!armed) return false;
    const scripts = piece.toString('latin1').match(/\r\neval(?:sha)?\r\n/gi)?.length ?? 0;
    armed.left -= scripts;
    return scripts > 0 && armed.left < 0;
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arm(at, strike) {
      armed = { left: at.script, at, strike };
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
