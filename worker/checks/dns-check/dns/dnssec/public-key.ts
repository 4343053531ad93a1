import { createPublicKey, type KeyObject } from 'node:crypto';
import { type Malformed, malformed } from '#shared/model/verdict';
import type { Dnskey } from '../../../../dns/record-values.ts';
import { algorithmOf, type Scheme } from './algorithms.ts';

/** Longest modulus and exponent that are computed with; longer ones are made to keep validators busy. */
const modulusLimitBytes = 512;
const exponentLimitBytes = 8;

/** Makes a key for node:crypto of a DNSKEY (RFC 3110 §2, RFC 6605 §4, RFC 8080 §3). */
export function parsePublicKey(dnskey: Dnskey): KeyObject | Malformed {
  const { scheme, name } = algorithmOf(dnskey.algorithm);
  if (scheme === null) return malformed(`keys of ${name} are not checked here`);
  const jwk = toJwk(scheme, Buffer.from(dnskey.key, 'base64'));
  if ('malformed' in jwk) return jwk as Malformed;
  try {
    return createPublicKey({ key: jwk, format: 'jwk' });
  } catch {
    // OpenSSL refuses, for instance, a point that is not on the curve.
    return malformed('the key is no point or number of its kind');
  }
}

/** Size of the key in bits as it is usually named; null where the key breaks its format. */
export function keyBitsOf(dnskey: Dnskey): number | null {
  const { scheme } = algorithmOf(dnskey.algorithm);
  if (scheme?.kind === 'ecdsa') return scheme.coordinateBytes * 8;
  if (scheme?.kind === 'eddsa') return scheme.keyBytes === 32 ? 256 : 456;
  if (scheme?.kind !== 'rsa') return null;
  const parts = splitRsaKey(Buffer.from(dnskey.key, 'base64'));
  if ('malformed' in parts) return null;
  return parts.modulus.length * 8 - Math.clz32(parts.modulus[0] ?? 0) + 24;
}

function toJwk(scheme: Scheme, key: Buffer): Record<string, string> | Malformed {
  if (scheme.kind === 'rsa') return rsaJwk(key);
  if (scheme.kind === 'eddsa') {
    return key.length === scheme.keyBytes
      ? { kty: 'OKP', crv: scheme.curve, x: key.toString('base64url') }
      : malformed(`the key has ${key.length} octets instead of ${scheme.keyBytes}`);
  }
  const { coordinateBytes: size, curve } = scheme;
  if (key.length !== size * 2) return malformed(`the key has ${key.length} octets instead of ${size * 2}`);
  return {
    kty: 'EC',
    crv: curve,
    x: key.subarray(0, size).toString('base64url'),
    y: key.subarray(size).toString('base64url'),
  };
}

function rsaJwk(key: Buffer): Record<string, string> | Malformed {
  const parts = splitRsaKey(key);
  if ('malformed' in parts) return parts;
  const { exponent, modulus } = parts;
  if (exponent.length > exponentLimitBytes || modulus.length > modulusLimitBytes)
    return malformed('the key is longer than validators accept');
  return { kty: 'RSA', e: exponent.toString('base64url'), n: modulus.toString('base64url') };
}

function splitRsaKey(key: Buffer): { exponent: Buffer; modulus: Buffer } | Malformed {
  const isLong = key[0] === 0;
  const from = isLong ? 3 : 1;
  if (key.length <= from) return malformed('the key is cut short');
  const length = isLong ? key.readUInt16BE(1) : (key[0] ?? 0);
  const exponent = key.subarray(from, from + length);
  const modulus = key.subarray(from + length);
  if (length === 0 || modulus.length === 0) return malformed('the key is cut short');
  return { exponent, modulus };
}
