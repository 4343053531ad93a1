import { hash } from 'node:crypto';
import { nameToWire } from '../../../../dns/name.ts';

const alphabet = '0123456789abcdefghijklmnopqrstuv';

/** Resolvers take a zone that hashes more often for one without DNSSEC, and no hash is computed here (RFC 9276 §3.2). */
export const iterationLimit = 150;

export type HashParameters = {
  /** How often the hash is hashed again. */
  readonly iterations: number;
  /** Hex. */
  readonly salt: string;
};

/** The hash of a name as NSEC3 owners have it: SHA-1, base32hex in lower case (RFC 5155 §5). */
export function hashName(labels: readonly string[], parameters: HashParameters): string {
  return toBase32Hex(digestOf(nameToWire({ labels }), parameters));
}

/** The same as octets. @param wire the name as it travels, in lower case */
export function digestOf(wire: Buffer, { iterations, salt }: HashParameters): Buffer {
  const grain = Buffer.from(salt, 'hex');
  const once = (bytes: Buffer): Buffer => hash('sha1', Buffer.concat([bytes, grain]), 'buffer');
  let digest = once(wire);
  for (let round = 0; round < iterations; round += 1) digest = once(digest);
  return digest;
}

// 160 bits are 32 characters of five bits, so none is left over.
function toBase32Hex(bytes: Buffer): string {
  let text = '';
  let bits = 0;
  let value = 0;
  for (const octet of bytes) {
    value = ((value << 8) | octet) & 0xfff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += alphabet[(value >> bits) & 31] ?? '';
    }
  }
  return text;
}
