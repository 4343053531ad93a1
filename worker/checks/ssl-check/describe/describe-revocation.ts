import type { RevocationListSeen } from '../evidence.ts';
import type { Presented } from '../sight/presented.ts';
import { concludeRevocation, readRevocation, type Statement } from '../sight/revocation.ts';
import { readStaple } from '../sight/staple.ts';

/** What the CA says of a certificate, and how that was learnt. */
export function describeRevocation(presented: Presented | undefined, at: number) {
  const statements = presented === undefined ? [] : readRevocation(presented, at);
  const listed = statements.find(({ source }) => source === 'CRL');
  return {
    ocspStaple: presented === undefined ? null : describeStaple(presented, at),
    revocation: concludeRevocation(statements) ?? ('not-checked' as const),
    revocationSources: statements.filter(({ status }) => status !== 'unknown').map(({ source }) => source),
    revocationList:
      listed === undefined || presented === undefined ? null : describeList(listed, presented.revocationList),
  };
}

function describeStaple(presented: Presented, at: number) {
  const { leaf } = presented.chain;
  const staple = leaf === null ? null : readStaple(presented, leaf, at);
  if (staple === null || staple.kind === 'none') return null;
  if (staple.kind === 'unusable') return { status: 'unusable' as const, thisUpdate: null, nextUpdate: null };
  const { status, thisUpdate, nextUpdate } = staple.status;
  return { status, thisUpdate: isoOf(thisUpdate), nextUpdate: isoOf(nextUpdate) };
}

function describeList(statement: Statement, list: RevocationListSeen) {
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
