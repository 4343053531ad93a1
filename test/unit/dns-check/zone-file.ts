import type { Json } from '#shared/model/verdict';
import type { DnsRecord } from '../../../worker/probes/dns/port.ts';
import { recordTypes } from '../../kit/record-types.ts';

/**
 * Reads zone lines "name ttl type value…"; names whole and without the last dot, "@" is the zone.
 * Values as in zone files, but HTTPS and whatever else is an object stand as JSON.
 */
export function readZone(zone: string, text: string): DnsRecord[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => readLine(zone, line));
}

function readLine(zone: string, line: string): DnsRecord {
  const [, owner = '', ttl = '', type = '', value = ''] = /^(\S+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
  const name = owner === '@' ? zone : owner === '.' ? '' : owner;
  const data = readValue(type, value);
  const rdata = encode(type, data);
  return {
    name,
    type,
    ttl: Number(ttl),
    data,
    ...(rdata === undefined ? {} : { rdata: rdata.toString('hex') }),
  };
}

function readValue(type: string, value: string): Json {
  if (value.startsWith('{')) return JSON.parse(value) as Json;
  const names = layouts.get(type);
  if (!names) return type === 'TXT' ? { strings: [value], text: value } : value;
  const words = value.split(' ');
  const rest = words.slice(names.length - 1).join(' ');
  const values = names.map((_, at) => (at === names.length - 1 ? rest : (words[at] ?? '')));
  return Object.fromEntries(
    names.map((name, at) => [name, texts.has(name) ? (values[at] ?? '') : Number(values[at])]),
  );
}

const digest = ['keyTag', 'algorithm', 'digestType', 'digest'];
const key = ['flags', 'protocol', 'algorithm', 'key'];
const layouts = new Map([
  ['SOA', ['mname', 'rname', 'serial', 'refresh', 'retry', 'expire', 'minimum']],
  ['MX', ['preference', 'exchange']],
  ['CAA', ['flags', 'tag', 'value']],
  ['DS', digest],
  ['CDS', digest],
  ['DNSKEY', key],
  ['CDNSKEY', key],
]);
const texts = new Set(['mname', 'rname', 'exchange', 'tag', 'value', 'digest', 'key']);

type Fields = { readonly [name: string]: string | number };

/** RDATA in canonical form, of the types that the tests sign. */
export function encode(type: string, data: Json): Buffer | undefined {
  const fields: Fields = typeof data === 'string' ? { text: data } : (data as Fields);
  return encoders.get(type)?.(fields);
}

const text = (fields: Fields, name: string): string => `${fields[name] ?? ''}`;
const number = (fields: Fields, name: string): number => Number(fields[name] ?? 0);
const u8 = (fields: Fields, name: string): Buffer => Buffer.of(number(fields, name));
const octets = (value: string): Buffer =>
  Buffer.concat([Buffer.of(value.length), Buffer.from(value, 'latin1')]);

const encodeName = (fields: Fields): Buffer => wireName(text(fields, 'text'));
const encodeKey = (fields: Fields): Buffer =>
  Buffer.concat([
    u16(number(fields, 'flags')),
    u8(fields, 'protocol'),
    u8(fields, 'algorithm'),
    Buffer.from(text(fields, 'key'), 'base64'),
  ]);
const encodeDigest = (fields: Fields): Buffer =>
  Buffer.concat([
    u16(number(fields, 'keyTag')),
    u8(fields, 'algorithm'),
    u8(fields, 'digestType'),
    Buffer.from(text(fields, 'digest'), 'hex'),
  ]);

function encodeHashing(fields: Fields): Buffer {
  const salt = Buffer.from(text(fields, 'salt'), 'hex');
  const flags = fields['flags'] === undefined ? Buffer.of(0) : u8(fields, 'flags');
  const algorithm = fields['algorithm'] === undefined ? Buffer.of(1) : u8(fields, 'algorithm');
  return Buffer.concat([algorithm, flags, u16(number(fields, 'iterations')), Buffer.of(salt.length), salt]);
}

/** The bit map of types that a name has (RFC 4034 §4.1.2). */
function encodeTypes(fields: Fields): Buffer {
  const numbers: { readonly [type: string]: number } = recordTypes;
  const codes = String(fields['types'])
    .split(',')
    .flatMap((type) => numbers[type] ?? []);
  const windows = Map.groupBy(codes, (code) => code >> 8);
  return Buffer.concat(
    [...windows]
      .toSorted(([a], [b]) => a - b)
      .map(([window, of]) => {
        const bits = Buffer.alloc((Math.max(...of.map((code) => code & 0xff)) >> 3) + 1);
        for (const code of of)
          bits[(code & 0xff) >> 3] = (bits[(code & 0xff) >> 3] ?? 0) | (0x80 >> (code & 7));
        return Buffer.concat([Buffer.of(window, bits.length), bits]);
      }),
  );
}

type Params = { readonly [key: string]: readonly string[] | number | boolean };

const paramKeys = ['mandatory', 'alpn', 'no-default-alpn', 'port', 'ipv4hint', 'ech', 'ipv6hint'];

/** An HTTPS record (RFC 9460 §2.2), with the parameters that the tests use. */
function encodeService(fields: Fields): Buffer {
  const params = (fields as unknown as { readonly params?: Params }).params ?? {};
  const parts = Object.entries(params)
    .map(([key, value]) => [paramKeys.indexOf(key), encodeParam(key, value)] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([key, value]) => Buffer.concat([u16(key), u16(value.length), value]));
  return Buffer.concat([u16(number(fields, 'priority')), wireName(text(fields, 'target')), ...parts]);
}

function encodeParam(key: string, value: Params[string]): Buffer {
  const list = Array.isArray(value) ? (value as readonly string[]) : [];
  if (key === 'port') return u16(Number(value));
  if (key === 'alpn') return Buffer.concat(list.map(octets));
  if (key === 'ipv4hint') return Buffer.concat(list.map((ip) => Buffer.from(ip.split('.').map(Number))));
  if (key === 'ipv6hint') return Buffer.concat(list.map(encodeIpv6));
  return Buffer.concat(list.map((name) => u16(paramKeys.indexOf(name))));
}

function fromBase32Hex(hash: string): Buffer {
  const bits = hash
    .split('')
    .map((digit) => Number.parseInt(digit, 32).toString(2).padStart(5, '0'))
    .join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((octet) => Number.parseInt(octet, 2)));
}

