import { type KeyObject, verify } from 'node:crypto';

/** Algorithms of signatures that are checked, by object identifier: the hash (null where the key brings its own) and the type of the key. */
const algorithms: ReadonlyMap<string, { readonly hash: string | null; readonly keyType: string }> = new Map([
  ['1.2.840.113549.1.1.11', { hash: 'sha256', keyType: 'rsa' }],
  ['1.2.840.113549.1.1.12', { hash: 'sha384', keyType: 'rsa' }],
  ['1.2.840.113549.1.1.13', { hash: 'sha512', keyType: 'rsa' }],
  ['1.2.840.10045.4.3.2', { hash: 'sha256', keyType: 'ec' }],
  ['1.2.840.10045.4.3.3', { hash: 'sha384', keyType: 'ec' }],
  ['1.2.840.10045.4.3.4', { hash: 'sha512', keyType: 'ec' }],
  ['1.3.101.112', { hash: null, keyType: 'ed25519' }],
  ['1.3.101.113', { hash: null, keyType: 'ed448' }],
]);

/** What was signed, by which algorithm (an object identifier), and the signature. */
export type Signed = {
  readonly signed: Uint8Array;
  readonly signatureAlgorithm: string;
  readonly signature: Uint8Array;
};

/** Whether a key made a signature; "unknown" for an algorithm that is not checked here: SHA-1 and older prove nothing, RSA-PSS is not read. */
export function checkSignature(
  { signed, signatureAlgorithm, signature }: Signed,
  key: KeyObject | null,
): 'good' | 'bad' | 'unknown' {
  const algorithm = algorithms.get(signatureAlgorithm);
  if (algorithm === undefined) return signatureAlgorithm === '' ? 'bad' : 'unknown';
  if (key === null || key.asymmetricKeyType !== algorithm.keyType) return 'bad';
  try {
    return verify(algorithm.hash, signed, key, signature) ? 'good' : 'bad';
  } catch {
    return 'bad'; // OpenSSL cannot use this key
  }
}
