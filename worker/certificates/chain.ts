import { type Certificate, isIssuedBy } from './certificate.ts';

/** A chain as it was sent, put in order. */
export type Chain = {
  readonly sent: readonly Certificate[];
  readonly leaf: Certificate | null;
  /** From the leaf upwards, as far as the certificates that were sent lead. */
  readonly path: readonly Certificate[];
  /** The path's self-signed end, if it has one that is not the leaf itself. */
  readonly root: Certificate | null;
  /** Sent, but on no path from the leaf. */
  readonly surplus: readonly Certificate[];
  readonly isOrdered: boolean;
  readonly isSelfSigned: boolean;
};

/** No public chain is longer than five; signatures cost time, and a hostile server may send hundreds of certificates that fit each other. */
const longestPath = 10;
/** Signatures that are checked for one path; then it ends. A public chain of four takes three, whatever else is sent. */
const longestSearch = 30;

/** Builds the path from the first certificate that was sent, by names and signatures (RFC 5280 §6.1). */
export function buildChain(sent: readonly Certificate[]): Chain {
  const leaf = sent[0] ?? null;
  const isSelfSigned = leaf !== null && leaf.isSelfIssued && isIssuedBy(leaf, leaf);
  const path = leaf === null ? [] : [leaf];
  const search = { left: longestSearch };
  while (path.length < longestPath) {
    const next = findIssuer(path, sent, search);
    if (next === undefined) break;
    path.push(next);
  }
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

/** The certificate to follow the path's end, never one that is in it already: a chain must not run in circles. Those of the right name come first. */
function findIssuer(
  path: readonly Certificate[],
  sent: readonly Certificate[],
  search: { left: number },
): Certificate | undefined {
  const end = path.at(-1);
  if (end === undefined || end.isSelfIssued) return undefined;
  const candidates = sent.filter((candidate) => !path.includes(candidate));
  const isNamed = ({ x509 }: Certificate) => x509.subject === end.x509.issuer;
  const ordered = [...candidates.filter(isNamed), ...candidates.filter((one) => !isNamed(one))];
  return ordered.find((candidate) => search.left-- > 0 && isIssuedBy(end, candidate));
}
