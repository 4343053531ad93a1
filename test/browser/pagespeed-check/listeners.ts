import { createSocket } from 'node:dgram';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** A port on all addresses of the machine, TCP and UDP, that writes down whatever comes: what a private service would have got. */
export type Listeners = {
  readonly port: number;
  /** "img" for an HTTP request of /img; "tls", "tcp", "turn-tcp"; "stun-udp", "turn-udp", "quic", "udp". In order. */
  readonly seen: readonly string[];
  close(): Promise<void>;
};

export async function openListeners(): Promise<Listeners> {
  const seen: string[] = [];
  const sockets = new Set<Socket>();
  const tcp = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    const at = seen.push('tcp') - 1;
    socket.once('data', (bytes) => {
      seen[at] = nameTcp(bytes);
      socket.end('HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n');
    });
  });
  await new Promise<void>((resolve) => tcp.listen(0, '::', resolve));
  const { port } = tcp.address() as AddressInfo;
  const udp = [createSocket('udp4'), createSocket({ type: 'udp6', ipv6Only: true })];
  for (const socket of udp) {
    socket.on('message', (bytes) => seen.push(nameUdp(bytes)));
    await new Promise<void>((resolve) => socket.bind(port, resolve));
  }
  return {
    port,
    seen,
    async close() {
      for (const socket of sockets) socket.destroy();
      for (const socket of udp) socket.close();
      await new Promise((resolve) => tcp.close(resolve));
    },
  };
}

function nameTcp(bytes: Buffer): string {
  if (bytes[0] === 0x16) return 'tls';
  if (bytes[0] === 0x00) return 'turn-tcp';
  return /^[A-Z]+ \/([\w-]+)/.exec(bytes.toString('latin1'))?.[1] ?? 'tcp';
}

function nameUdp(bytes: Buffer): string {
  const type = bytes.length >= 20 && bytes.readUInt32BE(4) === 0x2112a442 ? bytes.readUInt16BE(0) : undefined;
  if (type === 0x0001) return 'stun-udp';
  if (type === 0x0003) return 'turn-udp';
  return ((bytes[0] ?? 0) & 0x80) === 0 ? 'udp' : 'quic';
}
