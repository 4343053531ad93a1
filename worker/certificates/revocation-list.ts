import { isMalformed } from '#shared/model/verdict';
import { type Certificate, keyOf } from './certificate.ts';
import {
  type CertificateList,
  type ListScope,
  parseCertificateList,
  type RevokedEntry,
  scanEntries,
} from './grammar/certificate-list.ts';
import { describeSignature } from './grammar/signature-names.ts';
import { checkSignature } from './signature.ts';

/** What a list says, as far as one certificate needs it. */
export type ListContent = {
  readonly sizeBytes: number;
  /** Unix ms. */
  readonly thisUpdate: number;
  readonly nextUpdate: number | null;
  /** The list's issuer bears the name of the certificate's. */
  readonly isOfIssuer: boolean;
  readonly signatureAlgorithm: string;
  /** By the issuer's certificate as sent. not-allowed: it is not for signing lists. unknown: an algorithm that is not checked. */
  readonly signature: 'good' | 'bad' | 'unknown' | 'no-issuer' | 'not-allowed';
  readonly scope: ListScope;
  readonly entriesCount: number;
  /** What it says of the leaf; null when that is not on it. */
  readonly entry: RevokedEntry | null;
};

/**
 * Reads a fetched list for one certificate: what it says of it, and whether the issuer signed it. The list itself is not kept, for it may be large.
 * @param issuer the certificate of the issuer, as far as it was sent
 */
export function readRevocationList(
  bytes: Uint8Array,
  leaf: Certificate,
  issuer: Certificate | null,
): ListContent | string {
  const list = parseCertificateList(bytes);
  if (isMalformed(list)) return `it is no CRL in DER: ${list.malformed} at byte ${list.at}`;
  const scan = scanEntries(list.entries, leaf.extensions.serialNumber);
  if (isMalformed(scan)) return `it is no CRL in DER: ${scan.malformed} at byte ${scan.at} of its entries`;
  const { thisUpdate, nextUpdate, scope } = list;
  return {
    sizeBytes: bytes.length,
    thisUpdate,
    nextUpdate,
    isOfIssuer: Buffer.compare(list.issuer, leaf.extensions.issuerName) === 0,
    signatureAlgorithm: describeSignature(list.signatureAlgorithm).name,
    signature: checkListSignature(list, issuer),
    scope,
    entriesCount: scan.count,
    entry: scan.entry,
  };
}

function checkListSignature(list: CertificateList, issuer: Certificate | null): ListContent['signature'] {
  if (issuer === null) return 'no-issuer';
  if (!issuer.extensions.signsLists) return 'not-allowed';
  return checkSignature(list, keyOf(issuer));
}
