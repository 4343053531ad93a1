const be16 = (number: number) => [number >> 8, number & 255];
const be32 = (number: number) => [...be16(number >>> 16), ...be16(number & 0xffff)];
const le16 = (number: number) => be16(number).reverse();
const le24 = (number: number) => [...le16(number & 0xffff), number >> 16];
const text = (ascii: string) => [...Buffer.from(ascii)];
const webp = (chunk: string, bytes: readonly number[]) =>
  Uint8Array.from([
    ...text('RIFF'),
    0,
    0,
    0,
    0,
    ...text('WEBP'),
    ...text(chunk),
    0,
    0,
    0,
    0,
    ...bytes,
    0,
    0,
    0,
    0,
    0,
  ]);

/** The header of a JPEG, behind the segments that cameras and editors put before its frame. */
export function jpeg(width: number, height: number, frame = 0xc0): Uint8Array {
  const application = [0xff, 0xe0, 0, 16, ...text('JFIF\0'), 1, 1, 0, 0, 1, 0, 1, 0, 0];
  const huffman = [0xff, 0xc4, 0, 3, 0xff];
  const start = [0xff, frame, 0, 11, 8, ...be16(height), ...be16(width), 1, 1, 0x11, 0];
  return Uint8Array.from([0xff, 0xd8, ...application, ...huffman, ...start, 0xff, 0xd9]);
}

/** The header of a PNG. */
export function png(width: number, height: number): Uint8Array {
  const signature = [0x89, ...text('PNG\r\n'), 0x1a, 0x0a];
  return Uint8Array.from([
    ...signature,
    0,
    0,
    0,
    13,
    ...text('IHDR'),
    ...be32(width),
    ...be32(height),
    8,
    2,
    0,
    0,
    0,
  ]);
}

/** The header of a lossy WebP; 3 stands above the width, as a scale. */
export function webpLossy(width: number, height: number): Uint8Array {
  return webp('VP8 ', [0, 0, 0, 0x9d, 0x01, 0x2a, ...le16(width | 0xc000), ...le16(height)]);
}

/** The header of a lossless WebP. */
export function webpLossless(width: number, height: number): Uint8Array {
  const bits = ((width - 1) | ((height - 1) << 14)) >>> 0;
  return webp('VP8L', [0x2f, ...le16(bits & 0xffff), ...le16(bits >>> 16)]);
}

/** The header of a WebP with extras. */
export function webpExtended(width: number, height: number): Uint8Array {
  return webp('VP8X', [0, 0, 0, 0, ...le24(width - 1), ...le24(height - 1)]);
}
