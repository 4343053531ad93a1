import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { type AddressInfo, createServer, type Server } from 'node:net';
import type { DnsAnswer, DnsAskOptions, DnsRecord } from '../../../worker/probes/dns/port.ts';
import { recordTypes } from '../../kit/record-types.ts';
import { openWorld, type World } from '../../unit/dns-check/world.ts';
import { encode, wireName } from '../../unit/dns-check/zone-file.ts';

/** A world on loopback: each of its name servers, and its resolver, at an address of its own under one port. */
export type WireWorld = {
  /** Settings under which the product takes it for the internet. */
  readonly settings: Record<string, string>;
  /** Every question that came, "server type name". */
  readonly questions: readonly string[];
  close(): Promise<void>;
};

const types: { readonly [type: string]: number } = recordTypes;
const typeNames = new Map(Object.entries(types).map(([name, code]) => [code, name]));
const rcodes: readonly string[] = ['NOERROR', 'FORMERR', 'SERVFAIL', 'NXDOMAIN', 'NOTIMP', 'REFUSED'];
const badVersion = 16;

/**
 * Serves a world over UDP and TCP, with a codec that is not the product's. Its name servers have addresses in 127.0.0.0/8.
 * @param resolver the address of its resolver
 */
export async function openWireWorld(world: World, resolver: string): Promise<WireWorld> {
  const { probe } = openWorld(world);
  const questions: string[] = [];
  const reply = async (bytes: Buffer, server: string, transport: 'udp' | 'tcp') => {
    const query = readQuery(bytes);
    questions.push(`${server} ${query.type} ${query.name}`);
    const asked: DnsAskOptions =
      server === resolver
        ? { dnssecOk: query.dnssecOk, checkingDisabled: query.checkingDisabled }
        : { ...query.options, dnssecOk: query.dnssecOk, server, transport };
    const answer = await probe.ask({ name: query.name, type: query.type }, asked);
    return answer.kind === 'failure' ? undefined : writeAnswer(answer, query, transport);
  };
  const addresses = [resolver, ...[...world.servers.keys()].filter((address) => address.startsWith('127.'))];
  const { port, close } = await listen(addresses, reply);
  return {
    questions,
    close,
    settings: {
      DATA_DIR: ':memory:',
      PORT: '0',
      ADMIN_PORT: '0',
      LOG_LEVEL: 'silent',
      DNS_SERVERS: `${resolver}:${port}`,
      NAMESERVER_PORT: String(port),
      TARGET_ALLOW_CIDRS: '127.0.0.0/8',
      TARGET_ALLOW_SUFFIXES: 'test',
    },
  };
}

type Query = {
  readonly id: number;
  readonly flags: number;
  readonly question: Buffer;
  readonly name: string;
  readonly type: string;
  readonly dnssecOk: boolean;
  readonly checkingDisabled: boolean;
  readonly options: Pick<
    DnsAskOptions,
    'edns' | 'ednsVersion' | 'unknownOption' | 'mixedCase' | 'recursionDesired'
  >;
};

function readQuery(bytes: Buffer): Query {
  const labels: string[] = [];
  let at = 12;
  for (let length = bytes[at] ?? 0; length > 0; length = bytes[at] ?? 0) {
    labels.push(bytes.toString('latin1', at + 1, at + 1 + length).replaceAll('.', '\\.'));
    at += 1 + length;
  }
  const flags = bytes.readUInt16BE(2);
  const hasOpt = bytes.readUInt16BE(10) > 0;
  const opt = at + 5;
  const name = labels.join('.');
  const isRecursive = (flags & 0x0100) !== 0;
  const version = hasOpt ? (bytes[opt + 6] ?? 0) : 0;
  const optionBytes = hasOpt ? bytes.readUInt16BE(opt + 9) : 0;
  const code = bytes.readUInt16BE(at + 1);
  return {
    id: bytes.readUInt16BE(0),
    flags,
    question: bytes.subarray(12, at + 5),
    name: name.toLowerCase(),
    type: typeNames.get(code) ?? `TYPE${code}`,
    dnssecOk: hasOpt && (bytes.readUInt16BE(opt + 7) & 0x8000) !== 0,
    checkingDisabled: (flags & 0x0010) !== 0,
    options: {
      ...(hasOpt ? {} : { edns: false }),
      ...(version === 0 ? {} : { ednsVersion: version }),
      ...(optionBytes === 0 ? {} : { unknownOption: true }),
      ...(name === name.toLowerCase() ? {} : { mixedCase: true }),
      ...(isRecursive ? { recursionDesired: true } : {}),
    },
  };
}

type Answered = Extract<DnsAnswer, { kind: 'answer' }>;

function writeAnswer(answer: Answered, query: Query, transport: 'udp' | 'tcp'): Buffer {
  const whole = writeMessage(answer, query, false);
  const most = query.options.edns === false ? 512 : 1232;
  return transport === 'udp' && whole.length > most ? writeMessage(answer, query, true) : whole;
}

