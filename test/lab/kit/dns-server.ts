import { createSocket, type RemoteInfo, type Socket as UdpSocket } from 'node:dgram';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { type Answer, decode, encode, type Packet } from 'dns-packet';

/** name → type → values; a name that is there without the type is NODATA, one that is not there NXDOMAIN. Values as dns-packet takes them. */
export type Zone = { readonly [name: string]: { readonly [type: string]: readonly unknown[] } };

/** Whether a validating resolver would vouch for the answer (AD). */
export type IsSigned = (name: string, type: string) => boolean;

export type DnsServer = {
  readonly address: string;
  /** Every question that came, "name type", in order. */
  readonly questions: readonly string[];
  /** Replaces the zone. */
  serve(zone: Zone): void;
  close(): Promise<void>;
};

/** A name server on loopback, over UDP and TCP; its codec is not the one under test. */
export async function openDnsServer(zone: Zone, isSigned: IsSigned = () => false): Promise<DnsServer> {
  let current = zone;
  const questions: string[] = [];
  const answer = (query: Packet) => {
    const [question] = query.questions ?? [];
    const name = question?.name.toLowerCase() ?? '';
    const type = question?.type ?? 'A';
    questions.push(`${name} ${type}`);
    const ad = isSigned(name, type) ? 0x0020 : 0;
    return encode({
      type: 'response',
      id: query.id ?? 0,
      flags: 0x0180 | ad | (isThere(current, name) ? 0 : 3),
      questions: query.questions ?? [],
      answers: find(current, name, type),
    });
  };
  const udp = createSocket('udp4');
  udp.on('message', (bytes: Buffer, from: RemoteInfo) => {
    const reply = answer(decode(bytes));
    udp.send(reply, from.port, from.address);
  });
  const tcp = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      const reply = answer(decode(bytes.subarray(2)));
      const length = Buffer.alloc(2);
      length.writeUInt16BE(reply.length);
      socket.end(Buffer.concat([length, reply]));
    });
  });
  const port = await listenOnBoth(udp, tcp);
  return {
    address: `127.0.0.1:${port}`,
    questions,
    serve: (next) => {
      current = next;
    },
    close: () =>
      new Promise((resolve) => {
        udp.close();
        tcp.close(() => resolve());
      }),
  };
}

// The same port for both: TCP takes a free one, and UDP the same; another try where that one is taken.
async function listenOnBoth(udp: UdpSocket, tcp: Server): Promise<number> {
  for (;;) {
    await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve));
    const { port } = tcp.address() as AddressInfo;
    const isBound = await new Promise<boolean>((resolve) => {
      udp.once('error', () => resolve(false));
      udp.bind(port, '127.0.0.1', () => resolve(true));
    });
    if (isBound) return port;
    await new Promise((resolve) => tcp.close(resolve));
  }
}

function isThere(zone: Zone, name: string): boolean {
  return Object.keys(zone).some((owner) => owner === name || owner.endsWith(`.${name}`));
}

function find(zone: Zone, name: string, type: string): Answer[] {
  const types = Object.hasOwn(zone, name) ? zone[name] : undefined;
  const values = types && Object.hasOwn(types, type) ? types[type] : undefined;
  return (values ?? []).map((value) => ({ name, type, ttl: 60, data: value }) as unknown as Answer);
}
