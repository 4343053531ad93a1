/** An address as numbers of 32 bits: one for IPv4, four for IPv6. */
export type Address = readonly number[];

/** A block of addresses: what an address must equal where the mask has ones. */
export type Cidr = { readonly network: Address; readonly mask: Address };

/** Reads dotted IPv4 of four decimal parts, or IPv6 without zone and brackets (RFC 4291 §2.2); undefined for every other text. */
export function readAddress(text: string): Address | undefined {
  // No text of an address is longer (RFC 4291: six groups and a dotted IPv4).
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
    // "01" is 1 for some readers and octal for others: it is no form that we accept.
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

/** The canonical text of an address: dotted, or as RFC 5952 wants it. */
export function writeAddress(address: Address): string {
  const [word = 0] = address;
  if (!isIpv6(address)) return `${word >>> 24}.${(word >>> 16) & 255}.${(word >>> 8) & 255}.${word & 255}`;
  const groups = address.flatMap((each) => [each >>> 16, each & 65_535]);
  const { from, length } = longestZeros(groups);
  const hex = (some: readonly number[]) => some.map((group) => group.toString(16)).join(':');
  return length < 2 ? hex(groups) : `${hex(groups.slice(0, from))}::${hex(groups.slice(from + length))}`;
}

// The first of the longest (RFC 5952 §4.2.3).
function longestZeros(groups: readonly number[]): { readonly from: number; readonly length: number } {
  let longest = { from: 0, length: 0 };
  let length = 0;
  for (const [index, group] of groups.entries()) {
    length = group === 0 ? length + 1 : 0;
    if (length > longest.length) longest = { from: index - length + 1, length };
  }
  return longest;
}

/** Tells an IPv6 address from an IPv4 one. */
export function isIpv6(address: Address): boolean {
  return address.length === 4;
}

/** The block of an address's first bits. @param bits at most 32 for IPv4, 128 for IPv6 */
export function cidrOf(address: Address, bits: number): Cidr {
  const mask = address.map((_, index) => {
    const ones = Math.min(32, Math.max(0, bits - 32 * index));
    return ones === 0 ? 0 : (-1 << (32 - ones)) >>> 0;
  });
  return { mask, network: address.map((word, index) => (word & (mask[index] ?? 0)) >>> 0) };
}

/** A block as text: "10.0.0.0/8". */
export function writeCidr({ network, mask }: Cidr): string {
  // A word of a mask is ones, then zeros: its complement begins behind the ones.
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
