import ipaddr from 'ipaddr.js';
import type { Json } from '#shared/model/verdict';

const names = [
  'mandatory',
  'alpn',
  'no-default-alpn',
  'port',
  'ipv4hint',
  'ech',
  'ipv6hint',
  'dohpath',
  'ohttp',
];

/** Reads the SvcParams of an SVCB or HTTPS record (RFC 9460 §2.2): keys must ascend. Throws RangeError when they are malformed. */
export function readServiceParameters(bytes: Buffer): Json {
  const parameters: Record<string, Json> = {};
  let last = -1;
  for (let at = 0; at < bytes.length;) {
    if (at + 4 > bytes.length) throw new RangeError('a service parameter is cut short');
    const key = bytes.readUInt16BE(at);
    const length = bytes.readUInt16BE(at + 2);
    if (at + 4 + length > bytes.length) throw new RangeError('a service parameter runs past the end');
    if (key <= last) throw new RangeError('service parameters are not in ascending order');
    parameters[nameOf(key)] = readValue(key, bytes.subarray(at + 4, at + 4 + length));
    last = key;
    at += 4 + length;
  }
  return parameters;
}

function nameOf(key: number): string {
  return names[key] ?? `key${key}`;
}

function readValue(key: number, value: Buffer): Json {
  switch (nameOf(key)) {
    case 'mandatory':
      return pieces(value, 2).map((piece) => nameOf(piece.readUInt16BE(0)));
    case 'alpn':
      return readAlpn(value);
    case 'no-default-alpn':
    case 'ohttp':
      return true;
    case 'port':
      if (value.length !== 2) throw new RangeError('the port parameter is not two octets');
      return value.readUInt16BE(0);
    case 'ipv4hint':
      return pieces(value, 4).map((piece) => ipaddr.fromByteArray([...piece]).toString());
    case 'ipv6hint':
      return pieces(value, 16).map((piece) => ipaddr.fromByteArray([...piece]).toString());
    case 'ech':
      return value.toString('base64');
    case 'dohpath':
      return value.toString('utf8');
    default:
      return value.toString('hex');
  }
}

function pieces(value: Buffer, size: number): Buffer[] {
  if (value.length === 0 || value.length % size !== 0)
    throw new RangeError('a service parameter has the wrong length');
  return Array.from({ length: value.length / size }, (_, index) =>
    value.subarray(index * size, (index + 1) * size),
  );
}

function readAlpn(value: Buffer): string[] {
  const identifiers: string[] = [];
  for (let at = 0; at < value.length;) {
    const length = value[at] ?? 0;
    if (length === 0 || at + 1 + length > value.length)
      throw new RangeError('the alpn parameter is malformed');
    identifiers.push(value.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return identifiers;
}
