import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip, zstdCompress } from 'node:zlib';
import type { Request, Response } from 'express';

export type Coding = 'identity' | 'gzip' | 'zstd';

/** What a GET answers with (RFC 9110 §8): its bytes in each content coding, each made once and when first asked for. */
export type Representation = {
  readonly contentType: string;
  readonly identity: Buffer;
  /** Strong; differs by coding. */
  readonly etags: Readonly<Record<Coding, string>>;
  bytes(coding: Coding): Promise<Buffer> | Buffer;
  /** The bytes of `identity`, one a character: Node sends head and body of a string in one write. */
  latin1(): string;
};

/** Below this size a coding saves less than its header costs. */
const leastCompressed = 1024;
const compress = { gzip: promisify(gzip), zstd: promisify(zstdCompress) };

/**
 * Makes a representation of bytes that do not change any more.
 * @param onGrown told how many more bytes are held whenever another form was made and is kept
 */
export function represent(
  bytes: Uint8Array,
  contentType: string,
  onGrown: (moreBytes: number) => void = () => undefined,
): Representation {
  const identity = copyExactly(bytes);
  const digest = hash('sha256', identity, 'base64url').slice(0, 22);
  const made: Partial<Record<Coding, Buffer | Promise<Buffer>>> = { identity };
  const make = async (coding: 'gzip' | 'zstd') => {
    const coded = copyExactly(await compress[coding](identity));
    made[coding] = coded;
    onGrown(coded.length);
    return coded;
  };
  let text: string | undefined;
  return {
    contentType,
    identity,
    etags: { identity: `"${digest}"`, gzip: `"${digest}-gzip"`, zstd: `"${digest}-zstd"` },
    bytes: (coding) => (made[coding] ??= make(coding === 'gzip' ? 'gzip' : 'zstd')),
    latin1() {
      if (text !== undefined) return text;
      text = identity.toString('latin1');
      onGrown(text.length);
      return text;
    },
  };
}

// zlib answers with a view of the whole chunk that it wrote to (16 or 64 KiB), and small Buffers share a slab: either would be held for 2 kB.
function copyExactly(bytes: Uint8Array): Buffer {
  if (bytes.buffer.byteLength === bytes.byteLength) return Buffer.from(bytes.buffer);
  const copy = Buffer.allocUnsafeSlow(bytes.byteLength);
  copy.set(bytes);
  return copy;
}

/** JSON that is made when it is first asked for, and once. */
export function prepareJson(make: () => unknown): () => Representation {
  let made: Representation | undefined;
  return () => (made ??= represent(Buffer.from(JSON.stringify(make())), 'application/json; charset=utf-8'));
}

/** The coding to send, by Accept-Encoding; identity unless one of ours is named with a weight above 0. */
export function chooseCoding(acceptEncoding: string | undefined, sizeBytes: number): Coding {
  if (acceptEncoding === undefined || sizeBytes < leastCompressed) return 'identity';
  const allows = (coding: string) =>
    new RegExp(`(?:^|[,\\s])${coding}(?!\\s*;\\s*q=0(?:\\.0*)?(?:[,\\s]|$))(?:[;,\\s]|$)`, 'i').test(
      acceptEncoding,
    );
  if (allows('zstd')) return 'zstd';
  return allows('gzip') ? 'gzip' : 'identity';
}

/**
 * Sends it: 200, or 304 to who has it already.
 * @param fields more of the answer's fields, as a flat list of names and values; they replace what was set before
 */
export async function sendRepresentation(
  { headers, method }: Request,
  response: Response,
  representation: Representation,
  fields: readonly string[],
): Promise<void> {
  const { contentType, identity, etags } = representation;
  // A picture is compressed already.
  const isText = /json|xml|^text/.test(contentType);
  const coding = isText ? chooseCoding(headers['accept-encoding'], identity.length) : 'identity';
  const head = ['ETag', etags[coding], ...fields];
  if (isKnown(headers['if-none-match'], Object.values(etags))) {
    response.writeHead(304, head).end();
    return;
  }
  const body = await representation.bytes(coding);
  if (coding !== 'identity') head.push('Content-Encoding', coding);
  head.push('Content-Type', contentType, 'Content-Length', String(body.length));
  response.writeHead(200, head);
  response.end(method === 'HEAD' ? undefined : body);
}

// RFC 9110 §13.1.2: weak comparison; any of our codings of the same bytes will do.
function isKnown(ifNoneMatch: string | undefined, etags: readonly string[]): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((tag) => etags.includes(tag.trim().replace(/^W\//, '')));
}
