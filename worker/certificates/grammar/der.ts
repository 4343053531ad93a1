import { joinBytes, numberBytes, toHex } from './byte-cursor.ts';
import { type Malformed, malformed } from './malformed.ts';

/** One DER value. */
export type DerNode = {
  readonly kind: 'der';
  /** The identifier byte: class, constructed bit and tag number, e.g. 0x30 for SEQUENCE, 0xa3 for [3]. */
  readonly tag: number;
  readonly content: Uint8Array;
  /** Identifier, length and content. */
  readonly whole: Uint8Array;
};

/** Identifier bytes that are looked for. */
export const derTags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  enumerated: 0x0a,
  sequence: 0x30,
  utcTime: 0x17,
  generalizedTime: 0x18,
} as const;

/** Where a value lies among bytes. Made once and filled again and again: a long list is scanned without an object for each entry. */
export type DerHead = { tag: number; contentAt: number; end: number };

/** A head to be filled. */
export function emptyHead(): DerHead {
  return { tag: 0, contentAt: 0, end: 0 };
}

/** Fills the head of the value at an offset; false, and the head untouched, where none is well formed (see parseDer). */
export function readHead(bytes: Uint8Array, at: number, head: DerHead): boolean {
  const tag = bytes[at] ?? 0x1f;
  const first = bytes[at + 1] ?? 0x80;
  const contentAt = at + 2 + (first < 0x80 ? 0 : first - 0x80);
  const size = first < 0x80 ? first : readLongLength(bytes, at + 2, contentAt);
  if ((tag & 0x1f) === 0x1f || size < 0 || contentAt + size > bytes.length) return false;
  head.tag = tag;
  head.contentAt = contentAt;
  head.end = contentAt + size;
  return true;
}

/** A length of up to four digits, as short as it can be written; -1 for any other, the indefinite one without digits too. */
function readLongLength(bytes: Uint8Array, from: number, to: number): number {
  const digits = to - from;
  if (digits < 1 || digits > 4 || to > bytes.length) return -1;
  let size = 0;
  for (let index = from; index < to; index += 1) size = size * 256 + (bytes[index] ?? 0);
  // A leading zero, or one digit below 0x80, is longer than needed.
  const isShortest = digits === 1 ? size >= 0x80 : bytes[from] !== 0;
  return isShortest ? size : -1;
}

/**
 * Reads the value that begins the bytes, and leaves what follows it (X.690 §8, §10.1).
 * Strict where a certificate is: no indefinite length, no length written longer than needed, no tag number above 30. BER that breaks this is malformed.
 */
export function parseDer(bytes: Uint8Array): DerNode | Malformed {
  const [tag] = bytes;
  if (tag === undefined) return malformed('a value that is cut off', 0);
  if ((tag & 0x1f) === 0x1f) return malformed('a tag number above 30', 0);
  const head = emptyHead();
  if (!readHead(bytes, 0, head))
    return malformed('a length of unusual form, or one that runs past the end', 1);
  const { contentAt, end } = head;
  return { kind: 'der', tag, content: bytes.subarray(contentAt, end), whole: bytes.subarray(0, end) };
}

/** Writes one value: the identifier byte, the length as short as it can be, and the contents one after the other. */
export function writeDer(tag: number, ...contents: readonly Uint8Array[]): Uint8Array {
  const content = joinBytes(...contents);
  if (content.length < 0x80) return joinBytes(tag, content.length, content);
  const size = content.length < 0x100 ? 1 : content.length < 0x10000 ? 2 : content.length < 0x1000000 ? 3 : 4;
  return joinBytes(tag, 0x80 + size, numberBytes(content.length, size), content);
}

/** The values inside a constructed one; none when they do not fill it exactly. */
export function derChildren({ content }: DerNode): readonly DerNode[] {
  const children: DerNode[] = [];
  let rest = content;
  while (rest.length > 0) {
    const child = parseDer(rest);
    if (child.kind === 'malformed') return [];
    children.push(child);
    rest = rest.subarray(child.whole.length);
  }
  return children;
}

/** The value at the end of a path of child positions; undefined where the path leads nowhere. */
export function derAt(node: DerNode | undefined, ...path: readonly number[]): DerNode | undefined {
  return path.reduce<DerNode | undefined>(
    (current, index) => (current === undefined ? undefined : derChildren(current)[index]),
    node,
  );
}

/** The value that begins the bytes, or undefined: for what is read only where it is well formed. */
export function derIn(bytes: Uint8Array | undefined): DerNode | undefined {
  const node = bytes === undefined ? undefined : parseDer(bytes);
  return node?.kind === 'der' ? node : undefined;
}

/** "1.3.6.1.5.5.7.1.24"; "" for a value that is no object identifier (X.690 §8.19): empty, cut off in an arc, or an arc written longer than needed. */
export function readObjectIdentifier(node: DerNode | undefined): string {
  if (node?.tag !== derTags.objectIdentifier || (node.content.at(-1) ?? 0x80) >= 0x80) return '';
  const arcs: number[] = [];
  let arc = 0;
  let isFirst = true;
  for (const byte of node.content) {
    if (isFirst && byte === 0x80) return '';
    arc = arc * 128 + (byte & 0x7f);
    isFirst = byte < 0x80;
    if (!isFirst) continue;
    arcs.push(arc);
    arc = 0;
  }
  const [first = 0, ...others] = arcs;
  const root = Math.min(2, Math.floor(first / 40));
  return [root, first - root * 40, ...others].join('.');
}

/** Unix ms of a UTCTime or GeneralizedTime in the form that RFC 5280 §4.1.2.5 wants (seconds, Z); null for any other. */
export function readTime(node: DerNode | undefined): number | null {
  if (node?.tag !== derTags.utcTime && node?.tag !== derTags.generalizedTime) return null;
  const text = Buffer.from(node.content).toString('latin1');
  const full = node.tag === derTags.utcTime ? `${text < '5' ? '20' : '19'}${text}` : text;
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(full) ?? [];
  if (year === undefined) return null;
  const iso = `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`;
  const ms = Date.parse(iso);
  // Date.parse moves 30 February into March; such a time is no time.
  return Number.isNaN(ms) || new Date(ms).toISOString() !== iso ? null : ms;
}

/** A small non-negative INTEGER or ENUMERATED; null when it is none, or above 2^48. */
export function readSmallInteger(node: DerNode | undefined): number | null {
  if (node?.tag !== derTags.integer && node?.tag !== derTags.enumerated) return null;
  const { content } = node;
  if (content.length === 0 || content.length > 6 || (content[0] ?? 0) >= 0x80) return null;
  return content.reduce((sum, byte) => sum * 256 + byte, 0);
}

/** A serial number as lower-case hex without leading zeros; null for a value that is no INTEGER. */
export function readSerialNumber(node: DerNode | undefined): string | null {
  if (node?.tag !== derTags.integer || node.content.length === 0) return null;
  return toHex(node.content).replace(/^0+(?=.)/, '');
}

/** The bytes of a BIT STRING that fills whole ones, as keys and signatures do; null for any other. */
export function readWholeBits(node: DerNode | undefined): Uint8Array | null {
  return node?.tag === derTags.bitString && node.content[0] === 0 ? node.content.subarray(1) : null;
}

/** Whether one bit of a BIT STRING is set, counted from the first (X.690 §8.6): how flags are named. */
export function hasBit(node: DerNode | undefined, index: number): boolean {
  const byte = node?.tag === derTags.bitString ? (node.content[1 + (index >> 3)] ?? 0) : 0;
  return (byte & (0x80 >> (index & 7))) !== 0;
}
