import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const prefix = 'dtk_';
const randomLength = 30;
const checksumLength = 6;
const form = /^dtk_[0-9A-Za-z]{36}$/;

/** Draws a token: "dtk_", 30 random base62 signs (178 bits), and the CRC-32 of all before it as 6 base62 signs. */
export function drawToken(): string {
  const signs = Array.from({ length: randomLength }, () => alphabet[randomInt(alphabet.length)]);
  const body = prefix + signs.join('');
  return body + checksumOf(body);
}

/** True for a text of a token's form whose checksum is right: a mistyped one is refused without asking the store. */
export function isTokenText(text: string): boolean {
  return form.test(text) && checksumOf(text.slice(0, -checksumLength)) === text.slice(-checksumLength);
}

/** What is kept of a token: its SHA-256. A slow hash would protect no 178 random bits better. */
export function digestOf(text: string): string {
  return hash('sha256', text, 'base64url');
}

/** What may be shown of a token: enough to tell one's own apart, e.g. "dtk_…x4Qz". */
export function hintOf(text: string): string {
  return `${prefix}…${text.slice(-4)}`;
}

function checksumOf(body: string): string {
  let rest = crc32(body);
  let signs = '';
  for (let index = 0; index < checksumLength; index += 1) {
    signs = (alphabet[rest % alphabet.length] ?? '') + signs;
    rest = Math.floor(rest / alphabet.length);
  }
  return signs;
}
