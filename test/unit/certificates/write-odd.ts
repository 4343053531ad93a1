import { constants, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { joinBytes } from '../../../worker/certificates/grammar/byte-cursor.ts';
import { makeKey, nameOf } from '../ssl-check/issue-certificate.ts';
import { der, integer, objectIdentifier, sequence, time } from '../ssl-check/write-der.ts';

/** The parts of a certificate, DER, each of which can be another than it should be. */
export type Parts = {
  readonly version: readonly Uint8Array[];
  readonly serial: Uint8Array;
  readonly inner: Uint8Array;
  readonly issuer: Uint8Array;
  readonly validity: Uint8Array;
  readonly subject: Uint8Array;
  readonly key: Uint8Array;
  readonly uniqueIds: readonly Uint8Array[];
  /** The field [3], or none. */
  readonly extensions: readonly Uint8Array[];
  readonly last: readonly Uint8Array[];
  readonly outer: Uint8Array;
  readonly behind: readonly Uint8Array[];
  /** How the signature is made; SHA-256 unless said otherwise. */
  readonly sign: (body: Uint8Array, key: KeyObject) => Uint8Array;
};

export type Signer = { readonly key: KeyObject; readonly name: string };

const keys = { ec: makeKey(), rsa: makeKey('rsa2048') };
export const signers = {
  ec: { key: keys.ec, name: 'CA' },
  rsa: { key: keys.rsa, name: 'RSA CA' },
} as const satisfies { readonly [kind: string]: Signer };
const leafKey = makeKey();

export const spki = (key: KeyObject) => createPublicKey(key).export({ type: 'spki', format: 'der' });
export const nothing = der(0x05);
export const algorithm = (id: string, ...parameters: Uint8Array[]) =>
  sequence(objectIdentifier(id), ...parameters);
export const ecdsa = algorithm('1.2.840.10045.4.3.2');
export const rsa = (last: number, ...parameters: Uint8Array[]) =>
  algorithm(`1.2.840.113549.1.1.${last}`, ...parameters);

/** An extension. @param critical the bytes of its BOOLEAN, or none */
export const extension = (id: string, value: Uint8Array, critical?: readonly number[]) =>
  sequence(objectIdentifier(id), ...(critical === undefined ? [] : [der(0x01, critical)]), der(0x04, value));
export const extensionsOf = (...all: Uint8Array[]) => [der(0xa3, sequence(...all))];

/** Writes and signs a certificate of "a.test", or of what is wished for. */
export function writeOdd(parts: Partial<Parts>, signer: Signer = signers.ec): string {
  const own = signer.key.asymmetricKeyType === 'rsa' ? rsa(11, nothing) : ecdsa;
  const inner = parts.inner ?? parts.outer ?? own;
  const body = sequence(
    ...(parts.version ?? [der(0xa0, integer(2))]),
    parts.serial ?? integer(0x11, 0x22),
    inner,
    parts.issuer ?? nameOf(signer.name),
    parts.validity ?? sequence(time('2026-10-01T00:00:00'), time('2026-12-30T00:00:00')),
    parts.subject ?? nameOf('a.test'),
    parts.key ?? spki(leafKey),
    ...(parts.uniqueIds ?? []),
    ...(parts.extensions ?? []),
    ...(parts.last ?? []),
  );
  const signature = (parts.sign ?? ((bytes, key) => sign('sha256', bytes, key)))(body, signer.key);
  const bits = der(0x03, joinBytes(0, signature));
  return Buffer.from(sequence(body, parts.outer ?? own, bits, ...(parts.behind ?? []))).toString('base64');
}

/** Signs by RSA-PSS. */
export const signPss = (hash: string, saltLength: number) => (body: Uint8Array, key: KeyObject) =>
  sign(hash, body, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength });

const hashIds = { sha1: '1.3.14.3.2.26', sha256: '2.16.840.1.101.3.4.2.1', sha384: '2.16.840.1.101.3.4.2.2' };
type PssHash = keyof typeof hashIds;

/** The AlgorithmIdentifier of RSA-PSS (RFC 4055 §3.1). @param nulls the parameters of both hashes */
export function pss(hash: PssHash, masked: PssHash, salt: number, nulls: readonly Uint8Array[] = [nothing]) {
  const hashOf = (one: PssHash) => algorithm(hashIds[one], ...nulls);
  return algorithm(
    '1.2.840.113549.1.1.10',
    sequence(
      der(0xa0, hashOf(hash)),
      der(0xa1, algorithm('1.2.840.113549.1.1.8', hashOf(masked))),
      der(0xa2, integer(salt)),
    ),
  );
}

/** Signs with another hash. */
export const signWith = (hash: string, body: Uint8Array, key: KeyObject) => sign(hash, body, key);
