import type { Certificate } from '../certificate.ts';
import { isWithinConstraints } from './name-limits.ts';
import type { PathReason } from './reasons.ts';

/** What keeps a certificate from standing at the lower end of a path, as browsers judge it. `at` is Unix ms. */
export function limitsOfLeaf(leaf: Certificate, at: number): readonly PathReason[] {
  const { keyUsages } = leaf.extensions;
  return [
    ...limitsOfDates(leaf, at),
    // Chrome accepts it, Firefox shows a warning page (Baseline Requirements §7.1.2.7.8).
    ...(leaf.extensions.isAuthority ? (['authority-as-server'] as const) : []),
    ...(isNameless(leaf) ? (['subject-missing'] as const) : []),
    // Every key exchange of today is signed by the key of the certificate; browsers look at the bit (RFC 8446 §4.4.2.2).
    ...(keyUsages === null || keyUsages.signs ? [] : (['key-usage-wrong'] as const)),
    ...(leaf.signature.isWeak ? (['signature-weak'] as const) : []),
  ];
}

/**
 * What keeps a certificate from standing above others in a path (RFC 5280 §6.1.4).
 * @param below the path under it, from the leaf up
 * @param isAnchor it is in the store: then its own signature does not count, nor how it is written, its purposes and critical extensions.
 * Firefox reads those of a root too, Chrome does not; no root of Mozilla's has any that would be refused
 */
export function limitsOfIssuer(
  issuer: Certificate,
  below: readonly Certificate[],
  { at, isAnchor }: { readonly at: number; readonly isAnchor: boolean },
): readonly PathReason[] {
  const { extensions } = issuer;
  const isOldRoot = isAnchor && extensions.present.length === 0; // X.509 v1 could not say that it is a CA
  return [
    ...limitsOfDates(issuer, at),
    ...(isUsableKey(issuer) ? [] : (['key-unsupported'] as const)),
    ...(extensions.isAuthority || isOldRoot ? [] : (['not-an-authority'] as const)),
    ...(extensions.keyUsages?.signsCertificates === false ? (['may-not-sign'] as const) : []),
    ...(isTooLong(issuer, below) ? (['path-too-long'] as const) : []),
    ...(below.every((one, index) => isNameAllowed(one, index, issuer))
      ? []
      : (['name-not-permitted'] as const)),
    ...(isAnchor || !issuer.signature.isWeak ? [] : (['signature-weak'] as const)),
    ...(hasFeatures(issuer, below.at(-1)) ? [] : (['feature-missing'] as const)),
  ];
}

/** Chrome takes RSA from 1024 bits and the three curves of NIST; no browser takes DSA or Edwards curves. */
function isUsableKey({ key: { type, bits, curve } }: Certificate): boolean {
  if (type === 'RSA') return (bits ?? 0) >= 1024;
  return type === 'EC' && ['prime256v1', 'secp384r1', 'secp521r1'].includes(curve ?? '');
}

function limitsOfDates({ notBefore, notAfter }: Certificate, at: number): readonly PathReason[] {
  if (at < notBefore) return ['not-yet-valid'];
  // The last second belongs to the certificate (RFC 5280 §4.1.2.5).
  return at >= notAfter + 1000 ? ['expired'] : [];
}

/** Chrome reads no such certificate (RFC 5280 §4.1.2.6). */
function isNameless({ nameKey, extensions }: Certificate): boolean {
  return nameKey === '' && extensions.hasSubjectAltName && !extensions.isSubjectAltNameCritical;
}

/** What a CA demands of TLS, the certificate below it must demand too. */
function hasFeatures(issuer: Certificate, below: Certificate | undefined): boolean {
  const wanted = issuer.extensions.tlsFeatures;
  if (wanted === null) return true;
  const own = below?.extensions.tlsFeatures ?? null;
  return own !== null && Buffer.compare(own, wanted) === 0;
}

/** Intermediates below count, those issued under their own name do not (RFC 5280 §4.2.1.9). */
function isTooLong({ extensions: { pathLength } }: Certificate, below: readonly Certificate[]): boolean {
  return pathLength !== null && below.slice(1).filter((one) => !one.isSelfIssued).length > pathLength;
}

/** A CA may name itself as it likes when it changes its key; the leaf's names always count. */
function isNameAllowed(one: Certificate, index: number, issuer: Certificate): boolean {
  return (index > 0 && one.isSelfIssued) || isWithinConstraints(one, issuer);
}
