import type { SslCode } from '#shared/catalogue/ssl-check/rules';
import { type CertificateKey, isSmallKey } from '../../../certificates/certificate.ts';
import { describeFault } from '../../../certificates/trust/reasons.ts';
import type { Presented } from './presented.ts';

/** Findings that make a certificate unusable though its path is trusted. */
const refuting: readonly SslCode[] = [
  'certificate-revoked',
  'certificate-subject-alt-name-missing',
  'certificate-name-mismatch',
  'certificate-key-small',
  'certificate-key-type-unsupported',
  'certificate-timestamps-few',
  'certificate-timestamps-not-accepted',
];

/** Browsers take RSA from 1024 bits, though no public CA signs such a key any more. */
function isRefused({ type, bits }: CertificateKey): boolean {
  return type !== 'RSA' || (bits ?? 0) < 1024 ? isSmallKey({ type, bits, curve: null }) : false;
}

export type Trust = {
  readonly trusted: boolean | null;
  /** The first reason of the path, or the code of the finding that refutes it. */
  readonly error: string | null;
  /** The same as a sentence; null where a finding tells it. */
  readonly reason: string | null;
  /** Fingerprints of the path from the leaf up, as far as certificates were sent. */
  readonly path: readonly string[];
};

/** What browsers make of a chain: whether a path is trusted, and whether the certificate is for this host. */
export function readTrust({ chain }: Presented, broken: readonly SslCode[]): Trust {
  const path = chain.path.map(({ sha256 }) => sha256);
  const { trust } = chain;
  if (trust === null) return { trusted: null, error: null, reason: null, path };
  if (trust.kind === 'untrusted') {
    const [first] = trust.faults;
    const reason = first ? `${first.certificate.subject} ${describeFault(first)}` : null;
    return { trusted: false, error: first?.reason ?? null, reason, path };
  }
  const isRefuting = (code: SslCode) =>
    broken.includes(code) &&
    (code !== 'certificate-key-small' || chain.path.some(({ key }) => isRefused(key)));
  const refuted = refuting.find(isRefuting) ?? null;
  return { trusted: refuted === null, error: refuted, reason: null, path };
}
