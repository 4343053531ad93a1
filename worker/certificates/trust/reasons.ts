import type { Certificate } from '../certificate.ts';

/** Why a path is not trusted, as the end of a sentence about the certificate that it happens at. */
export const pathReasons = {
  'self-signed': 'is signed by its own key and is not a trusted root',
  'root-unknown': 'is a root that is not in the store',
  'issuer-missing': 'was issued by a CA whose certificate is neither sent nor in the store',
  'signature-wrong': 'was not signed by the CA that it names',
  expired: 'has expired',
  'not-yet-valid': 'is not valid yet',
  'signature-weak': 'is signed with a broken hash',
  'purpose-wrong': 'may not be used for TLS servers (extended key usage)',
  'key-usage-wrong': 'has a key that may not sign handshakes (key usage)',
  'authority-as-server': 'is a CA certificate, which Firefox does not accept for a server',
  'subject-missing': 'has no subject, and its subjectAltName is not critical',
  'extension-malformed': 'has an authorityInfoAccess extension that breaks its grammar',
  'extension-repeated': 'has an extension twice, and browsers read no such certificate',
  'extension-unknown': 'has a critical extension that browsers do not process',
  'key-unsupported': 'is a CA with a kind of key that browsers do not use',
  'not-an-authority': 'is not a CA certificate',
  'may-not-sign': 'has a key that may not sign certificates (key usage)',
  'path-too-long': 'allows fewer CA certificates below it',
  'name-not-permitted': 'may not issue for these names (name constraints)',
  'too-many-authorities': 'is further from a certificate of the store than Firefox follows (six CAs)',
  'search-ended': 'leads to more possible paths than are tried',
} as const;
export type PathReason = keyof typeof pathReasons;

export type PathFault = { readonly reason: PathReason; readonly certificate: Certificate };

/** How the search for a path ended: with the first that holds, or with the one that came nearest and everything wrong with it. */
export type PathFound =
  | { readonly kind: 'trusted'; readonly path: readonly Certificate[] }
  | {
      readonly kind: 'untrusted';
      /** From the leaf up. */
      readonly path: readonly Certificate[];
      readonly faults: readonly PathFault[];
    };
