/** Reads a domain name at `offset`; compression pointers must lead backwards, so a loop cannot be built. Throws RangeError when it is malformed. */
export function readName(
  message: Uint8Array,
  offset: number,
): { readonly name: string; readonly next: number } {
  const labels: string[] = [];
  let octets = 1;
  let at = offset;
  let next: number | undefined;
  for (;;) {
    const length = message[at];
    if (length === undefined) throw new RangeError('a name runs past the end');
    if (length === 0) break;
    if (length >= 0xc0) {
      const target = ((length & 0x3f) << 8) | octetAt(message, at + 1);
      if (target >= at) throw new RangeError('a compression pointer does not lead backwards');
      next ??= at + 2;
      at = target;
      continue;
    }
    if (length > 63) throw new RangeError('a label has an unknown type');
    if (at + 1 + length > message.length) throw new RangeError('a label runs past the end');
    octets += length + 1;
    if (octets > 255) throw new RangeError('a name is longer than 255 octets');
    labels.push(printLabel(message.subarray(at + 1, at + 1 + length)));
    at += 1 + length;
  }
  return { name: labels.join('.'), next: next ?? at + 1 };
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
      const decimal = /^\d{3}/.exec(name.slice(index + 1, index + 4))?.[0];
      current.push(decimal === undefined ? (bytes[index + 1] ?? 0x5c) : Number(decimal) & 0xff);
      index += decimal === undefined ? 1 : 3;
    }
  }
  return labels;
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
