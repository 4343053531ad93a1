/** A name as it was read: its text, and the octets it has on the wire without compression. */
type ReadName = { readonly name: string; readonly octets: number };

/** The names of one message by the offset where they begin, so that a chain of compression pointers is followed once. */
export type KnownNames = Map<number, ReadName>;

/** A name of 255 octets has at most 127 labels, so no honest one needs more pointers. */
const pointerLimit = 126;

/**
 * Reads a domain name at `offset`. A compression pointer must lead backwards, so a loop cannot be built.
 * @param known names of the same message that were read before; grows
 * @returns the name without the last dot, and the offset behind it. Throws RangeError when it is malformed or follows more than 126 pointers.
 */
export function readName(
  message: Uint8Array,
  offset: number,
  known: KnownNames = new Map(),
): { readonly name: string; readonly next: number } {
  const { labels, octets, pointer, next } = readLabels(message, offset);
  if (pointer === undefined) return { name: labels.join('.'), next };
  const suffix = readSuffix(message, pointer, known, { pointers: pointerLimit, octets: 255 - octets });
  return { name: join(labels, octets, suffix).name, next };
}

/** What a name may still follow and hold. */
type Left = { readonly pointers: number; readonly octets: number };

function readSuffix(message: Uint8Array, offset: number, known: KnownNames, left: Left): ReadName {
  const found = known.get(offset);
  if (found) return found;
  if (left.pointers === 0) throw new RangeError(`a name follows more than ${pointerLimit} pointers`);
  const { labels, octets, pointer } = readLabels(message, offset);
  if (octets > left.octets) throw new RangeError('a name is longer than 255 octets');
  const after = { pointers: left.pointers - 1, octets: left.octets - octets };
  const suffix = pointer === undefined ? undefined : readSuffix(message, pointer, known, after);
  const name = join(labels, octets, suffix);
  known.set(offset, name);
  return name;
}

function join(labels: readonly string[], octets: number, suffix: ReadName | undefined): ReadName {
  const all = octets + (suffix?.octets ?? 1);
  if (all > 255) throw new RangeError('a name is longer than 255 octets');
  const name = suffix && suffix.name !== '' ? [...labels, suffix.name].join('.') : labels.join('.');
  return { name, octets: all };
}

/** The labels up to the root or to a compression pointer, with the octets they take. */
function readLabels(
  message: Uint8Array,
  offset: number,
): { labels: string[]; octets: number; pointer?: number; next: number } {
  const labels: string[] = [];
  let at = offset;
  for (;;) {
    const length = octetAt(message, at);
    const octets = at - offset;
    if (length === 0) return { labels, octets, next: at + 1 };
    if (length >= 0xc0) {
      const pointer = ((length & 0x3f) << 8) | octetAt(message, at + 1);
      if (pointer >= offset) throw new RangeError('a compression pointer does not lead backwards');
      return { labels, octets, pointer, next: at + 2 };
    }
    if (length > 63) throw new RangeError('a label has an unknown type');
    if (at + 1 + length > message.length) throw new RangeError('a label runs past the end');
    if (octets + length + 2 > 255) throw new RangeError('a name is longer than 255 octets');
    labels.push(printLabel(message.subarray(at + 1, at + 1 + length)));
    at += 1 + length;
  }
}

/**
 * Writes a name in uncompressed wire form (RFC 1035 §3.1), letters in lower case.
 * @param name without the last dot; "" is the root; "\." and "\ddd" escape octets (RFC 1035 §5.1)
 * @returns undefined where it is no name: an empty label, one above 63 octets, more than 255 in all
 */
export function writeName(name: string): Buffer | undefined {
  if (name === '') return Buffer.from([0]);
  const octets: number[] = [];
  for (const label of splitLabels(name)) {
    if (label.length === 0 || label.length > 63) return undefined;
    octets.push(label.length, ...label);
  }
  octets.push(0);
  return octets.length > 255 ? undefined : Buffer.from(octets);
}

function splitLabels(name: string): number[][] {
  const labels: number[][] = [[]];
  const bytes = Buffer.from(name, 'latin1');
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] ?? 0;
    const current = labels[labels.length - 1] ?? [];
    if (byte === 0x2e) labels.push([]);
    else if (byte !== 0x5c) current.push(lower(byte));
    else {
      const decimal = decimalAt(bytes, index + 1);
      current.push(decimal ?? bytes[index + 1] ?? 0x5c);
      index += decimal === undefined ? 1 : 3;
    }
  }
  return labels;
}

/** The number of three digits at a place. No regular expression: a hostile message has thousands of names with nothing but escapes. */
function decimalAt(bytes: Buffer, at: number): number | undefined {
  let number = 0;
  for (let place = at; place < at + 3; place += 1) {
    const digit = (bytes[place] ?? 0) - 0x30;
    if (digit < 0 || digit > 9) return undefined;
    number = 10 * number + digit;
  }
  return number & 0xff;
}

function printLabel(octets: Uint8Array): string {
  let text = '';
  for (const octet of octets) {
    if (octet === 0x2e || octet === 0x5c) text += `\\${String.fromCharCode(octet)}`;
    else if (octet <= 0x20 || octet >= 0x7f) text += `\\${String(octet).padStart(3, '0')}`;
    else text += String.fromCharCode(lower(octet));
  }
  return text;
}

function lower(octet: number): number {
  return octet >= 0x41 && octet <= 0x5a ? octet + 0x20 : octet;
}

function octetAt(message: Uint8Array, at: number): number {
  const octet = message[at];
  if (octet === undefined) throw new RangeError('a name runs past the end');
  return octet;
}
