import type { CertificateCode } from '#shared/catalogue/ssl-check/rules/certificate';
import { brokenBy, brokenIf, type Evidence, notTested, type Verdict } from '#shared/model/verdict';
import type { Certificate } from '../../../certificates/certificate.ts';
import type { Staple } from '../../../certificates/staple.ts';
import type { Presented } from '../facts/presented.ts';
import { concludeRevocation, readRevocation, type Statement } from '../facts/revocation.ts';

/** Judges whether the certificate is revoked, by its staple and its CRL together, and the staple itself. One without a staple is no fault: CAs need not offer OCSP any more. */
export function judgeRevocation(presented: Presented, leaf: Certificate, at: number) {
  const { staple } = presented;
  return {
    'certificate-revoked': judgeRevoked(readRevocation(presented, at), presented, leaf),
    'must-staple-not-stapled': judgeMustStaple(staple, leaf),
    'ocsp-staple-outdated': staple.kind === 'status' ? judgeDates(staple) : 'not-applicable',
    'ocsp-staple-invalid': judgeUse(staple),
  } as const satisfies Partial<Record<CertificateCode, Verdict>>;
}

function judgeRevoked(
  statements: readonly Statement[],
  { revocationList }: Presented,
  { subject }: Certificate,
): Verdict {
  const concluded = concludeRevocation(statements);
  if (concluded === 'good') return 'holds';
  if (concluded === null)
    return notTested(statements.flatMap((one) => (one.status === 'unknown' ? one.why : [])).join('; '));
  return brokenBy(statements.flatMap((one) => showRevoked(one, subject, revocationList.url)));
}

function showRevoked(statement: Statement, subject: string, listUrl: string | null): Evidence[] {
  if (statement.status !== 'revoked') return [];
  const { source, revokedAt, reason } = statement;
  const from = source === 'CRL' ? { url: listUrl } : {};
  return [{ subject, source, revokedAt: dateOf(revokedAt), ...from, ...(reason === null ? {} : { reason }) }];
}

function judgeDates({ status: { thisUpdate, nextUpdate }, isOutdated }: Extract<Staple, { kind: 'status' }>) {
  return brokenIf(isOutdated, {
    thisUpdate: dateOf(thisUpdate),
    nextUpdate: nextUpdate === null ? 'an end that it does not name' : dateOf(nextUpdate),
  });
}

function judgeUse(staple: Staple): Verdict {
  if (staple.kind === 'none') return 'not-applicable';
  if (staple.kind === 'unusable') return brokenIf(true, { reason: staple.reason });
  return brokenIf(staple.status.status === 'unknown', {
    reason: 'the responder does not know the certificate',
  });
}

function judgeMustStaple(staple: Staple, { extensions }: Certificate): Verdict {
  return extensions.mustStaple ? brokenIf(staple.kind === 'none') : 'not-applicable';
}

function dateOf(ms: number | null): string {
  return ms === null ? 'an unknown time' : new Date(ms).toISOString();
}
