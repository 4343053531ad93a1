import { type KnownNames, readName, writeName } from './name.ts';
import type { DnsQuestion, DnsRecord } from './port.ts';
import { decodeRdata, typeCode, typeName } from './rdata.ts';

const rcodes = [
  'NOERROR',
  'FORMERR',
  'SERVFAIL',
  'NXDOMAIN',
  'NOTIMP',
  'REFUSED',
  'YXDOMAIN',
  'YXRRSET',
  'NXRRSET',
  'NOTAUTH',
  'NOTZONE',
];
const extendedRcodes: { readonly [code: number]: string } = {
  16: 'BADVERS',
  22: 'BADTRUNC',
  23: 'BADCOOKIE',
};

/** The least that every path carries without fragments (dnsflagday.net 2020). */
const udpSize = 1232;

export type QueryFlags = {
  readonly recursionDesired: boolean;
  readonly checkingDisabled: boolean;
  readonly dnssecOk: boolean;
  readonly edns: boolean;
  readonly ednsVersion?: number;
  readonly unknownOption?: boolean;
  readonly mixedCase?: boolean;
};

/** An option code of the range for experiments (RFC 6891 §9), with no content. */
const unknownOption = Buffer.from([0xfd, 0xe9, 0, 0]);

/** Writes a query (RFC 1035 §4, RFC 6891). undefined where the name or type cannot be asked. */
export function writeQuery(id: number, question: DnsQuestion, flags: QueryFlags): Buffer | undefined {
  const name = writeName(question.name);
  const type = typeCode(question.type);
  if (!name || type === undefined) return undefined;
  const header = Buffer.alloc(12);
  header.writeUInt16BE(id, 0);
  // AD in a query says that we understand AD in the answer (RFC 6840 §5.7).
  header.writeUInt16BE(
    (flags.recursionDesired ? 0x0100 : 0) | (flags.checkingDisabled ? 0x0010 : 0) | 0x0020,
    2,
  );
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(flags.edns ? 1 : 0, 10);
  const tail = Buffer.alloc(4);
  tail.writeUInt16BE(type, 0);
  tail.writeUInt16BE(1, 2);
  const asked = flags.mixedCase === true ? mixCase(name) : name;
  return Buffer.concat([header, asked, tail, ...(flags.edns ? [writeOpt(flags)] : [])]);
}

function writeOpt(flags: QueryFlags): Buffer {
  const option = flags.unknownOption === true ? unknownOption : Buffer.alloc(0);
  const opt = Buffer.alloc(11);
  opt.writeUInt16BE(41, 1);
  opt.writeUInt16BE(udpSize, 3);
  opt.writeUInt8(flags.ednsVersion ?? 0, 6);
  opt.writeUInt16BE(flags.dnssecOk ? 0x8000 : 0, 7);
  opt.writeUInt16BE(option.length, 9);
  return Buffer.concat([opt, option]);
}

// Every other letter, the first one too, so that any name with a letter changes. Lengths of labels are below 64, so none is taken for a letter.
function mixCase(name: Buffer): Buffer {
  let letters = 0;
  return Buffer.from(
    name.map((octet) => {
      if (octet < 0x61 || octet > 0x7a) return octet;
      letters += 1;
      return letters % 2 === 1 ? octet - 0x20 : octet;
    }),
  );
}

export type Message = {
  readonly id: number;
  readonly isResponse: boolean;
  readonly rcode: string;
  readonly flags: { readonly aa: boolean; readonly tc: boolean; readonly ra: boolean; readonly ad: boolean };
  /** undefined when the server sent none back. */
  readonly question: DnsQuestion | undefined;
  readonly answers: readonly DnsRecord[];
  readonly authority: readonly DnsRecord[];
  readonly additional: readonly DnsRecord[];
  readonly ede: readonly { readonly code: number; readonly text: string }[];
  readonly edns: { readonly version: number; readonly udpSize: number; readonly dnssecOk: boolean } | null;
};

/** No honest answer has more; each costs some microseconds to decode and more to judge, and a message of 64 kB could hold 5,900. */
const recordLimit = 500;

/** What a message may hold once its compressed names are written out: twice the largest message. 64 kB of pointers to one long name unfold to a megabyte. */
const unfoldedLimitBytes = 131_072;

/** A message with the names that were read in it, and the octets of the records that were read so far, written out. */
type MessageState = { readonly message: Buffer; readonly names: KnownNames; unfolded: number };

type Raw = {
  readonly name: string;
  readonly type: number;
  readonly class: number;
  readonly ttl: number;
  readonly start: number;
  readonly length: number;
};

/**
 * Reads a message. A record that breaks its own format is kept as such; one that breaks the message ends it.
 * Throws RangeError when the header or the sections cannot be walked, and when there are more than 500 records or they unfold to more than 128 KiB.
 */
