import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { type Answer, decode, encode, type Packet } from 'dns-packet';
import { holders, lookUp, type Records, resolve } from './zone-data.ts';

/** How a server meets questions: as it should, with SERVFAIL, or not at all. */
export type Manner = 'well' | 'servfail' | 'silent';

export type Question = { readonly name: string; readonly type: string; readonly server: string };

/** A resolver and the name servers of every zone, on loopback under one port. */
export type NameServers = {
  /** Settings under which the product asks them. */
  readonly settings: { readonly DNS_SERVERS: string; readonly NAMESERVER_PORT: string };
  /** Every question that came, whoever was asked. */
  readonly questions: readonly Question[];
  /** Replaces all zones: zone → name → type → values. */
  serve(zones: Zones): void;
  /** A name server that fails; of a zone whose servers all fail, the resolver says SERVFAIL, or nothing where it is silent. */
  behave(server: string, manner: Manner): void;
  close(): Promise<void>;
};

export type Zones = { readonly [zone: string]: Records };

export const resolverAddress = '127.0.0.1';
/** The resolver's network, and those of the name servers: 127.0.1.1, 127.0.2.1 and so on. */
const networks = 10;

const flag = { aa: 0x0400, rd: 0x0100, ra: 0x0080, dnssecOk: 0x8000 } as const;
const rcodes = { NOERROR: 0, SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 } as const;

type Desk = {
  zones: Zones;
  readonly manners: Map<string, Manner>;
  readonly questions: Question[];
};

/** Opens them. @param delayMs before each answer */
export async function openNameServers(zones: Zones, delayMs = 0): Promise<NameServers> {
  const desk: Desk = { zones, manners: new Map(), questions: [] };
  const addresses = Array.from({ length: networks }, (_, at) => `127.0.${at}.1`);
  const answer = (server: string, bytes: Buffer, send: (reply: Buffer) => void) => {
    const reply = answerOne(desk, server, decode(bytes));
    if (reply === undefined) return;
    if (delayMs === 0) send(reply);
    else setTimeout(() => send(reply), delayMs);
  };
  const { port, servers } = await listenEverywhere(addresses, answer);
  return {
    settings: { DNS_SERVERS: `${resolverAddress}:${port}`, NAMESERVER_PORT: String(port) },
    questions: desk.questions,
    serve: (next) => {
      desk.zones = next;
    },
    behave: (server, manner) => void desk.manners.set(server, manner),
    close: async () => {
      await Promise.all(servers.map((server) => new Promise<void>((done) => server.close(() => done()))));
    },
  };
}

function answerOne(desk: Desk, server: string, query: Packet): Buffer | undefined {
  const { name = '', type = 'A' } = query.questions?.[0] ?? {};
  const question = { name: name.toLowerCase(), type, server };
  desk.questions.push(question);
  // Version 0 of EDNS is the only one there is (RFC 6891 §6.1.3).
  if (optOf(query)?.ednsVersion === 1) return refuseVersion(query);
  const seen = server === resolverAddress ? byResolver(desk, question) : byServer(desk, question);
  if (seen === 'silent') return undefined;
  return encode({
    type: 'response',
    id: query.id ?? 0,
    flags:
      ((query.flags ?? 0) & flag.rd) |
      (server === resolverAddress ? flag.ra : 0) |
      (seen.isAuthoritative ? flag.aa : 0) |
      rcodes[seen.rcode],
    questions: query.questions ?? [],
    answers: seen.answers,
    authorities: seen.authority,
    additionals: [...seen.additional, ...optionsOf(query)],
  } as Packet);
}

type Seen = {
  readonly rcode: keyof typeof rcodes;
  readonly isAuthoritative: boolean;
  readonly answers: readonly Answer[];
  readonly authority: readonly Answer[];
  readonly additional: readonly Answer[];
};

const nothing = { isAuthoritative: false, answers: [], authority: [], additional: [] } as const;

