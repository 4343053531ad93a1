import { randomBytes } from 'node:crypto';
import { nameToWire, printName } from '../../../../dns/name.ts';
import type { Nsec3Param } from '../../../../dns/record-values.ts';
import { labelsOf } from './denial-records.ts';
import { digestOf, iterationLimit } from './nsec3-hash.ts';

/** So many hashes are computed to come near another one: they part the names of a zone of some hundred, in less than a millisecond. */
const hashLimit = 200;

/**
 * A name that is surely not there, and whose denial speaks of the place where another name stands in the chain: right behind it (RFC 4034 §6.1),
 * or with a hash near to its own (RFC 5155 §7.2.2). Where that name has no record in the chain, the denial covers it too.
 * @param name below a zone
 * @param hashing undefined where the zone has NSEC; more iterations than resolvers take are not computed (RFC 9276 §3.2)
 */
export function neighbourOf(name: string, hashing: Nsec3Param | undefined): string {
  const random = randomBytes(8).toString('hex');
  const [first = '', ...zone] = labelsOf(name) ?? [];
  if (hashing === undefined || hashing.iterations > iterationLimit)
    return printName({ labels: [`${first.slice(0, 40)}-${random}`, ...zone] });
  const end = nameToWire({ labels: zone });
  const placeOf = (label: string) => {
    const wire = Buffer.from(`${String.fromCharCode(label.length)}${label}`, 'latin1');
    return numberOf(digestOf(Buffer.concat([wire, end]), hashing));
  };
  const wanted = placeOf(first);
  const tries = Math.max(1, Math.floor(hashLimit / (hashing.iterations + 1)));
  const labels = Array.from({ length: tries }, (_, at) => `${random}${at}`);
  const [nearest = random] = labels
    .map((label) => ({ label, distance: Math.abs(placeOf(label) - wanted) }))
    .toSorted((a, b) => a.distance - b.distance)
    .map(({ label }) => label);
  return printName({ labels: [nearest, ...zone] });
}

// The first 48 bits of a hash are enough to tell what is near.
function numberOf(digest: Buffer): number {
  return digest.readUIntBE(0, 6);
}
