import type { Certificate } from '../../../certificates/certificate.ts';
import type { ListContent } from '../../../certificates/revocation-list.ts';
import { clockSlackMs, type Staple } from '../../../certificates/staple.ts';
import type { RevocationListObservation } from '../evidence.ts';
import type { Presented } from './presented.ts';

/** What a CA says of the certificate, by one of two ways; or why that way told nothing. */
export type Statement = { readonly source: 'OCSP staple' | 'CRL' } & (
  | {
      readonly status: 'good' | 'revoked';
      /** Unix ms. */
      readonly revokedAt: number | null;
      readonly reason: string | null;
    }
  | { readonly status: 'unknown'; readonly why: string }
);

/** Asks both sources about the leaf of a chain, by the clock of the evidence. */
export function readRevocation(presented: Presented, at: number): readonly Statement[] {
  const { leaf } = presented.chain;
  if (leaf === null) return [];
  return [readStapled(presented.staple), readListed(presented.revocationList, leaf, at)];
}

/** What both say together: revoked as soon as one says so; null when neither was of use. */
export function concludeRevocation(statements: readonly Statement[]): 'good' | 'revoked' | null {
  const told = statements.map(({ status }) => status);
  if (told.includes('revoked')) return 'revoked';
  return told.includes('good') ? 'good' : null;
}

function readStapled(staple: Staple): Statement {
  const source = 'OCSP staple';
  const unknown = (why: string): Statement => ({ source, status: 'unknown', why });
  if (staple.kind === 'none') return unknown('no OCSP response was stapled');
  if (staple.kind === 'unusable')
    return unknown(`the stapled OCSP response cannot be used (${staple.reason})`);
  const { status, revokedAt } = staple.status;
  if (staple.isOutdated) return unknown('the stapled OCSP response is out of date');
  if (status === 'unknown') return unknown('the OCSP responder does not know the certificate');
  if (staple.signature !== 'good')
    return unknown('the signature of the stapled OCSP response cannot be checked');
  return { source, status, revokedAt, reason: null };
}

function readListed(list: RevocationListObservation, leaf: Certificate, at: number): Statement {
  const source = 'CRL';
  if (list.kind === 'unknown') return { source, status: 'unknown', why: list.reason };
  const why =
    whyUnsigned(list) ?? whyOfAnother(list, leaf) ?? whyOutdated(list, at) ?? whySilent(list, leaf, at);
  if (why !== null) return { source, status: 'unknown', why: `the CRL ${why}` };
  const { entry } = list;
  return { source, status: entry === null ? 'good' : 'revoked', revokedAt: null, reason: null, ...entry };
}

function whyUnsigned({ isOfIssuer, signature, signatureAlgorithm }: ListContent): string | null {
  if (!isOfIssuer) return 'is of another issuer';
  switch (signature) {
    case 'good':
      return null;
    case 'bad':
      return 'is not signed by the issuer of the certificate';
    case 'unknown':
      return `is signed with ${signatureAlgorithm}, which is not checked`;
    case 'no-issuer':
      return 'cannot be checked, for the certificate of its issuer was not sent';
    case 'not-allowed':
      return 'is signed by an issuer that may not sign CRLs';
  }
}

function whyOfAnother({ scope }: ListContent, { extensions }: Certificate): string | null {
  const { only, distributionPoint, unknownCritical } = scope;
  if (scope.isDelta) return 'is a delta CRL, which tells changes only';
  if (scope.isIndirect) return 'is an indirect one, which also holds certificates of other issuers';
  if (unknownCritical !== null) return `has a critical extension that is not read (${unknownCritical})`;
  if (only !== null && only !== (extensions.isAuthority ? 'authorities' : 'users'))
    return 'is for another kind of certificate';
  const isNamed = distributionPoint?.some((url) => extensions.revocationListUrls.includes(url)) ?? true;
  return isNamed ? null : 'is for another distribution point';
}

function whyOutdated({ thisUpdate, nextUpdate }: ListContent, at: number): string | null {
  if (thisUpdate > at + clockSlackMs) return `is valid from ${new Date(thisUpdate).toISOString()} only`;
  if (nextUpdate === null) return 'does not say until when it is valid';
  return nextUpdate < at ? `was valid until ${new Date(nextUpdate).toISOString()}` : null;
}

/** That a certificate is not on a list says nothing where it need not be (RFC 5280 §5, §5.2.5). */
function whySilent({ entry, scope }: ListContent, { notAfter }: Certificate, at: number): string | null {
  if (entry !== null) return null;
  if (scope.onlySomeReasons) return 'tells some reasons only';
  return notAfter < at ? 'need not name certificates that have expired' : null;
}
