import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * What befalls the connections that are open: they are cut (by a reset or an orderly end), they stand still in both directions as those of
 * a frozen machine do, or what one side sends is lost without a word as behind a firewall that has forgotten them.
 */
export type Fault = 'reset' | 'ended' | 'frozen' | 'requests lost' | 'answers lost';

/** A way to a server on which things go wrong. */
export type FaultyWay = {
  readonly port: number;
  /** What befalls what is open now stays so for good; new connections meet the same until `heal`. */
  strike(fault: Fault): void;
  /** New connections work from here on. */
  heal(): void;
  close(): Promise<void>;
};

type Pair = { readonly client: Socket; readonly upstream: Socket; isDeaf: boolean; isMute: boolean };

/** Opens a port of loopback that leads to another one. */
export async function openFaultyWay(toPort: number): Promise<FaultyWay> {
  const pairs = new Set<Pair>();
  let now: Fault | undefined;
  const server = createServer((client) => {
    const upstream = connect(toPort, '127.0.0.1');
    const pair = { client, upstream, isDeaf: false, isMute: false };
    pairs.add(pair);
    for (const socket of [client, upstream]) socket.on('error', () => socket.destroy());
    client.on('data', (piece) => void (pair.isDeaf || upstream.write(piece)));
    upstream.on('data', (piece) => void (pair.isMute || client.write(piece)));
    client.once('close', () => {
      pairs.delete(pair);
      upstream.destroy();
    });
    upstream.once('close', () => void (pair.isDeaf || pair.isMute || client.destroy()));
    if (now) befall(pair, now);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    strike(fault) {
      now = fault;
      for (const pair of pairs) befall(pair, fault);
    },
    heal() {
      now = undefined;
    },
    async close() {
      for (const { client, upstream } of pairs) for (const socket of [client, upstream]) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function befall(pair: Pair, fault: Fault): void {
  const { client } = pair;
  if (fault === 'reset') client.resetAndDestroy();
  else if (fault === 'ended') client.end(() => client.destroy());
  else {
    pair.isDeaf ||= fault !== 'answers lost';
    pair.isMute ||= fault !== 'requests lost';
    // What is not read fills the buffers: the sender has to wait.
    if (fault === 'frozen') client.pause();
  }
}
