import type { Faulty } from '../../../../mail/fault.ts';

const begin = '-----BEGIN CERTIFICATE-----';
const end = '-----END CERTIFICATE-----';

/** A chain has two to four; more are not read. */
const certificateLimit = 8;

/** Reads the certificates of a PEM file (RFC 7468 §5), each with its frame; text between them is passed over. */
export function parsePem(text: string): { readonly certificates: readonly string[] } | Faulty {
  const certificates: string[] = [];
  let at = text.indexOf(begin);
  while (at >= 0 && certificates.length < certificateLimit) {
    const stop = text.indexOf(end, at);
    if (stop < 0) return { faults: [{ at, term: begin, problem: 'a certificate in it has no end' }] };
    certificates.push(text.slice(at, stop + end.length));
    at = text.indexOf(begin, stop);
  }
  if (certificates.length > 0) return { certificates };
  return { faults: [{ at: 0, term: '', problem: 'it contains no certificate in PEM form' }] };
}
