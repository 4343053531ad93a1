import type { CertificateCode } from '../../../../shared/catalogue/ssl-check/rules/certificate.ts';
import {
  brokenBy,
  brokenIf,
  type Evidence,
  notTested,
  type Verdict,
} from '../../../../shared/model/verdict.ts';
import { isSmallKey } from '../../../certificates/certificate.ts';
import type { Chain } from '../../../certificates/chain.ts';
import type { Presented } from '../facts/presented.ts';
import { type ErrorKind, kindOf } from '../facts/trust.ts';

/** Judges how the verification by OpenSSL ended. It tells one error only: a rule that another error may hide is not tested. */
export function judgeVerification({ verification, chain }: Presented) {
  if (verification.kind === 'unknown') return judgeUnverified(chain, verification.why);
  const { error } = verification;
  const kind = kindOf(error);
  const isVerified = kind === null || kind === 'name';
  const judge = (own: ErrorKind, isBroken: boolean, shown: Evidence): Verdict => {
    if (kind === own) return brokenIf(isBroken, { ...shown, error });
    return isVerified ? 'holds' : notTested(`verification ended with ${error ?? ''} before`);
  };
  const isClosed = chain.root !== null || chain.isSelfSigned;
  const missing = (isBroken: boolean) =>
    isClosed ? 'holds' : judge('missingIssuer', isBroken, showEnd(chain));
  return {
    'certificate-self-signed': isVerified ? 'holds' : judgeSelfSigned(chain),
    'certificate-root-unknown': chain.isSelfSigned
      ? 'not-applicable'
      : judge('unknownRoot', true, { root: showEnd(chain).subject, subject: chain.leaf?.subject ?? '' }),
    'chain-incomplete': missing(!bringsNoIssuer(chain)),
    'chain-intermediate-wrong': missing(bringsNoIssuer(chain)),
    'certificate-not-trusted': judgeRest(error, chain),
  } as const satisfies Partial<Record<CertificateCode, Verdict>>;
}

function judgeUnverified(chain: Chain, why: string) {
  const unseen = notTested(why);
  return {
    'certificate-self-signed': judgeSelfSigned(chain),
    'certificate-root-unknown': unseen,
    'chain-incomplete': unseen,
    'chain-intermediate-wrong': unseen,
    'certificate-not-trusted': unseen,
  } as const satisfies Partial<Record<CertificateCode, Verdict>>;
}

function judgeSelfSigned({ isSelfSigned, leaf }: Chain): Verdict {
  return brokenIf(isSelfSigned, { subject: leaf?.subject ?? '' });
}

/** Where the certificates that were sent end. */
function showEnd({ path }: Chain) {
  const end = path.at(-1);
  return { subject: end?.subject ?? '', issuer: end?.issuer ?? '' };
}

/** CA certificates came along, but none of them leads one step up from the leaf. */
function bringsNoIssuer({ path, surplus }: Chain): boolean {
  return path.length === 1 && surplus.some(({ extensions }) => extensions.isAuthority);
}

/** Errors that no other rule speaks for. */
function judgeRest(error: string | null, { path, isSelfSigned }: Chain): Verdict {
  const kind = kindOf(error);
  const isStrengthSeen = path.some(({ key, signature }) => signature.isWeak || isSmallKey(key));
  const isSpokenFor = isSelfSigned || (kind !== 'other' && (kind !== 'strength' || isStrengthSeen));
  return brokenIf(kind !== null && !isSpokenFor, { error });
}

/** Judges which certificates are sent, and in which order. */
export function judgeSending({ sent, root, surplus, isOrdered }: Chain) {
  return {
    'chain-misordered': brokenIf(!isOrdered, { order: sent.map(({ subject }) => subject).join(' · ') }),
    'chain-surplus': brokenBy(surplus.map(({ subject, bytes }) => ({ subject, bytes }))),
    'chain-root-sent': root === null ? 'holds' : brokenIf(true, { subject: root.subject, bytes: root.bytes }),
  } as const satisfies Partial<Record<CertificateCode, Verdict>>;
}
