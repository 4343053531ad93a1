import type { Staple } from '../../../certificates/staple.ts';
import type { RevocationListObservation } from '../evidence.ts';
import type { Presented } from '../facts/presented.ts';
import { concludeRevocation, readRevocation, type Statement } from '../facts/revocation.ts';

/** What the CA says of a certificate, and how that was learnt. */
export function reportRevocation(presented: Presented | undefined, at: number) {
  const statements = presented === undefined ? [] : readRevocation(presented, at);
  const listed = statements.find(({ source }) => source === 'CRL');
  return {
    ocspStaple: presented === undefined ? null : reportStaple(presented.staple),
    revocation: concludeRevocation(statements) ?? ('not-checked' as const),
    revocationSources: statements.filter(({ status }) => status !== 'unknown').map(({ source }) => source),
    revocationList:
      listed === undefined || presented === undefined ? null : reportList(listed, presented.revocationList),
  };
}

function reportStaple(staple: Staple) {
  if (staple.kind === 'none') return null;
  if (staple.kind === 'unusable') return { status: 'unusable' as const, thisUpdate: null, nextUpdate: null };
  const { status, thisUpdate, nextUpdate } = staple.status;
  return { status, thisUpdate: isoOf(thisUpdate), nextUpdate: isoOf(nextUpdate) };
}

function reportList(statement: Statement, list: RevocationListObservation) {
  const isTold = statement.status !== 'unknown';
  const isRead = list.kind === 'list';
  return {
    url: list.url,
    status: isTold ? statement.status : ('not-used' as const),
    why: isTold ? null : statement.why,
    revokedAt: isTold ? isoOf(statement.revokedAt) : null,
    reason: isTold ? statement.reason : null,
    thisUpdate: isRead ? isoOf(list.thisUpdate) : null,
    nextUpdate: isRead ? isoOf(list.nextUpdate) : null,
    entries: isRead ? list.entriesCount : null,
    bytes: isRead ? list.sizeBytes : null,
  };
}

function isoOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