export function readMessage(bytes: Uint8Array, withRdata: boolean): Message {
  const message = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (message.length < 12) throw new RangeError('the message is shorter than its header');
  const reading: MessageState = { message, names: new Map(), unfolded: 0 };
  const word = message.readUInt16BE(2);
  const { question, at } = readQuestion(reading, message.readUInt16BE(4));
  const isTruncated = (word & 0x0200) !== 0;
  const sections = readSections(reading, at, isTruncated);
  const opt = sections.flat().find(({ type }) => type === 41);
  const decode = (raws: readonly Raw[] = []) =>
    raws.filter((raw) => raw.type !== 41 && raw.class === 1).map((raw) => toRecord(reading, raw, withRdata));
  const code = (word & 0xf) | (opt ? (opt.ttl >>> 24) << 4 : 0);
  return {
    id: message.readUInt16BE(0),
    isResponse: (word & 0x8000) !== 0,
    rcode: rcodes[code] ?? extendedRcodes[code] ?? `RCODE${code}`,
    flags: {
      aa: (word & 0x0400) !== 0,
      tc: isTruncated,
      ra: (word & 0x0080) !== 0,
      ad: (word & 0x0020) !== 0,
    },
    question,
    answers: decode(sections[0]),
    authority: decode(sections[1]),
    additional: decode(sections[2]),
    ede: opt ? readEde(message.subarray(opt.start, opt.start + opt.length)) : [],
    edns: opt
      ? { version: (opt.ttl >>> 16) & 0xff, udpSize: opt.class, dnssecOk: (opt.ttl & 0x8000) !== 0 }
      : null,
  };
}

function readQuestion(
  { message, names }: MessageState,
  count: number,
): { question: DnsQuestion | undefined; at: number } {
  if (count > recordLimit) throw new RangeError('there are too many questions');
  let at = 12;
  let question: DnsQuestion | undefined;
  for (let index = 0; index < count; index += 1) {
    const { name, next } = readName(message, at, names);
    if (next + 4 > message.length) throw new RangeError('the question is cut short');
    question ??= { name, type: typeName(message.readUInt16BE(next)) };
    at = next + 4;
  }
  return { question, at };
}

function readSections(reading: MessageState, start: number, isTruncated: boolean): Raw[][] {
  const { message } = reading;
  const sections: Raw[][] = [];
  let at = start;
  let count = 0;
  for (const place of [6, 8, 10]) {
    const section: Raw[] = [];
    sections.push(section);
    for (let left = message.readUInt16BE(place); left > 0; left -= 1) {
      // A truncated answer may break off anywhere; what came whole still counts.
      if (isTruncated && at >= message.length) break;
      count += 1;
      if (count > recordLimit) throw new RangeError(`there are more than ${recordLimit} records`);
      const raw = readRaw(reading, at);
      section.push(raw);
      at = raw.start + raw.length;
    }
  }
  return sections;
}

function readRaw({ message, names }: MessageState, at: number): Raw {
  const { name, next } = readName(message, at, names);
  if (next + 10 > message.length) throw new RangeError('a record is cut short');
  const length = message.readUInt16BE(next + 8);
  if (next + 10 + length > message.length) throw new RangeError('a record runs past the end');
  return {
    name,
    type: message.readUInt16BE(next),
    class: message.readUInt16BE(next + 2),
    ttl: message.readUInt32BE(next + 4),
    start: next + 10,
    length,
  };
}

function toRecord(reading: MessageState, raw: Raw, withRdata: boolean): DnsRecord {
  const { message, names } = reading;
  const type = typeName(raw.type);
  const { data, canonical } = decodeRdata(type, {
    message,
    names,
    at: raw.start,
    end: raw.start + raw.length,
  });
  reading.unfolded += raw.name.length + canonical.length;
  if (reading.unfolded > unfoldedLimitBytes) throw new RangeError('the compressed names unfold to too much');
  // A TTL with the top bit set counts as 0 (RFC 2181 §8).
  const ttl = raw.ttl > 0x7fffffff ? 0 : raw.ttl;
  return { name: raw.name, type, ttl, data, ...(withRdata ? { rdata: canonical.toString('hex') } : {}) };
}

/** Longer ones are not for people. */
const edeTextLimit = 200;

// Some end it with NULs, as C does.
function readEdeText(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return bytes
    .subarray(0, end === -1 ? bytes.length : end)
    .toString('utf8')
    .slice(0, edeTextLimit);
}

// Option 15 (RFC 8914): a code, then UTF-8 text.
function readEde(options: Buffer): { code: number; text: string }[] {
  const found: { code: number; text: string }[] = [];
  for (let at = 0; at + 4 <= options.length;) {
    const length = options.readUInt16BE(at + 2);
    if (at + 4 + length > options.length) break;
    if (options.readUInt16BE(at) === 15 && length >= 2) {
      found.push({
        code: options.readUInt16BE(at + 4),
        text: readEdeText(options.subarray(at + 6, at + 4 + length)),
      });
    }
    at += 4 + length;
  }
  return found;
}
