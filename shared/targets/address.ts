/** An address as numbers of 32 bits: one for IPv4, four for IPv6. */
export type Address = readonly number[];

/** A block of addresses. An address is in it if it equals `network` in every bit that `mask` sets. */
export type Cidr = { readonly network: Address; readonly mask: Address };

/** Reads dotted IPv4 with four decimal parts, or IPv6 without zone and brackets (RFC 4291 §2.2). Undefined for any other text. */
export function readAddress(text: string): Address | undefined {
  // The longest form has six groups and a dotted IPv4 (RFC 4291).
  if (text.length > 45) return undefined;
  return text.includes(':') ? readIpv6(text) : readIpv4(text);
}

const dot = 46;
const zero = 48;

function readIpv4(text: string): Address | undefined {
  let word = 0;
  let dots = 0;
  let part = -1;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === dot) {
      if (part < 0 || dots === 3) return undefined;
      word = word * 256 + part;
      part = -1;
      dots += 1;
      continue;
    }
    const digit = code - zero;
    // Some readers take "01" for 1, others for an octal number: we accept neither.
    if (digit < 0 || digit > 9 || part === 0) return undefined;
    part = part < 0 ? digit : part * 10 + digit;
    if (part > 255) return undefined;
  }
  return dots === 3 && part >= 0 ? [word * 256 + part] : undefined;
}

const eightZeros = [0, 0, 0, 0, 0, 0, 0, 0];

function readIpv6(text: string): Address | undefined {
  const [before = '', after, ...more] = text.split('::');
  if (more.length > 0) return undefined;
  const head = readGroups(before, after === undefined);
  const tail = after === undefined ? [] : readGroups(after, true);
  if (!head || !tail) return undefined;
  const missing = 8 - head.length - tail.length;
  if (after === undefined ? missing !== 0 : missing < 1) return undefined;
  const groups = [...head, ...eightZeros.slice(0, missing), ...tail];
  return [0, 2, 4, 6].map((at) => (groups[at] ?? 0) * 65_536 + (groups[at + 1] ?? 0));
}

function readGroups(text: string, mayEndAsIpv4: boolean): readonly number[] | undefined {
  if (text === '') return [];
  const groups: number[] = [];
  const pieces = text.split(':');
  for (const [index, piece] of pieces.entries()) {
    if (/^[0-9a-f]{1,4}$/i.test(piece)) {
      groups.push(Number.parseInt(piece, 16));
      continue;
    }
    const word = mayEndAsIpv4 && index === pieces.length - 1 ? readIpv4(piece)?.[0] : undefined;
    if (word === undefined) return undefined;
    groups.push(Math.floor(word / 65_536), word % 65_536);
  }
  return groups;
}

/** Writes the canonical text of an address: dotted IPv4, or IPv6 by RFC 5952. */
export function writeAddress(address: Address): string {
  const [word = 0] = address;
  if (!isIpv6(address)) return `${word >>> 24}.${(word >>> 16) & 255}.${(word >>> 8) & 255}.${word & 255}`;
  const groups = address.flatMap((each) => [each >>> 16, each & 65_535]);
  const { from, length } = longestZeros(groups);
  const hex = (some: readonly number[]) => some.map((group) => group.toString(16)).join(':');
  return length < 2 ? hex(groups) : `${hex(groups.slice(0, from))}::${hex(groups.slice(from + length))}`;
}

// The first of the longest runs (RFC 5952 §4.2.3).
function longestZeros(groups: readonly number[]): { readonly from: number; readonly length: number } {
  let longest = { from: 0, length: 0 };
  let length = 0;
  for (const [index, group] of groups.entries()) {
    length = group === 0 ? length + 1 : 0;
    if (length > longest.length) longest = { from: index - length + 1, length };
  }
  return longest;
}

/** True for an IPv6 address, false for an IPv4 one. */
export function isIpv6(address: Address): boolean {
  return address.length === 4;
}

/**
 * Gives the block that an address's first bits name.
 * @param bits at most 32 for IPv4, 128 for IPv6
 */
export function cidrOf(address: Address, bits: number): Cidr {
  const mask = address.map((_, index) => {
    const ones = Math.min(32, Math.max(0, bits - 32 * index));
    return ones === 0 ? 0 : (-1 << (32 - ones)) >>> 0;
  });
  return { mask, network: address.map((word, index) => (word & (mask[index] ?? 0)) >>> 0) };
}

/** A block as text: "10.0.0.0/8". */
export function writeCidr({ network, mask }: Cidr): string {
  // Each word of a mask is ones, then zeros. So its complement starts with as many zeros as the mask has ones.
  const bits = mask.reduce((sum, word) => sum + Math.clz32(~word), 0);
  return `${writeAddress(network)}/${bits}`;
}

/** True when the address lies in the block. */
export function contains({ network, mask }: Cidr, address: Address): boolean {
  if (network.length !== address.length) return false;
  for (let at = 0; at < network.length; at += 1)
    if (((address[at] ?? 0) & (mask[at] ?? 0)) >>> 0 !== network[at]) return false;
  return true;
}
