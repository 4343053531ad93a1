/** How an algorithm signs: RSA with a hash, ECDSA over a curve, or EdDSA. */
export type Scheme =
  | { readonly kind: 'rsa'; readonly hash: string }
  | {
      readonly kind: 'ecdsa';
      readonly hash: string;
      readonly curve: string;
      readonly coordinateBytes: number;
    }
  | { readonly kind: 'eddsa'; readonly curve: string; readonly keyBytes: number };

export type Algorithm = {
  readonly name: string;
  /** Must not be used for signing any more. */
  readonly isWeak: boolean;
  /** null when signatures of this kind are not checked here. */
  readonly scheme: Scheme | null;
};

const rsa = (hash: string): Scheme => ({ kind: 'rsa', hash });

// IANA "DNS Security Algorithm Numbers"; usable or not by RFC 9904, 9905 (SHA-1) and 9906 (GOST).
const algorithms: ReadonlyMap<number, Algorithm> = new Map([
  [1, { name: 'RSAMD5', isWeak: true, scheme: null }],
  [3, { name: 'DSA', isWeak: true, scheme: null }],
  [5, { name: 'RSASHA1', isWeak: true, scheme: rsa('sha1') }],
  [6, { name: 'DSA-NSEC3-SHA1', isWeak: true, scheme: null }],
  [7, { name: 'RSASHA1-NSEC3-SHA1', isWeak: true, scheme: rsa('sha1') }],
  [8, { name: 'RSASHA256', isWeak: false, scheme: rsa('sha256') }],
  [10, { name: 'RSASHA512', isWeak: false, scheme: rsa('sha512') }],
  [12, { name: 'ECC-GOST', isWeak: true, scheme: null }],
  [
    13,
    {
      name: 'ECDSAP256SHA256',
      isWeak: false,
      scheme: { kind: 'ecdsa', hash: 'sha256', curve: 'P-256', coordinateBytes: 32 },
    },
  ],
  [
    14,
    {
      name: 'ECDSAP384SHA384',
      isWeak: false,
      scheme: { kind: 'ecdsa', hash: 'sha384', curve: 'P-384', coordinateBytes: 48 },
    },
  ],
  [15, { name: 'ED25519', isWeak: false, scheme: { kind: 'eddsa', curve: 'Ed25519', keyBytes: 32 } }],
  [16, { name: 'ED448', isWeak: false, scheme: { kind: 'eddsa', curve: 'Ed448', keyBytes: 57 } }],
  [17, { name: 'SM2SM3', isWeak: false, scheme: null }],
  [23, { name: 'ECC-GOST12', isWeak: false, scheme: null }],
]);

/** What is known of a DNSSEC algorithm number; unknown ones are neither weak nor checked. */
export function algorithmOf(number: number): Algorithm {
  return algorithms.get(number) ?? { name: `algorithm ${number}`, isWeak: false, scheme: null };
}

// IANA: 0, 4, 9, 11 and 123 to 251 are reserved, 2 cannot sign zones, 252 to 255 name no algorithm that all know.
/** True for a number by which no validator can check a signature. */
export function isUnusableAlgorithm(number: number): boolean {
  return !algorithms.has(number);
}

export type DigestType = {
  readonly name: string;
  readonly isWeak: boolean;
  /** Node's name of the hash; null when it is not computed here. */
  readonly hash: string | null;
};

// IANA "DNSSEC Delegation Signer (DS) Resource Record (RR) Type Digest Algorithms".
const digestTypes: ReadonlyMap<number, DigestType> = new Map([
  [1, { name: 'SHA-1', isWeak: true, hash: 'sha1' }],
  [2, { name: 'SHA-256', isWeak: false, hash: 'sha256' }],
  [3, { name: 'GOST R 34.11-94', isWeak: true, hash: null }],
  [4, { name: 'SHA-384', isWeak: false, hash: 'sha384' }],
]);

/** True for a digest type that validators do not know: 5 and 6 are registered, but nobody has to read them (RFC 9558, RFC 9563). */
export function isUnusableDigest(number: number): boolean {
  return !digestTypes.has(number) && number !== 5 && number !== 6;
}

/** What is known of a DS digest type. */
export function digestTypeOf(number: number): DigestType {
  return digestTypes.get(number) ?? { name: `digest type ${number}`, isWeak: false, hash: null };
}
