import type { CertificateCode } from '#shared/catalogue/ssl-check/rules/certificate';
import { spanWords } from '#shared/model/counts';
import { lifetimeDays } from '#shared/model/lifetime';
import { lifetimeLimitDays } from '#shared/model/lifetime';
import { renewalMarginMs } from '#shared/model/lifetime';
import { urgentMarginMs } from '#shared/model/lifetime';
import { brokenBy, brokenIf, type Verdict } from '#shared/model/verdict';
import type { Certificate } from '../../../certificates/certificate.ts';
import type { Chain } from '../../../certificates/chain.ts';
import type { Presented } from '../facts/presented.ts';
import { listFaults } from './chain.ts';

const dayMs = 86_400_000;

/** Judges from when to when the certificate and its chain are valid, by the clock of the evidence. */
export function judgeDates({ chain }: Presented, leaf: Certificate, at: number) {
  const shown = showDates(leaf);
  return {
    'certificate-expired': brokenIf(at >= leaf.notAfter + 1000, {
      ...shown,
      ago: spanWords(at - leaf.notAfter),
    }),
    'certificate-not-yet-valid': brokenIf(leaf.notBefore > at, shown),
    ...judgeRemaining(leaf, at),
    'certificate-lifetime-long': judgeLifetime(leaf, chain),
    'chain-certificate-expired': judgePath(chain),
  } as const satisfies Partial<Record<CertificateCode, Verdict>>;
}

function judgeRemaining(leaf: Certificate, at: number) {
  const left = leaf.notAfter - at;
  const isUrgent = left < urgentMarginMs(leaf);
  const shown = {
    ...showDates(leaf),
    hours: Math.floor(left / 3_600_000),
    days: Math.floor(left / dayMs),
    left: spanWords(left),
    lifetime: Math.round(lifetimeDays(leaf)),
    margin: Math.round((10 * renewalMarginMs(leaf)) / dayMs) / 10,
  };
  if (left <= -1000)
    return {
      'certificate-expires-within-days': 'not-applicable',
      'certificate-expires-soon': 'not-applicable',
    } as const;
  return {
    'certificate-expires-within-days': brokenIf(isUrgent, shown),
    'certificate-expires-soon': isUrgent ? 'not-applicable' : brokenIf(left < renewalMarginMs(leaf), shown),
  } as const;
}

/** Private CAs make their own rules; one that the operator trusts cannot be told from a public one. */
function judgeLifetime(leaf: Certificate, chain: Chain): Verdict {
  const isPrivate = listFaults(chain).some(
    ({ reason, certificate }) =>
      reason === 'self-signed' ||
      reason === 'root-unknown' ||
      (reason === 'issuer-missing' && certificate.extensions.issuerUrls.length === 0),
  );
  if (isPrivate) return 'not-applicable';
  const days = lifetimeDays(leaf);
  const limit = lifetimeLimitDays(leaf.notBefore);
  return brokenIf(days > limit, { ...showDates(leaf), days: Math.round(days * 100) / 100, limit });
}

/** A certificate of the path that clients can replace by a better one does no harm. */
function judgePath(chain: Chain): Verdict {
  const outdated = listFaults(chain).filter(
    ({ reason, certificate }) =>
      certificate !== chain.leaf && (reason === 'expired' || reason === 'not-yet-valid'),
  );
  return brokenBy(outdated.map(({ certificate }) => showDates(certificate)));
}

function showDates({ subject, notBefore, notAfter }: Certificate) {
  return { subject, notBefore: isoOf(notBefore), notAfter: isoOf(notAfter) };
}

/** ISO 8601 in UTC, to the second. */
function isoOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
