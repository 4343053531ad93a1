import { toHex } from './byte-cursor.ts';
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

/**
 * Reads the value that begins the bytes, and leaves what follows it (X.690 §8, §10.1).
 * Strict where a certificate is: no indefinite length, no length written longer than needed, no tag number above 30. BER that breaks this is malformed.
 */
export function parseDer(bytes: Uint8Array): DerNode | Malformed {
  const tag = bytes[0];
  if (tag === undefined) return malformed(0, 'a value that is cut off');
  if ((tag & 0x1f) === 0x1f) return malformed(0, 'a tag number above 30');
  const length = readLength(bytes);
  if (length === null) return malformed(1, 'a length that is cut off, or of unusual form');
  const end = length.headBytes + length.contentBytes;
  if (end > bytes.length) return malformed(1, 'a length that runs past the end');
  return { kind: 'der', tag, content: bytes.subarray(length.headBytes, end), whole: bytes.subarray(0, end) };
}

function readLength(bytes: Uint8Array): { headBytes: number; contentBytes: number } | null {
  const first = bytes[1];
  if (first === undefined) return null;
  if (first < 0x80) return { headBytes: 2, contentBytes: first };
  const digits = bytes.subarray(2, first - 0x80 + 2);
  // 0x80 alone would be the indefinite form; a leading zero, or one digit below 0x80, is longer than needed.
  const isShortest = digits.length > 1 ? digits[0] !== 0 : (digits[0] ?? 0) >= 0x80;
  if (digits.length !== first - 0x80 || digits.length > 4 || !isShortest) return null;
  return { headBytes: 2 + digits.length, contentBytes: digits.reduce((sum, byte) => sum * 256 + byte, 0) };
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

/** "1.3.6.1.5.5.7.1.24"; "" for a value that is no object identifier (X.690 §8.19). */
export function readObjectIdentifier(node: DerNode | undefined): string {
  if (node?.tag !== derTags.objectIdentifier) return '';
  const arcs: number[] = [];
  let arc = 0;
  for (const byte of node.content) {
    arc = arc * 128 + (byte & 0x7f);
    if (byte >= 0x80) continue;
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
  return node?.tag === derTags.integer ? toHex(node.content).replace(/^0+(?=.)/, '') : null;
}
