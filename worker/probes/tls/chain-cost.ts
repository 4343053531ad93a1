import { openCursor } from '../../certificates/grammar/byte-cursor.ts';
import { type DerNode, derAt, derIn, readObjectIdentifier } from '../../certificates/grammar/der.ts';

/**
 * Milliseconds of one core in which a signature by such a key is checked, at most, as measured with OpenSSL 3.5 on a virtual machine of 2026
 * (`openssl speed`): curves by the identifiers of RFC 5480 §2.1.1.1, Edwards curves of RFC 8410 §3, ML-DSA of RFC 9881 §2.
 */
const keyMs: { readonly [oid: string]: number } = {
  '1.2.840.10045.3.1.7': 0.1, // P-256
  '1.3.132.0.34': 0.7, // P-384
  '1.3.132.0.35': 1.4, // P-521
  '1.3.101.112': 0.1, // Ed25519
  '1.3.101.113': 0.2, // Ed448
  '2.16.840.1.101.3.4.3.17': 0.2, // ML-DSA-44
  '2.16.840.1.101.3.4.3.18': 0.3, // ML-DSA-65
  '2.16.840.1.101.3.4.3.19': 0.3, // ML-DSA-87
};
/** Another curve, DSA, SLH-DSA, or what is not DER: as much as the slowest of them. */
const unknownMs = 10;
/** An exponentiation with a modulus and an exponent of 3,072 bits, the worst that OpenSSL takes on. */
const slowestRsa = { bits: 3072, ms: 8 };
const rsaOids = ['1.2.840.113549.1.1.1', '1.2.840.113549.1.1.10'];
const curveOid = '1.2.840.10045.2.1';

/**
 * How long OpenSSL would be busy with the signatures of a chain, at most, in milliseconds. It checks one by each key, however the chain ends.
 * @param message the body of a Certificate message
 * @param isTls13 whether extensions follow each certificate (RFC 8446 §4.4.2)
 */
export function costOfChain(message: Uint8Array, isTls13: boolean): number {
  const cursor = openCursor(message);
  if (isTls13) cursor.vector(1);
  const list = openCursor(cursor.vector(3));
  let ms = 0;
  while (list.left() > 0) {
    ms += costOfKey(keyIn(list.vector(3)));
    if (isTls13) list.vector(2);
  }
  return ms;
}

/** The SubjectPublicKeyInfo of a certificate (RFC 5280 §4.1), which stands behind five fields and the version, if there is one. */
function keyIn(certificate: Uint8Array): DerNode | undefined {
  const body = derAt(derIn(certificate), 0);
  const hasVersion = derAt(body, 0)?.tag === 0xa0;
  return derAt(body, hasVersion ? 6 : 5);
}

function costOfKey(key: DerNode | undefined): number {
  const bits = derAt(key, 1);
  if (bits === undefined) return unknownMs;
  const oid = readObjectIdentifier(derAt(key, 0, 0));
  if (rsaOids.includes(oid)) return costOfRsa(bits);
  const name = oid === curveOid ? readObjectIdentifier(derAt(key, 0, 1)) : oid;
  return keyMs[name] ?? unknownMs;
}

/** Raising a number costs the square of the modulus' length times the exponent's. */
function costOfRsa(bits: DerNode): number {
  const numbers = derIn(bits.content.subarray(1));
  const [modulus, exponent] = [derAt(numbers, 0), derAt(numbers, 1)];
  if (modulus === undefined || exponent === undefined) return unknownMs;
  const relative = (8 * modulus.content.length) / slowestRsa.bits;
  return slowestRsa.ms * relative ** 2 * ((8 * exponent.content.length) / slowestRsa.bits);
}
