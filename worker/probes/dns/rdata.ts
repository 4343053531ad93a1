import ipaddr from 'ipaddr.js';
import type { Json } from '#shared/model/verdict';
import { type KnownNames, readName, writeName } from './name.ts';
import { readServiceParameters } from './service-parameters.ts';

/** What a type's RDATA is made of, in order; a field without a name is the whole value. */
type Field = readonly [name: string, kind: Kind];
type Kind = keyof typeof kinds;

/** A place in the message, bounded by the end of the RDATA, and the names that were read in the message before. */
type Cursor = { readonly message: Buffer; readonly names: KnownNames; at: number; readonly end: number };

/** Reads one field and gives its value with its octets in canonical form. */
type ReadField = (cursor: Cursor) => { readonly value: Json; readonly canonical: Buffer };

const kinds = {
  u8: number(1),
  u16: number(2),
  u32: number(4),
  ipv4: slice(4, (bytes) => ipaddr.fromByteArray([...bytes]).toString()),
  ipv6: slice(16, (bytes) => ipaddr.fromByteArray([...bytes]).toString()),
  name: readNameField,
  exactName: readExactName,
  hex: rest((bytes) => bytes.toString('hex')),
  base64: rest((bytes) => bytes.toString('base64')),
  latin1: rest((bytes) => bytes.toString('latin1')),
  strings: rest(readStrings),
  string8: counted((bytes) => bytes.toString('latin1')),
  hex8: counted((bytes) => bytes.toString('hex')),
  base32hex8: counted(toBase32Hex),
  types: rest(readTypeBitmap),
  parameters: rest(readServiceParameters),
} as const satisfies Record<string, ReadField>;

const digest: readonly Field[] = [
  ['keyTag', 'u16'],
  ['algorithm', 'u8'],
  ['digestType', 'u8'],
  ['digest', 'hex'],
]; // prettier-ignore
const key: readonly Field[] = [
  ['flags', 'u16'],
  ['protocol', 'u8'],
  ['algorithm', 'u8'],
  ['key', 'base64'],
]; // prettier-ignore
const association: readonly Field[] = [
  ['usage', 'u8'],
  ['selector', 'u8'],
  ['matchingType', 'u8'],
  ['certificate', 'hex'],
]; // prettier-ignore
const service: readonly Field[] = [
  ['priority', 'u16'],
  ['target', 'exactName'],
  ['params', 'parameters'],
]; // prettier-ignore
const oneName: readonly Field[] = [['', 'name']];
const text: readonly Field[] = [['', 'strings']];

const layouts: { readonly [type: string]: readonly Field[] } = {
  A: [['', 'ipv4']],
  AAAA: [['', 'ipv6']],
  NS: oneName,
  CNAME: oneName,
  DNAME: oneName,
  PTR: oneName,
  MX: [
    ['preference', 'u16'],
    ['exchange', 'name'],
  ],
  SOA: [
    ['mname', 'name'],
    ['rname', 'name'],
    ['serial', 'u32'],
    ['refresh', 'u32'],
    ['retry', 'u32'],
    ['expire', 'u32'],
    ['minimum', 'u32'],
  ],
  SRV: [
    ['priority', 'u16'],
    ['weight', 'u16'],
    ['port', 'u16'],
    ['target', 'name'],
  ],
  TXT: text,
  SPF: text,
  CAA: [
    ['flags', 'u8'],
    ['tag', 'string8'],
    ['value', 'latin1'],
  ],
  DS: digest,
  CDS: digest,
  DNSKEY: key,
  CDNSKEY: key,
  RRSIG: [
    ['typeCovered', 'u16'],
    ['algorithm', 'u8'],
    ['labels', 'u8'],
    ['originalTtl', 'u32'],
    ['expiration', 'u32'],
    ['inception', 'u32'],
    ['keyTag', 'u16'],
    ['signerName', 'name'],
    ['signature', 'base64'],
  ],
  NSEC: [
    ['nextName', 'exactName'],
    ['types', 'types'],
  ],
  NSEC3: [
    ['algorithm', 'u8'],
    ['flags', 'u8'],
    ['iterations', 'u16'],
    ['salt', 'hex8'],
    ['nextHash', 'base32hex8'],
    ['types', 'types'],
  ],
  NSEC3PARAM: [
    ['algorithm', 'u8'],
    ['flags', 'u8'],
    ['iterations', 'u16'],
    ['salt', 'hex8'],
  ],
  TLSA: association,
  SMIMEA: association,
  HTTPS: service,
  SVCB: service,
}; // prettier-ignore

const typeCodes: { readonly [type: string]: number } = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  PTR: 12,
  HINFO: 13,
  MX: 15,
  TXT: 16,
  RP: 17,
  AAAA: 28,
  LOC: 29,
  SRV: 33,
  NAPTR: 35,
  DNAME: 39,
  OPT: 41,
  DS: 43,
  SSHFP: 44,
  RRSIG: 46,
  NSEC: 47,
  DNSKEY: 48,
  NSEC3: 50,
  NSEC3PARAM: 51,
  TLSA: 52,
  SMIMEA: 53,
  CDS: 59,
  CDNSKEY: 60,
  OPENPGPKEY: 61,
  CSYNC: 62,
  ZONEMD: 63,
  SVCB: 64,
  HTTPS: 65,
  SPF: 99,
  NXNAME: 128,
  URI: 256,
  CAA: 257,
  AXFR: 252,
  ANY: 255,
}; // prettier-ignore
const typeNames = new Map(Object.entries(typeCodes).map(([name, code]) => [code, name]));