const encoders = new Map<string, (fields: Fields) => Buffer>([
  ['A', (fields) => Buffer.from(text(fields, 'text').split('.').map(Number))],
  ['AAAA', (fields) => encodeIpv6(text(fields, 'text'))],
  ['NS', encodeName],
  ['CNAME', encodeName],
  ['PTR', encodeName],
  ['MX', (fields) => Buffer.concat([u16(number(fields, 'preference')), wireName(text(fields, 'exchange'))])],
  ['TXT', (fields) => Buffer.concat((text(fields, 'text').match(/.{1,255}/gs) ?? ['']).map(octets))],
  [
    'CAA',
    (fields) =>
      Buffer.concat([
        u8(fields, 'flags'),
        octets(text(fields, 'tag')),
        Buffer.from(text(fields, 'value'), 'latin1'),
      ]),
  ],
  ['HTTPS', encodeService],
  ['DNSKEY', encodeKey],
  ['CDNSKEY', encodeKey],
  ['DS', encodeDigest],
  ['CDS', encodeDigest],
  ['NSEC3PARAM', encodeHashing],
  ['NSEC', (fields) => Buffer.concat([wireName(text(fields, 'nextName')), encodeTypes(fields)])],
  [
    'NSEC3',
    (fields) => {
      const hash = fromBase32Hex(text(fields, 'nextHash'));
      return Buffer.concat([encodeHashing(fields), Buffer.of(hash.length), hash, encodeTypes(fields)]);
    },
  ],
  [
    'SOA',
    (fields) =>
      Buffer.concat([
        wireName(text(fields, 'mname')),
        wireName(text(fields, 'rname')),
        ...['serial', 'refresh', 'retry', 'expire', 'minimum'].map((name) => u32(number(fields, name))),
      ]),
  ],
]);

/** A name as it travels. Escapes: only "\." */
export function wireName(name: string): Buffer {
  const labels = name === '' ? [] : name.split(/(?<!\\)\./).map((label) => label.replaceAll('\\.', '.'));
  return Buffer.concat([
    ...labels.flatMap((label) => [Buffer.of(label.length), Buffer.from(label.toLowerCase(), 'latin1')]),
    Buffer.of(0),
  ]);
}

function encodeIpv6(text: string): Buffer {
  const [head = '', tail = ''] = text.split('::');
  const groups = (part: string): string[] => (part === '' ? [] : part.split(':'));
  const zeros = Array.from({ length: 8 - groups(head).length - groups(tail).length }, () => '0');
  return Buffer.concat(
    [...groups(head), ...zeros, ...groups(tail)].map((group) => u16(Number.parseInt(group, 16))),
  );
}

function u16(value = 0): Buffer {
  return Buffer.of((value >> 8) & 0xff, value & 0xff);
}

function u32(value = 0): Buffer {
  const octets = Buffer.alloc(4);
  octets.writeUInt32BE(value >>> 0);
  return octets;
}
