import { labelsOf, type Nsec, type Nsec3 } from './denial-records.ts';
import { hashName } from './nsec3-hash.ts';

type Labels = readonly string[];

/** What the records of one answer say of names, whether they are NSEC or NSEC3. */
export type DenialChain = {
  /** The types at a name that is there; undefined where no record speaks of it. */
  typesAt(name: Labels): ReadonlySet<string> | undefined;
  /** True where a record says that there is no such name. */
  covers(name: Labels): boolean;
  /** The longest name above this one that is there, and whose next label towards it is not; undefined where no record says so. */
  encloserOf(name: Labels): Labels | undefined;
};

/** The chains that records are of: a zone has one kind, and both while it changes. */
export function chainsOf(
  nsec: readonly Nsec[],
  nsec3: readonly Nsec3[],
  zone: string,
): readonly DenialChain[] {
  return [
    ...(nsec.length === 0 ? [] : [readNsecChain(nsec)]),
    ...(nsec3.length === 0 ? [] : [readNsec3Chain(nsec3, labelsOf(zone) ?? [])]),
  ];
}

/** Reads NSEC records: they speak of names as they are. */
export function readNsecChain(records: readonly Nsec[]): DenialChain {
  const covering = (name: Labels) => records.find((record) => isBetween(name, record));
  return {
    typesAt(name) {
      const match = records.find(({ owner }) => compareNames(owner, name) === 0);
      if (match) return match.types;
      // A name that only has others below it has no types of its own.
      return records.some((record) => isBetween(name, record) && isBelow(record.next, name))
        ? new Set()
        : undefined;
    },
    covers(name) {
      const record = covering(name);
      return record !== undefined && !isBelow(record.next, name);
    },
    encloserOf(name) {
      const record = covering(name);
      if (!record) return undefined;
      const shared = Math.max(sharedLabels(name, record.owner), sharedLabels(name, record.next));
      return name.slice(name.length - shared);
    },
  };
}

function isBetween(name: Labels, { owner, next, types }: Nsec): boolean {
  const isLast = compareNames(next, owner) <= 0;
  if (compareNames(owner, name) >= 0) return false;
  if (!(isLast || compareNames(name, next) < 0)) return false;
  // What lies below a delegation or a DNAME is not this zone's to deny (RFC 6840 §4.1, §5.2).
  const isElsewhere = types.has('DNAME') || (types.has('NS') && !types.has('SOA'));
  return !(isElsewhere && isBelow(name, owner));
}

/**
 * Reads NSEC3 records of SHA-1: they speak of hashes.
 * @param zone labels of the zone; no name above it is looked for
 */
export function readNsec3Chain(records: readonly Nsec3[], zone: Labels): DenialChain {
  const known = new Map<string, string>();
  const hashOf = (name: Labels, { iterations, salt }: Nsec3): string => {
    const key = `${iterations} ${salt} ${name.join('.')}`;
    const hash = known.get(key) ?? hashName(name, { iterations, salt });
    known.set(key, hash);
    return hash;
  };
  const typesAt = (name: Labels) => records.find((record) => record.hash === hashOf(name, record))?.types;
  const covers = (name: Labels) => records.some((record) => isHashBetween(hashOf(name, record), record));
  return {
    typesAt,
    covers,
    encloserOf(name) {
      for (let length = name.length - 1; length >= zone.length; length -= 1) {
        const encloser = name.slice(name.length - length);
        if (typesAt(encloser)) return covers(name.slice(name.length - length - 1)) ? encloser : undefined;
      }
      return undefined;
    },
  };
}

function isHashBetween(hash: string, { hash: owner, nextHash }: Nsec3): boolean {
  if (owner < nextHash) return owner < hash && hash < nextHash;
  // The last of the chain; one that follows itself covers everything but its owner.
  return hash > owner || hash < nextHash;
}

/**
 * Compares two names in canonical order: label by label from the right, as octets (RFC 4034 §6.1).
 * @param a labels in lower case, one character an octet
 * @returns below 0 where `a` comes first, 0 where they are equal
 */
function compareNames(a: readonly string[], b: readonly string[]): number {
  const shared = Math.min(a.length, b.length);
  for (let fromRight = 1; fromRight <= shared; fromRight += 1) {
    const left = a[a.length - fromRight] ?? '';
    const right = b[b.length - fromRight] ?? '';
    if (left !== right) return left < right ? -1 : 1;
  }
  return a.length - b.length;
}

/** How many labels two names share, counted from the right. */
function sharedLabels(a: readonly string[], b: readonly string[]): number {
  let count = 0;
  while (count < Math.min(a.length, b.length) && a[a.length - 1 - count] === b[b.length - 1 - count])
    count += 1;
  return count;
}

/** True where `name` lies below `above`. */
function isBelow(name: readonly string[], above: readonly string[]): boolean {
  return name.length > above.length && sharedLabels(name, above) === above.length;
}
