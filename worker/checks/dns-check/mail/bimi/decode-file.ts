import { gunzipSync } from 'node:zlib';
import type { WebFile } from '../evidence.ts';

/** How much of a file is read, without compression. A logo should have 32 kB at most, a certificate chain with a logo in it has about 20. */
export const fileLimitBytes = 64 * 1024;

type Decoded = Pick<Extract<WebFile, { kind: 'response' }>, 'text' | 'sizeBytes' | 'form'>;

/**
 * Reads a file as text: SVG and PEM are, and SVG may be compressed by gzip (RFC 6170 §5.2).
 * @param isWhole false where the bytes are not all of it
 */
export function decodeFile(bytes: Uint8Array, isWhole: boolean): Decoded {
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
  if (!isWhole) return { text: '', sizeBytes: null, form: isPacked ? 'gzip' : 'text' };
  if (!isPacked) return { ...readText(bytes, 'text'), sizeBytes: bytes.length };
  const unpacked = unpack(bytes);
  if (unpacked === 'too-long') return { text: '', sizeBytes: null, form: 'gzip' };
  if (unpacked === 'broken') return { text: '', sizeBytes: bytes.length, form: 'gzip-broken' };
  return { ...readText(unpacked, 'gzip'), sizeBytes: unpacked.length };
}

/** Takes gzip compression off, up to the limit. */
export function unpack(bytes: Uint8Array): Uint8Array | 'too-long' | 'broken' {
  try {
    return gunzipSync(bytes, { maxOutputLength: fileLimitBytes });
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? 'too-long' : 'broken';
  }
}

// Control characters are in no XML and no PEM; a file that has them is not worth keeping.
function readText(bytes: Uint8Array, form: 'text' | 'gzip'): Pick<Decoded, 'text' | 'form'> {
  const text = new TextDecoder(encodingOf(bytes)).decode(bytes);
  return /[\u0000-\u0008\u000b\u000c\u000e-\u001f]/.test(text)
    ? { text: '', form: 'binary' }
    : { text, form };
}

// XML in another encoding says so by its first bytes (XML 1.0 appendix F); the decoder drops them.
function encodingOf([first, second]: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}