function writeMessage(answer: Answered, query: Query, isCut: boolean): Buffer {
  const code = answer.rcode === 'BADVERS' ? badVersion : Math.max(0, rcodes.indexOf(answer.rcode));
  const sections = isCut ? [[], [], []] : [answer.answers, answer.authority, answer.additional];
  const opt = answer.edns === null || query.options.edns === false ? [] : [writeOpt(answer, code)];
  const head = Buffer.alloc(12);
  head.writeUInt16BE(query.id, 0);
  const { aa, ra, ad } = answer.flags;
  head.writeUInt16BE(
    0x8000 |
      (query.flags & 0x0110) |
      (aa ? 0x0400 : 0) |
      (isCut ? 0x0200 : 0) |
      (ra ? 0x0080 : 0) |
      (ad ? 0x0020 : 0) |
      (code & 0x0f),
    2,
  );
  [1, ...sections.map(({ length }) => length)].forEach((count, at) => head.writeUInt16BE(count, 4 + 2 * at));
  head.writeUInt16BE((sections[2]?.length ?? 0) + opt.length, 10);
  const isLowered = answer.keepsCase === false;
  const question = isLowered ? lowered(query.question) : query.question;
  return Buffer.concat([head, question, ...sections.flat().map(writeRecord), ...opt]);
}

function lowered(question: Buffer): Buffer {
  return Buffer.from(question.map((octet) => (octet >= 0x41 && octet <= 0x5a ? octet + 0x20 : octet)));
}

function writeOpt({ ede, edns }: Answered, code: number): Buffer {
  const options = Buffer.concat(
    ede.map(({ code: info, text }) =>
      Buffer.concat([words(15, 2 + text.length, info), Buffer.from(text, 'latin1')]),
    ),
  );
  const head = Buffer.concat([Buffer.of(0), words(41, 1232), Buffer.of(code >> 4, 0)]);
  return Buffer.concat([head, words(edns?.dnssecOk ? 0x8000 : 0, options.length), options]);
}

function writeRecord({ name, type, ttl, data }: DnsRecord): Buffer {
  const rdata = type === 'RRSIG' ? encodeSignature(data as Signature) : encode(type, data);
  const bytes = rdata ?? Buffer.alloc(0);
  return Buffer.concat([
    wireName(name),
    words(types[type] ?? 0, 1, ttl >>> 16, ttl & 0xffff, bytes.length),
    bytes,
  ]);
}

type Signature = {
  readonly typeCovered: string;
  readonly algorithm: number;
  readonly labels: number;
  readonly originalTtl: number;
  readonly expiration: number;
  readonly inception: number;
  readonly keyTag: number;
  readonly signerName: string;
  readonly signature: string;
};

function encodeSignature(one: Signature): Buffer {
  const head = Buffer.alloc(18);
  head.writeUInt16BE(types[one.typeCovered] ?? 0, 0);
  head.writeUInt8(one.algorithm, 2);
  head.writeUInt8(one.labels, 3);
  head.writeUInt32BE(one.originalTtl, 4);
  head.writeUInt32BE(one.expiration, 8);
  head.writeUInt32BE(one.inception, 12);
  head.writeUInt16BE(one.keyTag, 16);
  return Buffer.concat([head, wireName(one.signerName), Buffer.from(one.signature, 'base64')]);
}

function words(...numbers: readonly number[]): Buffer {
  return Buffer.from(numbers.flatMap((number) => [(number >> 8) & 255, number & 255]));
}

type Reply = (bytes: Buffer, server: string, transport: 'udp' | 'tcp') => Promise<Buffer | undefined>;

/** Listens at every address under one port that is free at all of them. */
async function listen(
  addresses: readonly string[],
  reply: Reply,
): Promise<{ port: number; close: () => Promise<void> }> {
  for (let tries = 0; tries < 20; tries += 1) {
    const opened: (UdpSocket | Server)[] = [];
    let port = 0;
    try {
      for (const address of addresses) {
        const tcp = serveTcp(address, reply);
        // oxlint-disable-next-line no-await-in-loop -- the first address chooses the port of the others
        await started(tcp, (done) => tcp.listen(port, address, done));
        opened.push(tcp);
        port = (tcp.address() as AddressInfo).port;
        const udp = serveUdp(address, reply);
        // oxlint-disable-next-line no-await-in-loop
        await started(udp, (done) => udp.bind(port, address, done));
        opened.push(udp);
      }
      return { port, close: () => closeAll(opened) };
    } catch {
      // Somebody has the port at one of them.
      await closeAll(opened);
    }
  }
  throw new Error('no port is free at all addresses');
}

function started(one: UdpSocket | Server, start: (done: () => void) => unknown): Promise<void> {
  return new Promise((resolve, reject) => {
    (one as UdpSocket).once('error', reject);
    start(resolve);
  });
}

async function closeAll(opened: readonly (UdpSocket | Server)[]): Promise<void> {
  await Promise.all(opened.map((one) => new Promise<void>((done) => (one as UdpSocket).close(() => done()))));
}

function serveUdp(address: string, reply: Reply): UdpSocket {
  const socket = createSocket('udp4');
  socket.on('message', (bytes, from) => {
    void reply(bytes, address, 'udp').then((answer) => {
      // The run may be over.
      if (answer) socket.send(answer, from.port, from.address, () => undefined);
    });
  });
  return socket;
}

function serveTcp(address: string, reply: Reply): Server {
  return createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (bytes) => {
      void reply(bytes.subarray(2), address, 'tcp').then((answer) => {
        if (answer) socket.end(Buffer.concat([words(answer.length), answer]));
        else socket.destroy();
      });
    });
  });
}