/** The number of a type mnemonic, "TYPE65534" included (RFC 3597); undefined for an unknown word. */
export function typeCode(type: string): number | undefined {
  const unknown = /^TYPE(\d{1,5})$/.exec(type)?.[1];
  if (unknown !== undefined) return Number(unknown) <= 0xffff ? Number(unknown) : undefined;
  return Object.hasOwn(typeCodes, type) ? typeCodes[type] : undefined;
}

/** The mnemonic of a type number, or "TYPEn". */
export function typeName(code: number): string {
  return typeNames.get(code) ?? `TYPE${code}`;
}

/** Decodes RDATA by its type's layout. A record that breaks it becomes {malformed, rdata}; it never spoils its neighbours. */
export function decodeRdata(
  type: string,
  cursor: Cursor,
): { readonly data: Json; readonly canonical: Buffer } {
  const raw = cursor.message.subarray(cursor.at, cursor.end);
  const layout = Object.hasOwn(layouts, type) ? layouts[type] : undefined;
  if (!layout) return { data: { rdata: raw.toString('hex') }, canonical: raw };
  try {
    return readFields(type, layout, cursor);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { data: { malformed: error.message, rdata: raw.toString('hex') }, canonical: raw };
  }
}

/** The key tag of a DNSKEY's RDATA (RFC 4034 appendix B). */
export function keyTagOf(rdata: Uint8Array): number {
  let sum = 0;
  rdata.forEach((octet, index) => {
    sum += index % 2 === 0 ? octet << 8 : octet;
  });
  return (sum + ((sum >>> 16) & 0xffff)) & 0xffff;
}

function readFields(
  type: string,
  layout: readonly Field[],
  cursor: Cursor,
): { data: Json; canonical: Buffer } {
  const values: Record<string, Json> = {};
  const pieces: Buffer[] = [];
  for (const [name, kind] of layout) {
    const { value, canonical } = kinds[kind](cursor);
    values[name] = value;
    pieces.push(canonical);
  }
  if (cursor.at !== cursor.end) throw new RangeError('the record is longer than its fields');
  const canonical = Buffer.concat(pieces);
  if (type === 'RRSIG') values['typeCovered'] = typeName(Number(values['typeCovered']));
  if (type === 'DNSKEY' || type === 'CDNSKEY') values['keyTag'] = keyTagOf(canonical);
  return { data: Object.hasOwn(values, '') ? (values[''] ?? null) : values, canonical };
}

function take(cursor: Cursor, length: number): Buffer {
  if (cursor.at + length > cursor.end) throw new RangeError('the record is shorter than its fields');
  const bytes = cursor.message.subarray(cursor.at, cursor.at + length);
  cursor.at += length;
  return bytes;
}

function number(length: number): ReadField {
  return slice(length, (bytes) => bytes.readUIntBE(0, length));
}

function slice(length: number, print: (bytes: Buffer) => Json): ReadField {
  return (cursor) => {
    const bytes = take(cursor, length);
    return { value: print(bytes), canonical: bytes };
  };
}

function rest(print: (bytes: Buffer) => Json): ReadField {
  return (cursor) => {
    const bytes = take(cursor, cursor.end - cursor.at);
    return { value: print(bytes), canonical: bytes };
  };
}

function counted(print: (bytes: Buffer) => Json): ReadField {
  return (cursor) => {
    const start = cursor.at;
    const [length = 0] = take(cursor, 1);
    const bytes = take(cursor, length);
    return { value: print(bytes), canonical: cursor.message.subarray(start, cursor.at) };
  };
}

function readNameField(cursor: Cursor): { value: string; canonical: Buffer } {
  const { name, next } = readName(cursor.message, cursor.at, cursor.names);
  if (next > cursor.end) throw new RangeError('a name runs past the end of its record');
  cursor.at = next;
  return { value: name, canonical: writeName(name) ?? Buffer.alloc(0) };
}

// Types younger than RFC 3597 are never compressed, and their names keep their letter case when signed (RFC 6840 §5.1).
function readExactName(cursor: Cursor): { value: string; canonical: Buffer } {
  const start = cursor.at;
  const { value } = readNameField(cursor);
  return { value, canonical: cursor.message.subarray(start, cursor.at) };
}

function readStrings(bytes: Buffer): Json {
  const strings: string[] = [];
  for (let at = 0; at < bytes.length;) {
    const length = bytes[at] ?? 0;
    if (at + 1 + length > bytes.length)
      throw new RangeError('a character-string runs past the end of its record');
    strings.push(bytes.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  if (strings.length === 0) throw new RangeError('there is no character-string');
  return { strings, text: strings.join('') };
}

/** No node of a zone has more types; 8 kB of bit map could name all 65,536. */
const typeLimit = 1000;

function readTypeBitmap(bytes: Buffer): Json {
  const types: string[] = [];
  for (let at = 0; at < bytes.length;) {
    const [window = 0, length = 0] = bytes.subarray(at, at + 2);
    if (length < 1 || length > 32 || at + 2 + length > bytes.length)
      throw new RangeError('the type bit map is malformed');
    bytes.subarray(at + 2, at + 2 + length).forEach((octet, index) => {
      for (let bit = 0; bit < 8; bit += 1)
        if (octet & (0x80 >> bit)) types.push(typeName(window * 256 + index * 8 + bit));
    });
    if (types.length > typeLimit) throw new RangeError(`the type bit map names more than ${typeLimit} types`);
    at += 2 + length;
  }
  return types;
}

// RFC 4648 §7 without padding, as NSEC3 owner names are written.
function toBase32Hex(bytes: Buffer): string {
  let bits = '';
  for (const octet of bytes) bits += octet.toString(2).padStart(8, '0');
  return (bits.match(/.{1,5}/g) ?? [])
    .map((five) => Number.parseInt(five.padEnd(5, '0'), 2).toString(32))
    .join('');
}
