// A forwarder as some networks have one: it stands before a resolver that works, and spoils what comes of it.
// Arguments: how it spoils, the address that it sells, and the addresses where it listens.
import { createSocket } from 'node:dgram';
import { connect, createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { decode, encode } from 'dns-packet';

const [given = '', soldAddress = '', ...addresses] = process.argv.slice(2);
/** Behind a plus: EDNS is taken out of what goes by UDP, as old firewalls do, while answers by TCP come as they are. */
const [mode = '', strips] = given.split('+');
const upstream = { host: '127.0.0.1', port: 5300 };
/** DS, DNSKEY, CAA and HTTPS: what many a forwarder has never heard of. */
const unknownTypes = new Set([43, 48, 257, 65]);
const waitMs = 8000;

/** The same question with an empty answer. */
function empty(query: Buffer, rcode: number, more: { truncated?: true } = {}): Buffer {
  const { id = 0, questions = [] } = decode(query);
  // QR, RD and RA; TC where asked.
  return encode({ type: 'response', id, flags: 0x0180 | (more.truncated ? 0x0200 : 0) | rcode, questions });
}

/** The number of the question's type: the two octets after its name. */
function typeOf(query: Buffer): number {
  let at = 12;
  while ((query[at] ?? 0) !== 0) at += 1 + (query[at] ?? 0);
  return query.readUInt16BE(at + 1);
}

function sell(query: Buffer): Buffer {
  const { id = 0, questions = [] } = decode(query);
  const name = questions[0]?.name ?? '';
  const answers = typeOf(query) === 1 ? [{ type: 'A' as const, name, ttl: 60, data: soldAddress }] : [];
  return encode({ type: 'response', id, flags: 0x0180, questions, answers });
}

/** What a filter blocks. */
const blocked = /(?:^|\.)healthy\.com$/i;

/** As many a cache answers: without the records that prove a denial. */
function withoutProof(reply: Buffer): Buffer {
  const { id = 0, questions = [], answers = [], additionals = [] } = decode(reply);
  const flags = reply.readUInt16BE(2);
  return encode({ type: 'response', id, flags, questions, answers, additionals });
}

/** What a filter says instead of the truth: that the name does not exist, that nobody is there, or that it does not answer. */
function block(query: Buffer): Buffer {
  if (mode === 'refuses') return empty(query, 5);
  if (mode !== 'sinkhole') return empty(query, 3);
  const { id = 0, questions = [] } = decode(query);
  const name = questions[0]?.name ?? '';
  const types = { 1: ['A', '0.0.0.0'], 28: ['AAAA', '::'] } as const;
  const [type, data] = types[typeOf(query) as 1 | 28] ?? [];
  const answers = type ? [{ type, name, ttl: 60, data }] : [];
  return encode({ type: 'response', id, flags: 0x0180, questions, answers });
}

/** A denial that comes with the SOA record of the zone above, as a true one does. */
function denyWithProof(query: Buffer): Buffer {
  const { id = 0, questions = [] } = decode(query);
  const data = {
    mname: 'a.gtld-servers.net',
    rname: 'nstld.verisign-grs.com',
    serial: 1,
    refresh: 1800,
    retry: 900,
    expire: 604800,
    minimum: 900,
  };
  const authorities = [{ type: 'SOA' as const, name: 'com', ttl: 900, data }];
  return encode({ type: 'response', id, flags: 0x0180 | 3, questions, authorities });
}

/** As a denial, but it says that the name is there. */
function withoutDenial(reply: Buffer): Buffer {
  const flags = reply.readUInt16BE(2);
  if ((flags & 15) === 3) reply.writeUInt16BE(flags & ~15, 2);
  return reply;
}

/** A question has no other additional record. */
function withoutEdns(query: Buffer): Buffer {
  const { type, id, questions, ...head } = decode(query);
  return encode({ ...head, type: type ?? 'query', id: id ?? 0, questions: questions ?? [], additionals: [] });
}

const hasEdns = (query: Buffer) => query.readUInt16BE(10) > 0;

async function answer(query: Buffer, ask: (query: Buffer) => Promise<Buffer>, at: string): Promise<Buffer> {
  if (mode === 'flaky' && Math.random() < 0.25) return empty(query, 2);
  if (mode === 'formerr-late' && hasEdns(query)) return wait(1500).then(() => empty(query, 1));
  if (mode === 'servfail') return empty(query, 2);
  if (mode === 'denies-all') return empty(query, 3);
  const isBlocked = blocked.test(decode(query).questions?.[0]?.name ?? '');
  if (isBlocked && /^(?:blocks|sinkhole|refuses)$/.test(mode)) return block(query);
  if (isBlocked && mode === 'denies-proved' && !at.includes(':')) return denyWithProof(query);
  if (mode === 'notimp' && unknownTypes.has(typeOf(query))) return empty(query, 4);
  if (mode === 'nodata' && unknownTypes.has(typeOf(query))) return empty(query, 0);
  if (mode === 'slow') await wait(1700);
  const reply = await ask(query);
  if (mode === 'small' && reply.length > 512) return empty(query, 0, { truncated: true });
  if (mode === 'denies-nothing') return withoutDenial(reply);
  if (mode === 'proves-nothing') return withoutProof(reply);
  return mode === 'nxdomain' && ((reply[3] ?? 0) & 15) === 3 ? sell(query) : reply;
}

function askOverUdp(query: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = createSocket('udp4');
    const timer = setTimeout(() => socket.close(() => reject(new Error('no answer'))), waitMs);
    socket.once('message', (reply) => {
      clearTimeout(timer);
      socket.close(() => resolve(reply));
    });
    socket.send(query, upstream.port, upstream.host);
  });
}

function framed(message: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(message.length);
  return Buffer.concat([length, message]);
}

/** Calls back for each whole message of a stream. */
function onMessages(take: (message: Buffer) => void): (bytes: Buffer) => void {
  let held = Buffer.alloc(0);
  return (bytes) => {
    held = Buffer.concat([held, bytes]);
    while (held.length > 2 && held.length >= 2 + held.readUInt16BE(0)) {
      const end = 2 + held.readUInt16BE(0);
      take(held.subarray(2, end));
      held = held.subarray(end);
    }
  };
}

function askOverTcp(query: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = connect(upstream, () => socket.write(framed(query)));
    socket.setTimeout(waitMs, () => socket.destroy(new Error('no answer')));
    socket.once('error', reject);
    socket.on(
      'data',
      onMessages((reply) => {
        resolve(reply);
        socket.destroy();
      }),
    );
  });
}

function listenAt(address: string): void {
  const udp = createSocket(address.includes(':') ? 'udp6' : 'udp4');
  udp.on('message', (query, from) => {
    // A question that cannot be answered is one that gets none.
    answer(strips ? withoutEdns(query) : query, askOverUdp, address).then(
      (reply) => udp.send(reply, from.port, from.address),
      () => undefined,
    );
  });
  udp.bind(53, address);
  if (mode === 'small') return;
  const tcp = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on(
      'data',
      onMessages((query) => {
        answer(query, askOverTcp, address).then(
          (reply) => socket.write(framed(reply)),
          () => socket.destroy(),
        );
      }),
    );
  });
  tcp.listen(53, address);
}

for (const address of addresses) listenAt(address);
