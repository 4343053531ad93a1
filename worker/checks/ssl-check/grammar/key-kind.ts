/** The two kinds of keys by which servers prove themselves, and of which they may hold a certificate each; curves of Edwards count as ECDSA, as their suites do (RFC 8422 §2.1). */
export type KeyKind = 'ECDSA' | 'RSA';

/** The kind of a key, by the name of its type: "RSA", "RSA-PSS", "EC", "Ed25519". */
export function kindOfKey(type: string): KeyKind {
  return type.startsWith('RSA') ? 'RSA' : 'ECDSA';
}

/** The other one of the two. */
export function otherKindThan(kind: KeyKind): KeyKind {
  return kind === 'RSA' ? 'ECDSA' : 'RSA';
}

/** The kind that a client must know for a suite up to TLS 1.2, by IANA's name; null where the suite does not say, or wants neither. */
export function kindOfSuite(name: string): KeyKind | null {
  // Fixed ECDH has a key on a curve too, with any signer (RFC 4492 §2.1, §2.3).
  if (/^TLS_(?:ECDHE_ECDSA|ECDH_ECDSA|ECDH_RSA)_/.test(name)) return 'ECDSA';
  return /^TLS_(?:(?:EC)?DHE_)?RSA_/.test(name) ? 'RSA' : null;
}