function byServer({ zones, manners }: Desk, { name, type, server }: Question): Seen | 'silent' {
  const manner = manners.get(server) ?? 'well';
  if (manner === 'silent') return 'silent';
  if (manner === 'servfail') return { ...nothing, rcode: 'SERVFAIL' };
  const zone = holders(zones, name).find((held) => serversOf(zones, held).includes(server));
  return zone === undefined ? { ...nothing, rcode: 'REFUSED' } : lookUp(zones, zone, { name, type });
}

function byResolver({ zones, manners }: Desk, { name, type }: Question): Seen | 'silent' {
  const [zone = ''] = holders(zones, name);
  const found = serversOf(zones, zone).map((server) => manners.get(server) ?? 'well');
  const isDead = found.length > 0 && !found.includes('well');
  if (isDead) return found.includes('servfail') ? { ...nothing, rcode: 'SERVFAIL' } : 'silent';
  return { ...resolve(zones, { name, type }), isAuthoritative: false, additional: [] };
}

function serversOf(zones: Zones, zone: string): readonly string[] {
  const names = (zones[zone]?.[zone]?.['NS'] ?? []) as readonly string[];
  return names.flatMap((name) =>
    resolve(zones, { name, type: 'A' }).answers.flatMap((answer) => (answer.type === 'A' ? answer.data : [])),
  );
}

function optionsOf(query: Packet): Answer[] {
  const asked = optOf(query);
  if (!asked) return [];
  const flags = (asked.flags ?? 0) & flag.dnssecOk;
  return [{ type: 'OPT', name: '.', udpPayloadSize: 1232, flags, options: [] } as unknown as Answer];
}

type Opt = { readonly flags?: number; readonly ednsVersion?: number };

function optOf({ additionals = [] }: Packet): Opt | undefined {
  return additionals.find(({ type }) => type === 'OPT') as Opt | undefined;
}

// BADVERS is 16: its upper bits are in the OPT record.
function refuseVersion({ id = 0, questions = [] }: Packet): Buffer {
  const opt = { type: 'OPT', name: '.', udpPayloadSize: 1232, extendedRcode: 1, flags: 0, options: [] };
  return encode({ type: 'response', id, flags: 0, questions, additionals: [opt] } as unknown as Packet);
}

type Take = (server: string, bytes: Buffer, send: (reply: Buffer) => void) => void;
type Listener = { close(done: () => void): unknown };

async function listenEverywhere(
  [first = '', ...others]: readonly string[],
  take: Take,
): Promise<{ port: number; servers: readonly Listener[] }> {
  for (;;) {
    const tcp = serveTcp(first, take);
    await new Promise<void>((resolve) => tcp.listen(0, first, resolve));
    const { port } = tcp.address() as AddressInfo;
    const opened: Listener[] = [tcp];
    const isFree = await Promise.all([
      bind(serveUdp(first, take), port, first, opened),
      ...others.flatMap((address) => [
        bind(serveUdp(address, take), port, address, opened),
        listen(serveTcp(address, take), port, address, opened),
      ]),
    ]);
    if (isFree.every(Boolean)) return { port, servers: opened };
    // Somebody has the port at one of the addresses: another one.
    await Promise.all(opened.map((server) => new Promise<void>((done) => server.close(() => done()))));
  }
}

function bind(socket: UdpSocket, port: number, address: string, opened: Listener[]): Promise<boolean> {
  return new Promise((resolve) => {
    socket.once('error', () => resolve(false));
    socket.bind(port, address, () => {
      opened.push(socket);
      resolve(true);
    });
  });
}

function listen(server: Server, port: number, address: string, opened: Listener[]): Promise<boolean> {
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, address, () => {
      opened.push(server);
      resolve(true);
    });
  });
}

function serveUdp(address: string, take: Take): UdpSocket {
  const socket = createSocket('udp4');
  socket.on('message', (bytes, from) =>
    take(address, bytes, (reply) => {
      // The test may have ended before a late answer.
      socket.send(reply, from.port, from.address, () => undefined);
    }),
  );
  return socket;
}

function serveTcp(address: string, take: Take): Server {
  return createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (bytes) =>
      take(address, bytes.subarray(2), (reply) => {
        const length = Buffer.alloc(2);
        length.writeUInt16BE(reply.length);
        socket.end(Buffer.concat([length, reply]));
      }),
    );
  });
}
