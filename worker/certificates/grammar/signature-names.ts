import { type DerNode, derAt, readObjectIdentifier } from './der.ts';
import { childrenOf } from './extensions.ts';

/** RSA-PSS names its hash in parameters; where they say nothing it is SHA-1 (RFC 4055 §3.1). */
const pss = '1.2.840.113549.1.1.10';
const sha1 = '1.3.14.3.2.26';

/** The object identifier of an AlgorithmIdentifier; behind that of RSA-PSS with SHA-1 stands that of the hash. */
export function readSignatureAlgorithm(algorithm: DerNode | undefined): string {
  const [id, parameters] = childrenOf(algorithm);
  const name = readObjectIdentifier(id);
  if (name !== pss) return name;
  const hash = childrenOf(parameters).find(({ tag }) => tag === 0xa0);
  const isSha1 = hash === undefined || readObjectIdentifier(derAt(hash, 0, 0)) === sha1;
  return isSha1 ? `${pss} ${sha1}` : pss;
}

type Signature = { readonly name: string; readonly isWeak: boolean; readonly isBroken?: boolean };

/** Signature algorithms by object identifier. Weak: their hash can be collided, so that a signature may serve another certificate; broken: anyone can do it at home. */
const algorithms: ReadonlyMap<string, Signature> = new Map([
  ['1.2.840.113549.1.1.2', { name: 'MD2 with RSA', isWeak: true, isBroken: true }],
  ['1.2.840.113549.1.1.3', { name: 'MD4 with RSA', isWeak: true, isBroken: true }],
  ['1.2.840.113549.1.1.4', { name: 'MD5 with RSA', isWeak: true, isBroken: true }],
  ['1.2.840.113549.1.1.5', { name: 'SHA-1 with RSA', isWeak: true }],
  ['1.3.14.3.2.29', { name: 'SHA-1 with RSA', isWeak: true }],
  ['1.2.840.10040.4.3', { name: 'SHA-1 with DSA', isWeak: true }],
  ['1.2.840.10045.4.1', { name: 'SHA-1 with ECDSA', isWeak: true }],
  [pss, { name: 'RSA-PSS', isWeak: false }],
  [`${pss} ${sha1}`, { name: 'SHA-1 with RSA-PSS', isWeak: true }],
  ['1.2.840.113549.1.1.11', { name: 'SHA-256 with RSA', isWeak: false }],
  ['1.2.840.113549.1.1.12', { name: 'SHA-384 with RSA', isWeak: false }],
  ['1.2.840.113549.1.1.13', { name: 'SHA-512 with RSA', isWeak: false }],
  ['1.2.840.113549.1.1.14', { name: 'SHA-224 with RSA', isWeak: false }],
  ['1.2.840.10045.4.3.1', { name: 'SHA-224 with ECDSA', isWeak: false }],
  ['1.2.840.10045.4.3.2', { name: 'SHA-256 with ECDSA', isWeak: false }],
  ['1.2.840.10045.4.3.3', { name: 'SHA-384 with ECDSA', isWeak: false }],
  ['1.2.840.10045.4.3.4', { name: 'SHA-512 with ECDSA', isWeak: false }],
  ['2.16.840.1.101.3.4.3.2', { name: 'SHA-256 with DSA', isWeak: false }],
  ['1.3.101.112', { name: 'Ed25519', isWeak: false }],
  ['1.3.101.113', { name: 'Ed448', isWeak: false }],
  ['2.16.840.1.101.3.4.3.17', { name: 'ML-DSA-44', isWeak: false }],
  ['2.16.840.1.101.3.4.3.18', { name: 'ML-DSA-65', isWeak: false }],
  ['2.16.840.1.101.3.4.3.19', { name: 'ML-DSA-87', isWeak: false }],
]);

/** Name and weakness of a signature algorithm; one that is not known is named by its identifier. Which of them browsers verify stands in browsers/signature-form.ts. */
export function describeSignature(objectIdentifier: string): Required<Signature> {
  const known = algorithms.get(objectIdentifier) ?? { name: objectIdentifier, isWeak: false };
  return { isBroken: false, ...known };
}
