import { randomBytes } from 'node:crypto';
import { createSocket, type RemoteInfo } from 'node:dgram';
import { createServer, type Socket } from 'node:net';
import { recordTypes } from '../../kit/record-types.ts';

/** A question as a hostile server sees it: the name in lower case without the last dot, and the number of the type. */
export type Asked = { readonly name: string; readonly type: number };

/** A record: its owner in wire form, its type and its data. */
export type WireRecord = { readonly owner?: Buffer; readonly type: number; readonly data: Buffer };

/** What a server answers: records, or none with this code; octets as they are; nothing; or all of it, a byte every 50 ms. */
export type Reply =
  | {
      readonly records: readonly WireRecord[];
      readonly authority?: readonly WireRecord[];
      readonly rcode?: number;
    }
  | { readonly behind: Buffer; readonly count: number }
  | 'silent'
  | 'drip'
  | 'cut';

/** One domain of somebody who means ill, by what its servers do. */
export type HostileZone = (asked: Asked) => Reply;

/** Name servers at 26 addresses and the resolver in front of them, all as hostile as the zones. */
export type HostileDns = {
  readonly settings: { readonly DNS_SERVERS: string; readonly NAMESERVER_PORT: string };
  /** Packets and TCP connections that came to the name servers, by address; the resolver's are not in it. */
  readonly packets: ReadonlyMap<string, number>;
  readonly connections: ReadonlyMap<string, number>;
  /** Bytes of answers that were sent, over UDP and TCP, by address; here the resolver's are in it. */
  readonly sentBytes: ReadonlyMap<string, number>;
  /** Every name that the resolver was asked for. */
  readonly names: readonly string[];
  close(): Promise<void>;
};

/** Where name servers listen: 127.0.3.1 to 127.0.3.26. */
export const serverAddresses = Array.from({ length: 26 }, (_, at) => `127.0.3.${at + 1}`);
const resolverAddress = '127.0.0.1';

/** A name on the wire, uncompressed. */
export function wireName(name: string): Buffer {
  const labels = name === '' ? [] : name.split('.').map((label) => Buffer.from(label, 'latin1'));
  return Buffer.concat([...labels.flatMap((label) => [Buffer.from([label.length]), label]), Buffer.alloc(1)]);
}

/** Numbers of two octets each, one after the other. */
export function words(...numbers: readonly number[]): Buffer {
  return Buffer.from(numbers.flatMap((number) => [(number >> 8) & 255, number & 255]));
}

const atQuestion = words(0xc00c);
const ttl = words(0, 60);

/** A record on the wire; without an owner it has the name that was asked. */
export function wireRecord({ owner = atQuestion, type, data }: WireRecord): Buffer {
  return Buffer.concat([owner, words(type, 1), ttl, words(data.length), data]);
}

/** Opens the servers. Names that no zone ends in lead to 127.0.0.1, or are answered by `others`. */
export async function openHostileDns(
  zones: { readonly [domain: string]: HostileZone },
  others: (asked: Asked) => Reply = ({ type }) => ({
    records: type === recordTypes.A ? [{ type, data: Buffer.from([127, 0, 0, 1]) }] : [],
  }),
): Promise<HostileDns> {
  const packets = new Map<string, number>();
  const connections = new Map<string, number>();
  const names: string[] = [];
  const sentBytes = new Map<string, number>();
  const add = (counts: Map<string, number>, address: string, more: number) =>
    counts.set(address, (counts.get(address) ?? 0) + more);
  const count = (counts: Map<string, number>, address: string) => {
    if (address !== resolverAddress) add(counts, address, 1);
  };
  const answer = (query: Buffer, isResolver: boolean): Buffer | 'silent' | 'drip' | 'cut' => {
    const asked = readQuestion(query);
    if (isResolver) names.push(asked.name);
    const labels = asked.name.split('.');
    const zone = labels
      .map((_, at) => zones[labels.slice(at).join('.')])
      .find((found) => found !== undefined);
    const reply = (zone ?? others)(asked);
    return typeof reply === 'string' ? reply : writeReply(query, reply, isResolver);
  };
  const open = (address: string, port: number) => {
    const udp = createSocket('udp4').on('message', (query: Buffer, from: RemoteInfo) => {
      count(packets, address);
      const reply = answer(query, address === resolverAddress);
      if (reply === 'silent') return;
      const isTooLong = typeof reply === 'string' || reply.length > 1232;
      const sent = isTooLong ? writeTruncated(query) : reply;
      add(sentBytes, address, sent.length);
      // The run may be over.
      udp.send(sent, from.port, from.address, () => undefined);
    });
    const tcp = createServer((socket) => {
      count(connections, address);
      socket
        .on('error', () => undefined)
        .once('close', () => add(sentBytes, address, socket.bytesWritten))
        .once('data', (bytes) => {
          const reply = answer(bytes.subarray(2), address === resolverAddress);
          if (reply === 'silent') return;
          if (reply === 'cut') return void socket.end();
          if (reply === 'drip') return drip(socket);
          socket.end(Buffer.concat([words(reply.length), reply]));
        });
    });
    return new Promise<{ port: number; close(): void }>((resolve, reject) => {
      tcp.once('error', reject).listen(port, address, () => {
        const { port: bound } = tcp.address() as { port: number };
        udp.once('error', reject).bind(bound, address, () =>
          resolve({
            port: bound,
            close() {
              udp.close();
              tcp.close();
            },
          }),
        );
      });
    });
  };
  const resolver = await open(resolverAddress, 0);
  const servers = await Promise.all(serverAddresses.map((address) => open(address, resolver.port)));
  return {
    settings: { DNS_SERVERS: `${resolverAddress}:${resolver.port}`, NAMESERVER_PORT: String(resolver.port) },
    packets,
    connections,
    sentBytes,
    names,
    async close() {
      for (const server of [resolver, ...servers]) server.close();
    },
  };
}

function readQuestion(query: Buffer): Asked {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1) };
}

function questionOf(query: Buffer): Buffer {
  let at = 12;
  while ((query[at] ?? 0) > 0) at += 1 + (query[at] ?? 0);
  return query.subarray(12, at + 5);
}

function writeReply(query: Buffer, reply: Exclude<Reply, string>, isResolver: boolean): Buffer {
  const flags = 0x8000 | (isResolver ? 0x0180 : 0x0400);
  if ('behind' in reply)
    return Buffer.concat([
      query.subarray(0, 2),
      words(flags, 1, reply.count, 0, 0),
      questionOf(query),
      reply.behind,
    ]);
  const { records, authority = [], rcode = 0 } = reply;
  return Buffer.concat([
    query.subarray(0, 2),
    words(flags | rcode, 1, records.length, authority.length, 0),
    questionOf(query),
    ...[...records, ...authority].map(wireRecord),
  ]);
}

function writeTruncated(query: Buffer): Buffer {
  return Buffer.concat([query.subarray(0, 2), words(0x8380, 1, 0, 0, 0), questionOf(query)]);
}

function drip(socket: Socket): void {
  socket.write(words(65_000));
  const timer = setInterval(() => socket.write(randomBytes(1)), 50);
  socket.once('close', () => clearInterval(timer));
}
