import { createSocket } from 'node:dgram';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Random numbers from a seed, so that a run can be repeated. */
export type Dice = () => number;

/** @param seed any number (mulberry32) */
export function openDice(seed: number): Dice {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const pick = <T>(dice: Dice, from: readonly T[]): T | undefined => from[Math.floor(dice() * from.length)];

/** What becomes of a piece that a server sends: the pieces that are sent in its place. */
const mutations: readonly ((piece: Buffer, dice: Dice) => readonly Buffer[])[] = [
  (piece) => [piece],
  (piece) => [piece, piece],
  (piece, dice) => splitAt(piece, Math.floor(dice() * piece.length)),
  (piece, dice) => [piece.subarray(0, Math.floor(dice() * piece.length))],
  (piece, dice) => [flip(piece, dice, 1)],
  (piece, dice) => [flip(piece, dice, 16)],
  (piece, dice) => [noise(dice, Math.floor(dice() * 400)), piece],
  (piece, dice) => [piece, noise(dice, Math.floor(dice() * 200_000))],
  (piece) => [piece, Buffer.alloc(300_000, piece.length > 0 ? piece : 'x')],
];

function splitAt(piece: Buffer, at: number): readonly Buffer[] {
  return [piece.subarray(0, at), piece.subarray(at)];
}

function flip(piece: Buffer, dice: Dice, bytes: number): Buffer {
  const changed = Buffer.from(piece);
  for (let count = 0; count < bytes && changed.length > 0; count += 1)
    changed[Math.floor(dice() * changed.length)] = Math.floor(dice() * 256);
  return changed;
}

function noise(dice: Dice, length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => Math.floor(dice() * 256)));
}

/** A proxy before a server that changes what the server sends, and a count of connections. */
export type MutatingProxy = { readonly port: number; readonly count: () => number; close(): Promise<void> };

/** Opens a proxy to a TCP port of this machine. Some connections pass as they are. */
export async function openMutatingProxy(to: number, dice: Dice): Promise<MutatingProxy> {
  let count = 0;
  const open = new Set<Socket>();
  const keep = (socket: Socket) => {
    open.add(socket.on('error', () => undefined).once('close', () => open.delete(socket)));
    return socket;
  };
  const server = createServer((near) => {
    count += 1;
    const far = keep(connect(to, '127.0.0.1'));
    keep(near).pipe(far);
    const target = Math.floor(dice() * 4);
    let pieces = 0;
    // Before the client has said anything.
    if (dice() < 0.1) near.write(noise(dice, Math.floor(dice() * 300)));
    far.on('data', (piece: Buffer) => {
      pieces += 1;
      const mutate = pieces > target ? pick(dice, mutations) : undefined;
      for (const part of mutate?.(piece, dice) ?? [piece]) {
        if (dice() < 0.2) setTimeout(() => near.writable && near.write(part), 20 * dice());
        else if (near.writable) near.write(part);
      }
      if (dice() < 0.05) near.resetAndDestroy();
    });
    far.on('end', () => setTimeout(() => near.end(), 30));
    near.on('close', () => far.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    count: () => count,
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Opens a proxy to a DNS server, by datagram: one answer of two is changed. */
export async function openMutatingDns(
  address: string,
  dice: Dice,
): Promise<Omit<MutatingProxy, 'port'> & { readonly address: string }> {
  let count = 0;
  const [host = '', port = ''] = address.split(':');
  const near = createSocket('udp4');
  near.on('message', (question, from) => {
    count += 1;
    const far = createSocket('udp4');
    const timer = setTimeout(() => far.close(), 2000);
    far.on('message', (answer) => {
      const parts = dice() < 0.5 ? [answer] : (pick(dice, mutations)?.(answer, dice) ?? [answer]);
      for (const part of parts) near.send(part.subarray(0, 60_000), from.port, from.address);
      // Our resolver asks again where nothing that it can read came; then the truth has to come some time.
      near.send(answer, from.port, from.address);
      clearTimeout(timer);
      far.close();
    });
    far.send(question, Number(port), host);
  });
  await new Promise<void>((resolve) => near.bind(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${near.address().port}`,
    count: () => count,
    close: () => new Promise((resolve) => near.close(() => resolve())),
  };
}
