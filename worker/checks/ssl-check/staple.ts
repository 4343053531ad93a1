import { brokenIf, notTested, type Verdict } from '../../../shared/model/verdict.ts';
import type { CertificateCode } from './assess-certificate.ts';
import type { CertificateSight } from './certificate-sight.ts';
import { isMalformed } from './malformed.ts';
import { type OcspStatus, parseOcspResponse } from './ocsp-response.ts';
import type { SslSight } from './sight.ts';

/** A stapled OCSP answer, read for one certificate. */
export type Staple =
  | { readonly kind: 'none' }
  | { readonly kind: 'unusable'; readonly reason: string }
  | { readonly kind: 'status'; readonly status: OcspStatus };

/** Reads the staple that came with a certificate; null when none could come because nobody asked. */
export function readStaple({ client, clearAnswers }: SslSight, leaf: CertificateSight): Staple | null {
  const base64 =
    client?.ocspResponse ?? clearAnswers.find(({ ocspResponse }) => ocspResponse !== null)?.ocspResponse;
  if (base64 === undefined || base64 === null)
    return client === null && clearAnswers.length === 0 ? null : { kind: 'none' };
  const response = parseOcspResponse(Buffer.from(base64, 'base64'));
  if (isMalformed(response)) return { kind: 'unusable', reason: response.reason };
  if (response.responseStatus !== 0)
    return { kind: 'unusable', reason: `its status is ${response.responseStatus}, not successful` };
  const status = response.statuses.find(({ serialNumber }) => serialNumber === leaf.extensions.serialNumber);
  return status
    ? { kind: 'status', status }
    : { kind: 'unusable', reason: 'it is about another certificate' };
}

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
