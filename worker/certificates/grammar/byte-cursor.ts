/** Reads big-endian numbers and runs of bytes in order. After a read past the end every read gives 0 or nothing, and `failedAt` says where. */
export type ByteCursor = {
  /** A number of 1 to 4 bytes. */
  readonly number: (size: 1 | 2 | 3 | 4) => number;
  /** The next bytes, not copied; none when fewer are left. */
  readonly bytes: (size: number) => Uint8Array;
  /** A run of bytes with its length before it, as TLS writes vectors. */
  readonly vector: (lengthSize: 1 | 2 | 3) => Uint8Array;
  readonly left: () => number;
  readonly at: () => number;
  /** Offset of the first read that ran past the end; null while all is well. */
  readonly failedAt: () => number | null;
};

const nothing = new Uint8Array(0);

/** Opens a cursor at the first byte. It never throws: a parser reads on and asks `failedAt` once, at its end. */
export function openCursor(source: Uint8Array): ByteCursor {
  let at = 0;
  let failedAt: number | null = null;
  /** Where the next bytes end; null when fewer are left. */
  const skip = (size: number): number | null => {
    if (failedAt !== null || size > source.length - at) {
      failedAt ??= at;
      return null;
    }
    at += size;
    return at;
  };
  const number = (size: number) => {
    const end = skip(size);
    let sum = 0;
    // No view is made for a number: hellos and certificates are full of them.
    if (end !== null)
      for (let each = end - size; each < end; each += 1) sum = sum * 256 + (source[each] ?? 0);
    return sum;
  };
  const bytes = (size: number) => {
    const end = skip(size);
    return end === null ? nothing : source.subarray(end - size, end);
  };
  return {
    number,
    bytes,
    vector: (lengthSize) => bytes(number(lengthSize)),
    left: () => (failedAt === null ? source.length - at : 0),
    at: () => at,
    failedAt: () => failedAt,
  };
}

/** Joins runs of bytes and single bytes into one run. */
export function joinBytes(...parts: readonly (number | Uint8Array | readonly number[])[]): Uint8Array {
  const runs = parts.map((part) => (typeof part === 'number' ? [part] : part));
  const joined = new Uint8Array(runs.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const run of runs) {
    joined.set(run, at);
    at += run.length;
  }
  return joined;
}

/** A number as big-endian bytes. */
export function numberBytes(value: number, size: 1 | 2 | 3 | 4): Uint8Array {
  const bytes = new Uint8Array(size);
  for (let index = 0; index < size; index += 1) bytes[index] = value >>> (8 * (size - 1 - index));
  return bytes;
}

/** A run of bytes with its length before it, as TLS writes vectors. */
export function vectorBytes(
  lengthSize: 1 | 2 | 3,
  ...parts: readonly (number | Uint8Array | readonly number[])[]
): Uint8Array {
  const content = joinBytes(...parts);
  return joinBytes(numberBytes(content.length, lengthSize), content);
}

/** Lower-case hex of bytes. */
export function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex');
}
