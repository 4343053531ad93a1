import type { ListContent } from '../evidence.ts';
import { type CertificateList, parseCertificateList, scanEntries } from '../grammar/certificate-list.ts';
import { isMalformed } from '../grammar/malformed.ts';
import { describeSignature } from '../grammar/signature-names.ts';
import { type CertificateSight, keyOf } from './certificate-sight.ts';
import { checkSignature } from './signature.ts';

/**
 * Reads a fetched list for one certificate: what it says of it, and whether the issuer signed it. The list itself is not kept, for it may be large.
 * @param issuer the certificate of the issuer, as far as it was sent
 */
export function readRevocationList(
  bytes: Uint8Array,
  leaf: CertificateSight,
  issuer: CertificateSight | null,
): ListContent | string {
  const list = parseCertificateList(bytes);
  if (isMalformed(list)) return `it is no CRL in DER: ${list.reason} at byte ${list.at}`;
  const scan = scanEntries(list.entries, leaf.extensions.serialNumber);
  if (isMalformed(scan)) return `it is no CRL in DER: ${scan.reason} at byte ${scan.at} of its entries`;
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

function checkListSignature(
  list: CertificateList,
  issuer: CertificateSight | null,
): ListContent['signature'] {
  if (issuer === null) return 'no-issuer';
  if (!issuer.extensions.signsLists) return 'not-allowed';
  return checkSignature(list, keyOf(issuer));
}
