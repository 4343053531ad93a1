import { readCertificate } from './certificate.ts';
import { buildChain, type Chain } from './chain.ts';
import { findAnchors } from './trust/store.ts';

/** Reads certificates (base64 DER, the leaf first) as a chain, and looks in the store whether it is trusted at this time (Unix ms). */
export type ReadChain = (certificates: readonly string[]) => Chain;

/** Makes a reader for one time. */
export function openChainReader(at: number): ReadChain {
  const read = (all: readonly string[]) => all.flatMap((one) => readCertificate(one) ?? []);
  return (certificates) => buildChain(read(certificates), { anchors: read(findAnchors([certificates])), at });
}
