import { type CertificateSight, isIssuedBy } from './certificate-sight.ts';

/** A chain as it was sent, put in order. */
export type Chain = {
  readonly sent: readonly CertificateSight[];
  readonly leaf: CertificateSight | null;
  /** From the leaf upwards, as far as the certificates that were sent lead. */
  readonly path: readonly CertificateSight[];
  /** The path's self-signed end, if it has one that is not the leaf itself. */
  readonly root: CertificateSight | null;
  /** Sent, but on no path from the leaf. */
  readonly surplus: readonly CertificateSight[];
  readonly isOrdered: boolean;
  readonly isSelfSigned: boolean;
};

/** No public chain is longer than five; signatures cost time, and a hostile server may send hundreds of certificates that fit each other. */
const longestPath = 10;

/** Builds the path from the first certificate that was sent, by names and signatures (RFC 5280 §6.1). */
export function buildChain(sent: readonly CertificateSight[]): Chain {
  const leaf = sent[0] ?? null;
  const isSelfSigned = leaf !== null && leaf.isSelfIssued && isIssuedBy(leaf, leaf);
  const path = leaf === null ? [] : [leaf];
  for (let next = findIssuer(path, sent); next && path.length < longestPath; next = findIssuer(path, sent))
    path.push(next);
  const end = path.at(-1);
  const positions = path.map((certificate) => sent.indexOf(certificate));
  return {
    sent,
    leaf,
    path,
    root: end && end !== leaf && end.isSelfIssued ? end : null,
    surplus: sent.filter((certificate) => !path.includes(certificate)),
    isOrdered: positions.every((position, index) => index === 0 || position > (positions[index - 1] ?? 0)),
    isSelfSigned,
  };
}

/** The certificate to follow the path's end, never one that is in it already: a chain must not run in circles. */
function findIssuer(
  path: readonly CertificateSight[],
  sent: readonly CertificateSight[],
): CertificateSight | undefined {
  const end = path.at(-1);
  if (end === undefined || end.isSelfIssued) return undefined;
  return sent.find((candidate) => !path.includes(candidate) && isIssuedBy(end, candidate));
}
