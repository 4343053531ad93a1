import { type Certificate, isSignedBy } from './certificate.ts';
import { findPath } from './trust/find-path.ts';
import type { PathFound } from './trust/reasons.ts';

/** A chain as it was sent, put in order, and whether it is trusted. */
export type Chain = {
  readonly sent: readonly Certificate[];
  readonly leaf: Certificate | null;
  /** From the leaf upwards, as far as certificates were sent. */
  readonly path: readonly Certificate[];
  /** A self-signed certificate above the leaf that was sent. */
  readonly root: Certificate | null;
  /** Sent, but above the leaf on no path. */
  readonly surplus: readonly Certificate[];
  /** Sent once more than needed. */
  readonly copies: readonly Certificate[];
  readonly isOrdered: boolean;
  readonly isSelfSigned: boolean;
  /** null without a leaf. */
  readonly trust: PathFound | null;
};

/** What a chain is judged by: certificates of the store, and the clock in Unix ms. */
export type ChainContext = { readonly anchors: readonly Certificate[]; readonly at: number };

/** Signatures that are checked to tell surplus certificates; a public chain takes three. */
const longestSearch = 30;

/** Reads a chain from the certificates as they were sent, the leaf first. */
export function buildChain(sent: readonly Certificate[], { anchors, at }: ChainContext): Chain {
  const [leaf, ...others] = sent;
  if (leaf === undefined) return nothing;
  const trust = findPath({ leaf, sent: others, anchors, at });
  const above = listAbove(leaf, others);
  const wanted = new Set(trust.path.map(({ sha256 }) => sha256));
  const isSelfSigned = isRoot(leaf);
  const path = trust.path.flatMap(({ sha256 }) => sent.find((one) => one.sha256 === sha256) ?? []);
  const positions = path.map((certificate) => sent.indexOf(certificate));
  return {
    sent,
    leaf,
    path,
    root: isSelfSigned ? null : (above.find(isRoot) ?? null),
    surplus: others.filter((one) => !above.includes(one) && !wanted.has(one.sha256)),
    copies: sent.filter((one, index) => sent.findIndex(({ sha256 }) => sha256 === one.sha256) < index),
    isOrdered: positions.every((position, index) => index === 0 || position > (positions[index - 1] ?? 0)),
    isSelfSigned,
    trust,
  };
}

const nothing: Chain = {
  sent: [],
  leaf: null,
  path: [],
  root: null,
  surplus: [],
  copies: [],
  isOrdered: true,
  isSelfSigned: false,
  trust: null,
};

function isRoot(certificate: Certificate): boolean {
  return certificate.isSelfIssued && isSignedBy(certificate, certificate);
}

/** Every certificate that signed the leaf or one above it: cross-certificates serve old clients, even if no path of today needs them. */
function listAbove(leaf: Certificate, others: readonly Certificate[]): readonly Certificate[] {
  const above: Certificate[] = [];
  let left = longestSearch;
  for (let ends: readonly Certificate[] = [leaf]; ends.length > 0;) {
    const next = others.filter(
      (one) =>
        !above.includes(one) &&
        ends.some((end) => end.issuerKey === one.nameKey && left-- > 0 && isSignedBy(end, one)),
    );
    above.push(...next);
    ends = next;
  }
  return above;
}
