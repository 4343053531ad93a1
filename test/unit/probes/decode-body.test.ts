import { Readable } from 'node:stream';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readBody } from '../../../worker/probes/http/decode-body.ts';

const page = '<!doctype html><title>one</title><p>words words words words';
const plain = Buffer.from(page);
const gzip = gzipSync(plain);
const named = Buffer.concat([
  Buffer.from([0x1f, 0x8b, 8, 2 | 4 | 8 | 16, 0, 0, 0, 0, 0, 3, 2, 0, 9, 9]),
  Buffer.from('a.html\0words\0'),
  Buffer.from([1, 2]),
  gzip.subarray(10),
]);
const utf16 = Buffer.from(`\ufeff${page}`, 'utf16le');
const behind = (bytes: Buffer, tail: string | Buffer) => Buffer.concat([bytes, Buffer.from(tail)]);

function read(pieces: readonly Buffer[], coding: string, type = 'text/html') {
  return readBody(Readable.from(pieces), coding === '' ? [] : [coding], type, {
    keepBytes: 1_000_000,
    wireBytes: 1_000_000,
    ratio: 100,
    encodings: 2,
    socketBytes: () => 0,
    isFramed: () => false,
  });
}

// Each as Chromium 153 reads it.
test.for([
  ['gzip', 'gzip', gzip],
  ['a letter behind the end of gzip', 'gzip', behind(gzip, 'x')],
  ['what begins like another member', 'gzip', behind(gzip, '\u001f\u008b')],
  ['another member, which is not read', 'gzip', behind(gzip, gzipSync('<p>two'))],
  ['gzip without checksum and size', 'gzip', gzip.subarray(0, -8)],
  ['gzip with a wrong checksum', 'gzip', behind(gzip.subarray(0, -8), Buffer.alloc(8, 7))],
  ['gzip with name, comment, extra field and checksum', 'gzip', named],
  ['deflate in zlib', 'deflate', deflateSync(plain)],
  ['raw deflate', 'deflate', deflateRawSync(plain)],
  ['raw deflate with something behind it', 'deflate', behind(deflateRawSync(plain), 'xyz')],
  ['brotli with something behind it', 'br', behind(brotliCompressSync(plain), 'xyz')],
  ['zstd', 'zstd', zstdCompressSync(plain)],
  ['UTF-16, little end first', '', utf16],
  ['UTF-16, big end first', '', Buffer.from(utf16).swap16()],
] as const)('%s is read whole, in one piece and octet by octet', async ([, coding, bytes]) => {
  for (const pieces of [[bytes], Array.from(bytes, (octet) => Buffer.from([octet]))]) {
    const { text, cut } = await read(pieces, coding);
    expect({ text, cut }).toEqual({ text: page, cut: undefined });
  }
});

test.for([
  ['text/html; charset=utf-8', utf16],
  ['text/html; charset=utf-16le', behind(Buffer.from('\ufeff'), plain)],
  ['text/html; charset=none', plain],
] as const)('a byte order mark says more than "%s"', async ([type, bytes]) => {
  expect((await read([bytes], '', type)).text).toBe(page);
});

test.for([
  ['plain text as gzip', 'gzip', plain],
  ['plain text as deflate', 'deflate', plain],
  ['gzip as deflate', 'deflate', gzip],
  ['half of a gzip', 'gzip', gzip.subarray(0, -20)],
  ['a header of gzip without end', 'gzip', behind(named.subarray(0, 14), 'x'.repeat(9000))],
] as const)('%s cannot be read', async ([, coding, bytes]) => {
  expect((await read([bytes], coding)).cut).toBe('bad-encoding');
});

test('an empty body is whole, whatever its coding', async () => {
  expect(await read([], 'gzip')).toMatchObject({ text: '', wireBytes: 0 });
  expect((await read([], 'br')).cut).toBeUndefined();
});
