import type { Json } from '#shared/model/verdict';
import { notKnownHere } from '../dns/iana.ts';
import { readObject } from '../dns/observation.ts';

/** A TLSA record (RFC 6698 §2.1); `certificate` in hex. */
export type Tlsa = {
  readonly usage: number;
  readonly selector: number;
  readonly matchingType: number;
  readonly certificate: string;
};

/** Reads a record of the DNS probe; null for one that breaks its own format. */
export function readTlsa(record: Json): Tlsa | null {
  const { usage, selector, matchingType, certificate } = readObject(record);
  if (typeof usage !== 'number' || typeof selector !== 'number') return null;
  if (typeof matchingType !== 'number' || typeof certificate !== 'string') return null;
  return { usage, selector, matchingType, certificate };
}

/** Octets of a digest by matching type: SHA-256, SHA-512. */
const digestOctets: ReadonlyMap<number, number> = new Map([
  [1, 32],
  [2, 64],
]);

/** The octets that the record has and should have, where they differ; null where they are right or not known. */
export function findWrongLength({
  matchingType,
  certificate,
}: Tlsa): { octets: number; expected: number } | null {
  const octets = certificate.length / 2;
  const expected = digestOctets.get(matchingType);
  return expected === undefined || octets === expected ? null : { octets, expected };
}

/** Why mail servers make no use of a record (RFC 7672 §3.1), as a sentence’s end; null for a usable one. */
export function whyUnusable({ usage, selector, matchingType, certificate }: Tlsa): string | null {
  if (usage === 0 || usage === 1) return `the usages 0 and 1 are not used for mail (it has ${usage})`;
  if (usage > 3) return `the usage ${usage} ${notKnownHere}`;
  if (selector > 1) return `the selector ${selector} ${notKnownHere}`;
  if (matchingType > 2) return `the matching type ${matchingType} ${notKnownHere}`;
  // A whole certificate or key is DER: a SEQUENCE.
  if (matchingType === 0 && !certificate.startsWith('30')) return 'it holds neither a certificate nor a key';
  return null;
}

/** True for a record that a mail server can hold against a certificate. */
export function isUsable(record: Tlsa): boolean {
  return whyUnusable(record) === null && findWrongLength(record) === null;
}

/** As in a zone file, cut: "3 1 1 0c72ac70…". */
export function printTlsa({ usage, selector, matchingType, certificate }: Tlsa): string {
  const shown = certificate.length > 16 ? `${certificate.slice(0, 16)}…` : certificate;
  return `${usage} ${selector} ${matchingType} ${shown}`;
}
