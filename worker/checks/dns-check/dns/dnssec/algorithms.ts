import { notKnownHere } from '../../../../dns/iana.ts';

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

/**
 * What IANA's registries say of using a number, for signing or in a DS (RFC 9904): good is RECOMMENDED, allowed MAY, forbidden MUST NOT.
 * The last four are no algorithms that a validator could know.
 */
export type AlgorithmStatus =
  | 'good'
  | 'allowed'
  | 'discouraged'
  | 'forbidden'
  | 'not-for-zones'
  | 'private'
  | 'reserved'
  | 'unassigned';

export type Algorithm = {
  readonly name: string;
  readonly standing: AlgorithmStatus;
  /** Must not be used by validators either (RFC 9904, RFC 9906). */
  readonly isIgnored?: true;
  /** null when signatures of this kind are not checked here. */
  readonly scheme: Scheme | null;
};

const rsa = (hash: string): Scheme => ({ kind: 'rsa', hash });
const p256: Scheme = { kind: 'ecdsa', hash: 'sha256', curve: 'P-256', coordinateBytes: 32 };
const p384: Scheme = { kind: 'ecdsa', hash: 'sha384', curve: 'P-384', coordinateBytes: 48 };

// IANA "DNS Security Algorithm Numbers" at the end of 2025, with what RFC 9905 (SHA-1) and RFC 9906 (GOST) changed.
const algorithms: ReadonlyMap<number, Algorithm> = new Map<number, Algorithm>([
  [0, { name: 'DELETE', standing: 'not-for-zones', scheme: null }],
  [1, { name: 'RSAMD5', standing: 'forbidden', isIgnored: true, scheme: null }],
  [2, { name: 'DH', standing: 'not-for-zones', scheme: null }],
  [3, { name: 'DSA', standing: 'forbidden', isIgnored: true, scheme: null }],
  [5, { name: 'RSASHA1', standing: 'forbidden', scheme: rsa('sha1') }],
  [6, { name: 'DSA-NSEC3-SHA1', standing: 'forbidden', isIgnored: true, scheme: null }],
  [7, { name: 'RSASHA1-NSEC3-SHA1', standing: 'forbidden', scheme: rsa('sha1') }],
  [8, { name: 'RSASHA256', standing: 'good', scheme: rsa('sha256') }],
  [10, { name: 'RSASHA512', standing: 'discouraged', scheme: rsa('sha512') }],
  [12, { name: 'ECC-GOST', standing: 'forbidden', isIgnored: true, scheme: null }],
  [13, { name: 'ECDSAP256SHA256', standing: 'good', scheme: p256 }],
  [14, { name: 'ECDSAP384SHA384', standing: 'allowed', scheme: p384 }],
  [15, { name: 'ED25519', standing: 'good', scheme: { kind: 'eddsa', curve: 'Ed25519', keyBytes: 32 } }],
  [16, { name: 'ED448', standing: 'allowed', scheme: { kind: 'eddsa', curve: 'Ed448', keyBytes: 57 } }],
  [17, { name: 'SM2SM3', standing: 'allowed', scheme: null }],
  [23, { name: 'ECC-GOST12', standing: 'allowed', scheme: null }],
  [252, { name: 'INDIRECT', standing: 'not-for-zones', scheme: null }],
  [253, { name: 'PRIVATEDNS', standing: 'private', scheme: null }],
  [254, { name: 'PRIVATEOID', standing: 'private', scheme: null }],
]);

const reservedAlgorithms: readonly number[] = [4, 9, 11, 255];

/** What is known of a DNSSEC algorithm number. */
export function algorithmOf(number: number): Algorithm {
  const isReserved = reservedAlgorithms.includes(number) || (number >= 123 && number <= 251);
  const standing = isReserved ? 'reserved' : 'unassigned';
  return algorithms.get(number) ?? { name: `algorithm ${number}`, standing, scheme: null };
}

export type DigestType = {
  readonly name: string;
  readonly standing: AlgorithmStatus;
  readonly isIgnored?: true;
  /** Node's name of the hash; null when it is not computed here. */
  readonly hash: string | null;
};

// IANA "DNSSEC Delegation Signer (DS) Resource Record (RR) Type Digest Algorithms" at the end of 2025. 5 and 6 may be used, and validators
// may know them (RFC 9558, RFC 9563).
const digestTypes: ReadonlyMap<number, DigestType> = new Map<number, DigestType>([
  [0, { name: 'NULL', standing: 'not-for-zones', hash: null }],
  [1, { name: 'SHA-1', standing: 'forbidden', hash: 'sha1' }],
  [2, { name: 'SHA-256', standing: 'good', hash: 'sha256' }],
  [3, { name: 'GOST R 34.11-94', standing: 'forbidden', isIgnored: true, hash: null }],
  [4, { name: 'SHA-384', standing: 'allowed', hash: 'sha384' }],
  [5, { name: 'GOST R 34.11-2012', standing: 'allowed', hash: null }],
  [6, { name: 'SM3', standing: 'allowed', hash: null }],
  [253, { name: 'private digest', standing: 'private', hash: null }],
  [254, { name: 'private digest', standing: 'private', hash: null }],
]);

/** What is known of a DS digest type. */
export function digestTypeOf(number: number): DigestType {
  const standing = number >= 128 && number <= 252 ? 'reserved' : 'unassigned';
  return digestTypes.get(number) ?? { name: `digest type ${number}`, standing, hash: null };
}

const whyUnusable: { readonly [S in AlgorithmStatus]?: string } = {
  'not-for-zones': 'is not made for signing zones',
  private: 'is for private use, so others do not know what it means',
  reserved: 'is reserved',
  unassigned: notKnownHere,
};

/** Why no validator can use a number of this standing, as a sentence's end; undefined where it can. */
export function unusableBecause({ standing }: { readonly standing: AlgorithmStatus }): string | undefined {
  return whyUnusable[standing];
}

/** True for a DS that validators read: they know its algorithm and its digest type, and may use them. */
export function isUsableDs(ds: { readonly algorithm: number; readonly digestType: number }): boolean {
  return [algorithmOf(ds.algorithm), digestTypeOf(ds.digestType)].every(
    (one) => one.isIgnored !== true && unusableBecause(one) === undefined,
  );
}

const rankOfStanding: readonly AlgorithmStatus[] = ['good', 'allowed', 'discouraged'];

/** How good an algorithm is for a DS that is to be entered, 0 the best; undefined where it must not be used, or is not known here. */
export function rankOf({ standing, scheme }: Algorithm): number | undefined {
  const rank = rankOfStanding.indexOf(standing);
  return scheme === null || rank < 0 ? undefined : rank;
}
