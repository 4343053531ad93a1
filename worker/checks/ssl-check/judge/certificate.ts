import { type CertificateCode, certificateRules } from '#shared/catalogue/ssl-check/rules/certificate';
import { allOf, brokenBy, brokenIf, notTested, type Verdict } from '#shared/model/verdict';
import { type Certificate, type CertificateKey, isSmallKey } from '../../../certificates/certificate.ts';
import type { Chain } from '../../../certificates/chain.ts';
import { isNamedBy, isSameName } from '../../../certificates/names.ts';
import type { SslEvidence } from '../evidence.ts';
import type { Presented } from '../facts/presented.ts';
import { judgeSending, judgeTrust, listFaults } from './chain.ts';
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
    ...judgeTrust(chain),
    ...judgeStrength(chain, leaf),
    ...judgeSending(chain),
    ...judgeRevocation(presented, leaf, at),
    ...judgeTimestamps(presented, leaf),
  };
}

/** The verdicts on a certificate that was not seen. */
export function judgeUnseen(why: string): Record<CertificateCode, Verdict> {
  return allOf(certificateRules, notTested(why));
}

/** The common name is read only to tell that browsers do not read it. */
function judgeNames(host: string, { extensions, commonName, names }: Certificate) {
  const isNamed = isNamedBy(host, names);
  const isCommonNameOnly =
    !extensions.hasSubjectAltName && commonName !== null && isSameName(host, commonName);
  const shown = names.length > 0 ? names.slice(0, 10).join(', ') : (commonName ?? 'nothing');
  return {
    'certificate-name-mismatch': brokenIf(!isNamed && !isCommonNameOnly, { host, names: shown }),
    'certificate-subject-alt-name-missing': brokenIf(isCommonNameOnly, {
      host,
      commonName: commonName ?? '',
    }),
  } as const satisfies Partial<Record<CertificateCode, Verdict>>;
}

function judgeStrength(chain: Chain, leaf: Certificate) {
  const weak = listFaults(chain).flatMap(({ reason, certificate }) =>
    reason === 'signature-weak' ? [certificate] : [],
  );
  const showSignature = ({ subject, signature }: Certificate) => ({ subject, algorithm: signature.name });
  const isUsable = leaf.key.type === 'RSA' || (leaf.key.type === 'EC' && isBrowserCurve(leaf.key));
  return {
    'certificate-signature-broken': brokenBy(
      weak.filter(({ signature }) => signature.isBroken).map(showSignature),
    ),
    'certificate-signature-weak': brokenBy(
      weak.filter(({ signature }) => !signature.isBroken).map(showSignature),
    ),
    'certificate-key-type-unsupported': brokenIf(!isUsable, {
      type: leaf.key.curve ?? leaf.key.type,
    }),
    'certificate-key-small': brokenBy(
      chain.path
        .filter(({ key }) => isSmallKey(key))
        .map(({ subject, key }) => ({ subject, type: key.type, bits: key.bits })),
    ),
  } as const satisfies Partial<Record<CertificateCode, Verdict>>;
}

function isBrowserCurve({ curve }: CertificateKey): boolean {
  return curve === 'prime256v1' || curve === 'secp384r1' || curve === 'secp521r1';
}
