import { isInZone } from '../../dns/name.ts';
import { isHostUnderSuffix } from '../../dns/public-suffix.ts';
import { providerOfHost } from './mail-providers/find.ts';

/**
 * The name that was meant where a record lacks its last dot, so that the zone's own name was added behind it: one that ends in the zone's
 * name already, the host of a known service, or a host under a public suffix. The name should not exist otherwise: "ns.eu.example.com" may.
 * @returns undefined where it does not look so
 */
export function meantName(name: string, zone: string): string | undefined {
  if (zone === '' || name === zone || !isInZone(name, zone)) return undefined;
  const before = name.slice(0, -zone.length - 1);
  const isFull = isInZone(before, zone) || providerOfHost(before) !== undefined || isHostUnderSuffix(before);
  return isFull ? before : undefined;
}

/** The sentence about it, to stand behind another; "" where the name looks as it was meant. */
export function describeSlip(name: string, zone: string): string {
  const meant = meantName(name, zone);
  return meant === undefined
    ? ''
    : ` The dot behind ${meant} seems to be missing, so the zone’s name was added to it.`;
}

/** How many letters are to be changed, added or left out to turn one word into the other; both are short. */
export function editsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [index, letter] of one.split('').entries()) {
    const next = [index + 1];
    for (const [at, wanted] of other.split('').entries())
      next.push(
        Math.min((next[at] ?? 0) + 1, (row[at + 1] ?? 0) + 1, (row[at] ?? 0) + Number(letter !== wanted)),
      );
    row = next;
  }
  return row.at(-1) ?? 0;
}
