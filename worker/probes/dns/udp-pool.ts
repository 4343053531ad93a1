import { randomInt } from 'node:crypto';
import { openUdpLine, type UdpLine, type UdpOutcome } from './udp.ts';

const size = 8;
const renewAfter = 500;

/** Lines to one resolver; a question takes a random one, so that port and id together are hard to guess. */
export type UdpPool = { readonly exchange: UdpLine['exchange']; readonly close: () => void };

/** Opens the pool; its sockets are made when first used, and renewed after some questions. */
export function openUdpPool(address: string, port: number): UdpPool {
  const lines: (Promise<UdpLine> | undefined)[] = Array.from({ length: size });
  const retired = new Set<UdpLine>();

  const pick = async (): Promise<UdpLine> => {
    const index = randomInt(size);
    const opening = (lines[index] ??= openUdpLine(address, port));
    const line = await opening;
    if (line.asked() >= renewAfter && lines[index] === opening) {
      lines[index] = undefined;
      retired.add(line);
    }
    for (const old of retired) {
      if (old.pending() > 0 || old === line) continue;
      retired.delete(old);
      old.close();
    }
    return line;
  };

  return {
    async exchange(query, accepts, timeoutMs, signal): Promise<UdpOutcome> {
      return (await pick()).exchange(query, accepts, timeoutMs, signal);
    },
    close() {
      for (const opening of lines) void opening?.then((line) => line.close()); // opening a line never rejects
      for (const line of retired) line.close();
    },
  };
}
