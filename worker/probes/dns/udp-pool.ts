import { randomInt } from 'node:crypto';
import { openUdpSocket, type UdpSocket, type UdpOutcome } from './udp.ts';

const size = 8;
const renewAfter = 500;

/** Lines to one resolver; a question takes a random one, so that port and id together are hard to guess. */
export type UdpPool = { readonly exchange: UdpSocket['exchange']; readonly close: () => void };

/** Opens the pool; its sockets are made when first used, and renewed after some questions. */
export function openUdpPool(address: string, port: number): UdpPool {
  const sockets: (Promise<UdpSocket> | undefined)[] = Array.from({ length: size });
  const retired = new Set<UdpSocket>();

  const pick = async (): Promise<UdpSocket> => {
    const index = randomInt(size);
    const opening = (sockets[index] ??= openUdpSocket(address, port));
    const socket = await opening;
    if (socket.asked() >= renewAfter && sockets[index] === opening) {
      sockets[index] = undefined;
      retired.add(socket);
    }
    for (const old of retired) {
      if (old.pending() > 0 || old === socket) continue;
      retired.delete(old);
      old.close();
    }
    return socket;
  };

  return {
    async exchange(query, accepts, timeoutMs, signal): Promise<UdpOutcome> {
      return (await pick()).exchange(query, accepts, timeoutMs, signal);
    },
    close() {
      for (const opening of sockets) void opening?.then((socket) => socket.close()); // opening a socket never rejects
      for (const socket of retired) socket.close();
    },
  };
}
