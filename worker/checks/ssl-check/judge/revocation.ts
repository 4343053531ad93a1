import type { CertificateCode } from '../../../../shared/catalogue/ssl-check/rules/certificate.ts';
import { brokenIf, notTested, type Verdict } from '../../../../shared/model/verdict.ts';
import type { OcspStatus } from '../grammar/ocsp-response.ts';
import type { CertificateSight } from '../sight/certificate-sight.ts';
import type { SslSight } from '../sight/sight.ts';
import { readStaple, type Staple } from '../sight/staple.ts';

/** Judges the staple. A certificate without one is no fault: CAs need not offer OCSP any more. */
export function judgeStaple(sight: SslSight, leaf: CertificateSight) {
  const staple = readStaple(sight, leaf);
  const status = staple?.kind === 'status' ? staple.status : null;
  const unseen = notTested('no OCSP answer was stapled, and revocation lists are not fetched');
  const only = (judge: (status: OcspStatus) => Verdict): Verdict =>
    status === null ? 'not-applicable' : judge(status);
  const { at } = sight.evidence;
  return {
    'certificate-revoked':
      status === null
        ? unseen
        : brokenIf(status.status === 'revoked', {
            subject: leaf.subject,
            revokedAt: dateOf(status.revokedAt),
          }),
    'must-staple-not-stapled': judgeMustStaple(staple, leaf),
    'ocsp-staple-outdated': only(({ thisUpdate, nextUpdate }) =>
      brokenIf(thisUpdate > at || (nextUpdate !== null && nextUpdate < at), {
        thisUpdate: dateOf(thisUpdate),
        nextUpdate: dateOf(nextUpdate),
      }),
    ),
    'ocsp-staple-invalid': judgeUse(staple),
  } as const satisfies Partial<Record<CertificateCode, Verdict>>;
}

function judgeUse(staple: Staple | null): Verdict {
  if (staple === null || staple.kind === 'none') return 'not-applicable';
  if (staple.kind === 'unusable') return brokenIf(true, { reason: staple.reason });
  return brokenIf(staple.status.status === 'unknown', {
    reason: 'the responder does not know the certificate',
  });
}

function judgeMustStaple(staple: Staple | null, { extensions }: CertificateSight): Verdict {
  if (!extensions.mustStaple) return 'not-applicable';
  return staple === null ? notTested('no handshake could be completed') : brokenIf(staple.kind === 'none');
}

function dateOf(ms: number | null): string {
  return ms === null ? 'an unknown time' : new Date(ms).toISOString();
}
