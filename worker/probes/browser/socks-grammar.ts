/** What a SOCKS5 client asks for: a host as a URL writes it, and a port. */
export type SocksTarget = { readonly host: string; readonly port: number };

/** `more`: not all of it has come yet. `used`: bytes that it took; what follows belongs to the next. */
export type Parsed<T> = { readonly value: T; readonly used: number } | 'more' | 'malformed';

/** Replies (RFC 1928 §6) that a refused or failed CONNECT gets. */
export const socksReplies = {
  granted: 0,
  notAllowed: 2,
  networkUnreachable: 3,
  hostUnreachable: 4,
  refused: 5,
  commandNotSupported: 7,
} as const;
export type SocksReply = (typeof socksReplies)[keyof typeof socksReplies];

const version = 5;
const connectCommand = 1;
const addressTypes = { ipv4: 1, name: 3, ipv6: 4 } as const;

/** Reads the client's greeting (RFC 1928 §3); true when it can go without authentication. */
export function parseGreeting(bytes: Uint8Array): Parsed<boolean> {
  if (bytes.length > 0 && bytes[0] !== version) return 'malformed';
  const count = bytes[1];
  if (count === undefined || bytes.length < 2 + count) return 'more';
  return { value: bytes.subarray(2, 2 + count).includes(0), used: 2 + count };
}

/** Reads a CONNECT request (RFC 1928 §4); another command is malformed here, as browsers send none. */
export function parseConnect(bytes: Uint8Array): Parsed<SocksTarget> {
  if (bytes.length < 5) return 'more';
  if (bytes[0] !== version || bytes[1] !== connectCommand || bytes[2] !== 0) return 'malformed';
  const length = lengthOfAddress(bytes);
  if (length === undefined) return 'malformed';
  const from = bytes[3] === addressTypes.name ? 5 : 4;
  const used = from + length + 2;
  if (bytes.length < used) return 'more';
  const host = readHost(bytes[3], bytes.subarray(from, from + length));
  if (host === undefined) return 'malformed';
  return { value: { host, port: ((bytes[used - 2] ?? 0) << 8) | (bytes[used - 1] ?? 0) }, used };
}

/** The server's choice of "no authentication", or of none that we know. */
export function writeGreeting(accepted: boolean): Uint8Array {
  return Uint8Array.of(version, accepted ? 0 : 0xff);
}

/** The answer to a CONNECT; the bound address is nobody's business. */
export function writeReply(reply: SocksReply): Uint8Array {
  return Uint8Array.of(version, reply, 0, addressTypes.ipv4, 0, 0, 0, 0, 0, 0);
}

function lengthOfAddress(bytes: Uint8Array): number | undefined {
  if (bytes[3] === addressTypes.ipv4) return 4;
  if (bytes[3] === addressTypes.ipv6) return 16;
  return bytes[3] === addressTypes.name && (bytes[4] ?? 0) > 0 ? bytes[4] : undefined;
}

function readHost(type: number | undefined, address: Uint8Array): string | undefined {
  if (type === addressTypes.ipv4) return address.join('.');
  if (type === addressTypes.ipv6) return `[${groupsOf(address).join(':')}]`;
  const name = Buffer.from(address).toString('latin1');
  // Chromium sends an address in a URL as a name, IPv6 without brackets.
  if (/^[0-9a-fA-F:.]+$/.test(name) && name.includes(':')) return `[${name}]`;
  return /^[\x21-\x7e]+$/.test(name) && !/[/\\?#@:[\]]/.test(name) ? name : undefined;
}

function groupsOf(address: Uint8Array): readonly string[] {
  return Array.from({ length: 8 }, (_, index) =>
    (((address[2 * index] ?? 0) << 8) | (address[2 * index + 1] ?? 0)).toString(16),
  );
}
