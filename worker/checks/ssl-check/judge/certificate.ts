import {
  type CertificateCode,
  certificateRules,
} from '../../../../shared/catalogue/ssl-check/rules/certificate.ts';
import { brokenBy, brokenIf, notTested, type Verdict } from '../../../../shared/model/verdict.ts';
import { type Certificate, type CertificateKey, isSmallKey } from '../../../certificates/certificate.ts';
import type { Chain } from '../../../certificates/chain.ts';
import type { SslEvidence } from '../evidence.ts';
import type { Presented } from '../facts/presented.ts';
import { judgeSending, judgeVerification } from './chain.ts';
import { judgeDates } from './dates.ts';
import { judgeRevocation } from './revocation.ts';
import { judgeTimestamps } from './timestamps.ts';

/** Judges one certificate of a server, its chain and its staple. */
export function judgeCertificate(
  presented: Presented,
  { host, at }: SslEvidence,
): Record<CertificateCode, Verdict> {
  const { chain } = presented;
  const { leaf } = chain;
  if (leaf === null) return judgeUnseen('a certificate could not be read');
  return {
    ...judgeDates(presented, leaf, at),
    ...judgeNames(host, leaf),
    ...judgeVerification(presented),
    ...judgeStrength(chain, leaf),
    ...judgeSending(chain),
    ...judgeRevocation(presented, leaf, at),
    'certificate-timestamps-few': judgeTimestamps(presented, leaf),
  };
}

/** What is said of a certificate that nobody saw. */
export function judgeUnseen(why: string): Record<CertificateCode, Verdict> {
  const verdict = notTested(why);
  return Object.fromEntries(Object.keys(certificateRules).map((code) => [code, verdict])) as Record<
    CertificateCode,
    Verdict
  >;
}

/** As browsers compare: no wildcard for a part of a label (RFC 9525 §6.3), and the common name is not read. */
const ofBrowsers = { subject: 'never', partialWildcards: false } as const;

function judgeNames(host: string, { x509, extensions, commonName, names }: Certificate) {
  const isNamed = x509.checkHost(host, ofBrowsers) !== undefined;
  const isCommonNameOnly =
    !extensions.hasSubjectAltName && x509.checkHost(host, { subject: 'always' }) !== undefined;
  const shown = names.length > 0 ? names.slice(0, 10).join(', ') : (commonName ?? 'nothing');
  return {
    'certificate-name-mismatch': brokenIf(!isNamed && !isCommonNameOnly, { host, names: shown }),
    'certificate-subject-alt-name-missing': brokenIf(isCommonNameOnly, {
      host,
      commonName: commonName ?? '',
    }),
  } as const satisfies Partial<Record<CertificateCode, Verdict>>;
}

function judgeStrength({ path, root }: Chain, leaf: Certificate) {
  // A root is trusted for being in the store, not for its signature.
  const signed = path.filter((one) => one !== root && !(one.isSelfIssued && one !== leaf));
  const isUsable = leaf.key.type === 'RSA' || (leaf.key.type === 'EC' && isBrowserCurve(leaf.key));
  return {
    'certificate-signature-weak': brokenBy(
      signed
        .filter(({ signature }) => signature.isWeak)
        .map(({ subject, signature }) => ({ subject, algorithm: signature.name })),
    ),
    'certificate-key-type-unsupported': brokenIf(!isUsable, {
      type: leaf.key.curve ?? leaf.key.type,
    }),
    'certificate-key-small': brokenBy(
      path
        .filter(({ key }) => isSmallKey(key))
        .map(({ subject, key }) => ({ subject, type: key.type, bits: key.bits })),
    ),
  } as const satisfies Partial<Record<CertificateCode, Verdict>>;
}

function isBrowserCurve({ curve }: CertificateKey): boolean {
  return curve === 'prime256v1' || curve === 'secp384r1' || curve === 'secp521r1';
}
