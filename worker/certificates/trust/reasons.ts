import type { Browsers, Refusal } from '../browsers/refusal.ts';
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
  'subject-missing': 'has no subject, and its subjectAltName is not critical, which Chrome refuses',
  'certificate-malformed': 'has a field that is malformed',
  'extension-malformed': 'has an extension that is malformed',
  'extension-repeated': 'has an extension twice',
  'extension-unknown': 'has a critical extension that is not processed',
  'signature-unsupported': 'is signed in a way that browsers do not accept',
  'name-differs': 'writes the name of its issuer in another form than the issuer does, which Firefox refuses',
  'policy-missing':
    'has not the policies that a CA above it demands (policy constraints), which Chrome refuses',
  'feature-missing':
    'demands a TLS feature (tlsfeature) that the certificate below it lacks, which Firefox refuses',
  'key-unsupported': 'is a CA with a kind of key that browsers do not use',
  'not-an-authority': 'is not a CA certificate',
  'may-not-sign': 'has a key that may not sign certificates (key usage)',
  'path-too-long': 'allows fewer CA certificates below it',
  'name-not-permitted': 'may not issue for these names (name constraints)',
  'too-many-authorities': 'is further from a certificate of the store than Firefox follows (six CAs)',
  'search-ended': 'leads to more possible paths than are tried',
} as const;
export type PathReason = keyof typeof pathReasons;

export type PathFault = {
  readonly reason: PathReason;
  readonly certificate: Certificate;
  /** What exactly a browser refuses, and which; left out where the reason says it all. */
  readonly refusal?: Refusal;
};

/** Why a path is not trusted, as the end of a sentence about the certificate. */
export function describeFault({ reason, refusal }: Pick<PathFault, 'reason' | 'refusal'>): string {
  return refusal === undefined ? pathReasons[reason] : `${refusal.what}, which ${verb(refusal.by)}`;
}

function verb(by: Browsers): string {
  return by === 'Chrome and Firefox' ? `${by} refuse` : `${by} refuses`;
}

/** How the search for a path ended: with the first that holds, or with the one that came nearest and everything wrong with it. */
export type PathFound =
  | { readonly kind: 'trusted'; readonly path: readonly Certificate[] }
  | {
      readonly kind: 'untrusted';
      /** From the leaf up. */
      readonly path: readonly Certificate[];
      readonly faults: readonly PathFault[];
    };

/** Reasons for which Firefox or Chrome alone refuses. */
const ofOneBrowser: readonly PathReason[] = ['name-differs', 'policy-missing', 'feature-missing'];

/** What mail servers would refuse too, which read certificates by OpenSSL and others: all but that which one browser alone is strict about. */
export function faultsToMail(faults: readonly PathFault[]): readonly PathFault[] {
  return faults.filter(
    ({ reason, refusal }) =>
      !ofOneBrowser.includes(reason) && (refusal === undefined || refusal.by === 'Chrome and Firefox'),
  );
}
