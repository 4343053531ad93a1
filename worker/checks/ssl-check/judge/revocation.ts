import type { CertificateCode } from '../../../../shared/catalogue/ssl-check/rules/certificate.ts';
import {
  brokenBy,
  brokenIf,
  type Evidence,
  notTested,
  type Verdict,
} from '../../../../shared/model/verdict.ts';
import type { CertificateSight } from '../sight/certificate-sight.ts';
import type { Chain } from '../sight/chain.ts';
import { concludeRevocation, readRevocation, type Statement } from '../sight/revocation.ts';
import type { SslSight } from '../sight/sight.ts';
import { readStaple, type Staple } from '../sight/staple.ts';

/** Judges whether the certificate is revoked, by its staple and its CRL together, and the staple itself. One without a staple is no fault: CAs need not offer OCSP any more. */
export function judgeRevocation(sight: SslSight, chain: Chain, leaf: CertificateSight) {
  const staple = readStaple(sight, leaf, chain.path[1] ?? null);
  return {
    'certificate-revoked': judgeRevoked(readRevocation(sight, chain), sight, leaf),
    'must-staple-not-stapled': judgeMustStaple(staple, leaf),
    'ocsp-staple-outdated': staple?.kind === 'status' ? judgeDates(staple) : 'not-applicable',
    'ocsp-staple-invalid': judgeUse(staple),
  } as const satisfies Partial<Record<CertificateCode, Verdict>>;
}

function judgeRevoked(
  statements: readonly Statement[],
  { evidence }: SslSight,
  { subject }: CertificateSight,
): Verdict {
  const concluded = concludeRevocation(statements);
  if (concluded === 'good') return 'holds';
  if (concluded === null)
    return notTested(statements.flatMap((one) => (one.status === 'unknown' ? one.why : [])).join('; '));
  return brokenBy(statements.flatMap((one) => showRevoked(one, subject, evidence.revocationList.url)));
}

function showRevoked(statement: Statement, subject: string, listUrl: string | null): Evidence[] {
  if (statement.status !== 'revoked') return [];
  const { source, revokedAt, reason } = statement;
  const from = source === 'CRL' ? { url: listUrl } : {};
  return [{ subject, source, revokedAt: dateOf(revokedAt), ...from, ...(reason === null ? {} : { reason }) }];
}

function judgeDates({ status: { thisUpdate, nextUpdate }, isOutdated }: Extract<Staple, { kind: 'status' }>) {
  return brokenIf(isOutdated, { thisUpdate: dateOf(thisUpdate), nextUpdate: dateOf(nextUpdate) });
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
