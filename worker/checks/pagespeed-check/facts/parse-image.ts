import { type Malformed, malformed } from '#shared/model/verdict';

/** What the first bytes of a picture say of it. */
export type ImageHeader = {
  readonly type: 'image/jpeg' | 'image/png' | 'image/webp';
  /** Pixels. */
  readonly width: number;
  readonly height: number;
};

/**
 * Reads the kind and the size of a JPEG (ITU-T T.81 annex B), PNG (RFC 2083 §3) or WebP (RFC 9649 §2) from its header; what
 * follows is not looked at.
 * @returns Malformed for anything else, for a header that is cut off, and for a picture without a single pixel
 */
export function parseImage(bytes: Uint8Array): ImageHeader | Malformed {
  const found = parseJpeg(bytes) ?? parsePng(bytes) ?? parseWebp(bytes);
  return found && found.width > 0 && found.height > 0
    ? found
    : malformed('it begins as no JPEG, PNG or WebP');
}

function parseJpeg(bytes: Uint8Array): ImageHeader | undefined {
  if (!startsWith(bytes, 0, [0xff, 0xd8, 0xff])) return undefined;
  const view = viewOf(bytes);
  let at = 2;
  // Segment by segment, each with its length, up to the frame that tells the size.
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    if (isFrame(marker))
      return { type: 'image/jpeg', width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    const length = view.getUint16(at + 2);
    // Markers without a length do not stand before the frame; one shorter than itself would keep us here.
    if (length < 2) return undefined;
    at += 2 + length;
  }
  return undefined;
}

// SOF0 to SOF15 without DHT, JPG and DAC, which lie between them (T.81 table B.1).
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

function parsePng(bytes: Uint8Array): ImageHeader | undefined {
  const isPng =
    startsWith(bytes, 0, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) &&
    startsWith(bytes, 12, text('IHDR'));
  if (!isPng || bytes.length < 24) return undefined;
  const view = viewOf(bytes);
  return { type: 'image/png', width: view.getUint32(16), height: view.getUint32(20) };
}

function parseWebp(bytes: Uint8Array): ImageHeader | undefined {
  if (!startsWith(bytes, 0, text('RIFF')) || !startsWith(bytes, 8, text('WEBP')) || bytes.length < 30)
    return undefined;
  const type = 'image/webp';
  const view = viewOf(bytes);
  if (startsWith(bytes, 12, text('VP8X')))
    return { type, width: 1 + readUint24(view, 24), height: 1 + readUint24(view, 27) };
  // A key frame of VP8 (RFC 6386 §9.1): 14 bits each, above them the scale.
  if (startsWith(bytes, 12, text('VP8 ')) && startsWith(bytes, 23, [0x9d, 0x01, 0x2a]))
    return { type, width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
  if (startsWith(bytes, 12, text('VP8L')) && bytes[20] === 0x2f) {
    const bits = view.getUint32(21, true);
    return { type, width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
  }
  return undefined;
}

function readUint24(view: DataView, at: number): number {
  return view.getUint16(at, true) + view.getUint8(at + 2) * 0x1_0000;
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

function text(ascii: string): Uint8Array {
  return new TextEncoder().encode(ascii);
}

function startsWith(bytes: Uint8Array, at: number, expected: ArrayLike<number>): boolean {
  return Array.from(expected).every((byte, index) => bytes[at + index] === byte);
}
