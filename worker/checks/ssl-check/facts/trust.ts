import type { SslCode } from '../../../../shared/catalogue/ssl-check/rules.ts';
import type { Presented } from './presented.ts';

/** Where a verification error of OpenSSL or Node belongs. Others are reported as they are. */
export const errorKinds = {
  date: ['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID'],
  selfSigned: ['DEPTH_ZERO_SELF_SIGNED_CERT'],
  unknownRoot: ['SELF_SIGNED_CERT_IN_CHAIN'],
  missingIssuer: [
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'UNABLE_TO_GET_ISSUER_CERT',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  ],
  name: ['ERR_TLS_CERT_ALTNAME_INVALID'],
  // OpenSSL's security level refused a key or a hash; Node has no name for that error.
  strength: [
    'UNSPECIFIED',
    'CERT_SIGNATURE_FAILURE_WEAK',
    'EE_KEY_TOO_SMALL',
    'CA_KEY_TOO_SMALL',
    'CA_MD_TOO_WEAK',
  ],
} as const;
export type ErrorKind = keyof typeof errorKinds;

/** The kind of a verification error; "other" when it has none, null when there was no error. */
export function kindOf(error: string | null): ErrorKind | 'other' | null {
  if (error === null) return null;
  const kinds = Object.keys(errorKinds) as ErrorKind[];
  return kinds.find((kind) => (errorKinds[kind] as readonly string[]).includes(error)) ?? 'other';
}

/** Findings that refute OpenSSL where it was content: it is lenient about names, and at security level 0 about strength. */
const refuting: readonly SslCode[] = [
  'certificate-revoked',
  'certificate-expired',
  'certificate-not-yet-valid',
  'certificate-subject-alt-name-missing',
  'certificate-name-mismatch',
  'certificate-signature-weak',
  'certificate-key-small',
];

export type Trust = {
  readonly trusted: boolean | null;
  readonly error: string | null;
  /** Fingerprints of the path from the leaf up, as far as certificates were sent. */
  readonly path: readonly string[];
};

/** What a browser would make of a chain: OpenSSL's verdict with our own checks beside it. */
export function readTrust({ chain, verification }: Presented, broken: readonly SslCode[]): Trust {
  const path = chain.path.map(({ sha256 }) => sha256);
  const refuted = refuting.find((code) => broken.includes(code)) ?? null;
  const isVerified = verification.kind === 'done';
  const error = (isVerified ? verification.error : null) ?? refuted;
  if (!isVerified) return { trusted: refuted === null ? null : false, error, path };
  return { trusted: error === null, error, path };
}
