import { brokenBy, type Evidence, notTested, type Verdict } from '#shared/model/verdict';
import { foundRecords } from '../../../../dns/read-answer.ts';
import { type Dnskey, type Ds, readAll, readDnskey, readDs } from '../../../../dns/record-values.ts';
import type { DnsFacts } from '../facts.ts';
import { algorithmOf, digestTypeOf, unusableBecause } from './algorithms.ts';
import { keyOfDs } from './ds-digest.ts';
import { entryPointFlag, keyTagOf, revokedFlag, zoneKeyFlag } from './key-tag.ts';
import type { Signing } from './read-signing.ts';

/** Judges what the zone asks its parent to enter (RFC 7344, RFC 8078) against its keys and the DS that is there. */
export function judgeCds({ apex, domain }: DnsFacts, { keys, ds, sets }: Signing): Verdict {
  if (apex.CDS.state === 'unknown') return notTested(apex.CDS.why);
  if (apex.CDNSKEY.state === 'unknown') return notTested(apex.CDNSKEY.why);
  if (apex.DNSKEY.state === 'unknown') return notTested(apex.DNSKEY.why);
  const cds = readAll(foundRecords(apex.CDS), readDs);
  const cdnskeys = readAll(foundRecords(apex.CDNSKEY), readDnskey);
  if (cds.length + cdnskeys.length === 0) return 'not-applicable';
  const present = ds.map((one) => one.ds);
  const isMixed = cds.some(isDelete) && cds.some((one) => !isDelete(one));
  const strays = [
    ...cds.flatMap((one) => judgeOneCds(one, { zone: domain, keys, present, isMixed })),
    ...cdnskeys.flatMap((one) => judgeOneCdnskey(one, { keys, present })),
  ];
  if (strays.length > 0) return brokenBy(strays);
  const idle = unsigningRequests({ cds, cdnskeys, sets });
  if (idle.length > 0) return brokenBy(idle);
  return brokenBy(
    ds.length === 0 ? differingRequests(cds, cdnskeys) : pendingChanges({ cds, cdnskeys, present }),
  );
}

function isDelete({ algorithm }: Pick<Ds, 'algorithm'>): boolean {
  return algorithm === 0;
}

/** Judges that CDS and CDNSKEY are signed by a key that the parent has a DS of; it takes no others (RFC 7344 §4.1). */
export function judgeCdsSigner({ apex, domain }: DnsFacts, { ds, sets }: Signing): Verdict {
  const unseen = [apex.CDS, apex.CDNSKEY, apex.DNSKEY, apex.DS].find(({ state }) => state === 'unknown');
  if (unseen?.state === 'unknown') return notTested(unseen.why);
  const requests = sets.filter(({ type }) => type === 'CDS' || type === 'CDNSKEY');
  // With a digest that is not computed here, nobody can say which keys the parent knows.
  if (requests.length === 0 || ds.some(({ key }) => key === undefined)) return 'not-applicable';
  if (sets.every(({ signatures }) => signatures.length === 0))
    return notTested('the resolver passed on no signatures');
  const known = ds.flatMap(({ key }) => (key ? [keyTagOf(key)] : []));
  // Before the first DS the parent has no key to go by: the keys that are asked for sign, as after it is entered (RFC 9615 §4.2).
  const wanted = [
    ...readAll(foundRecords(apex.CDS), readDs).map(({ keyTag }) => keyTag),
    ...readAll(foundRecords(apex.CDNSKEY), readDnskey).map(keyTagOf),
  ];
  const isRemoval = readAll(foundRecords(apex.CDS), readDs).some(isDelete);
  const isKnown = (keyTag: number) =>
    ds.length === 0 ? isRemoval || wanted.includes(keyTag) : known.includes(keyTag);
  const isTaken = ({ signatures }: (typeof requests)[number]) =>
    signatures.some(({ rrsig, verdict }) => verdict === 'valid' && isKnown(rrsig.keyTag));
  return brokenBy(
    requests.filter((set) => !isTaken(set)).map(({ type }) => ({ record: type, zone: domain })),
  );
}

type Beside = { readonly keys: readonly Dnskey[]; readonly present: readonly Ds[] };

function judgeOneCds(
  cds: Ds,
  { zone, keys, present, isMixed }: Beside & { readonly zone: string; readonly isMixed: boolean },
): readonly Evidence[] {
  const told = (reason: string) => [{ record: 'CDS', value: String(cds.keyTag), reason }];
  if (isDelete(cds)) return [{ record: 'CDS', value: '0', reason: describeDelete(isMixed, present) }];
  const why = unusableBecause(digestTypeOf(cds.digestType));
  if (why !== undefined) return told(`has the digest type ${cds.digestType}, which ${why}`);
  const key = keyOfDs(zone, cds, keys);
  if (key === null) return told('matches no key of the zone');
  const fault = key && keyFault(key, present);
  return fault === undefined ? [] : told(fault);
}

function describeDelete(isMixed: boolean, present: readonly Ds[]): string {
  if (isMixed) return 'asks to remove the DS, beside another that asks for one; parents must take neither';
  return present.length > 0
    ? 'asks the parent to remove the DS'
    : 'asks the parent for no DS, so the signatures of the zone serve nobody';
}

function judgeOneCdnskey(cdnskey: Dnskey, { keys, present }: Beside): readonly Evidence[] {
  // Algorithm 0 is the same wish as with CDS, which is told there.
  if (isDelete(cdnskey)) return [];
  const told = (reason: string) => [{ record: 'CDNSKEY', value: String(keyTagOf(cdnskey)), reason }];
  const key = keys.find((one) => one.algorithm === cdnskey.algorithm && one.key === cdnskey.key);
  if (!key) return told('is no key of the zone');
  const fault = keyFault(key, present);
  return fault === undefined ? [] : told(fault);
}

// Why a key should have no DS (RFC 4034 §5.2, RFC 5011 §2.1, RFC 9904), as a sentence's end.
function keyFault(key: Dnskey, present: readonly Ds[]): string | undefined {
  const { flags, algorithm } = key;
  if ((flags & zoneKeyFlag) === 0)
    return 'belongs to a key that is no zone key, so a DS of it proves nothing';
  if ((flags & revokedFlag) !== 0) return 'belongs to a key that is revoked';
  const why = unusableBecause(algorithmOf(algorithm));
  if (why !== undefined) return `belongs to a key of the algorithm ${algorithm}, which ${why}`;
  // What the parent has taken once works.
  const hasDs = present.some(({ keyTag }) => keyTag === keyTagOf(key));
  return (flags & entryPointFlag) === 0 && !hasDs
    ? 'belongs to a key that is not marked as key-signing key (SEP)'
    : undefined;
}

// RFC 7344 §4.1: with the DS that is asked for, the zone must go on to validate. One of its keys has to sign the keys.
function unsigningRequests({
  cds,
  cdnskeys,
  sets,
}: { readonly cds: readonly Ds[]; readonly cdnskeys: readonly Dnskey[] } & Pick<
  Signing,
  'sets'
>): readonly Evidence[] {
  const tags = [...cds.map(({ keyTag }) => keyTag), ...cdnskeys.map(keyTagOf)];
  const signatures = sets.find(({ type }) => type === 'DNSKEY')?.signatures ?? [];
  const isSeen = signatures.some(({ verdict }) => verdict === 'valid');
  const isSigned = signatures.some(
    ({ rrsig, verdict }) => ['valid', 'unsupported'].includes(verdict) && tags.includes(rrsig.keyTag),
  );
  if (!isSeen || isSigned) return [];
  const record = cds.length > 0 ? 'CDS' : 'CDNSKEY';
  return [
    {
      record,
      value: String(tags[0] ?? 0),
      reason: 'names no key that signs the keys of the zone, so validators would refuse it with that DS',
    },
  ];
}

// Both, where both are there, ask for the same keys (RFC 7344 §4).
function differingRequests(cds: readonly Ds[], cdnskeys: readonly Dnskey[]): readonly Evidence[] {
  if (cds.length === 0 || cdnskeys.length === 0) return [];
  const tags = new Set(cdnskeys.map(keyTagOf));
  return cds
    .filter(({ keyTag }) => !tags.has(keyTag))
    .map(({ keyTag }) => ({ record: 'CDS', value: String(keyTag), reason: 'has no CDNSKEY beside it' }));
}

function pendingChanges(seen: {
  readonly cds: readonly Ds[];
  readonly cdnskeys: readonly Dnskey[];
  readonly present: readonly Ds[];
}): readonly Evidence[] {
  const wanted = new Set([...seen.cds.map(({ keyTag }) => keyTag), ...seen.cdnskeys.map(keyTagOf)]);
  const present = new Set(seen.present.map(({ keyTag }) => keyTag));
  const added = [...wanted].filter((keyTag) => !present.has(keyTag));
  const removed = [...present].filter((keyTag) => !wanted.has(keyTag));
  const record = seen.cds.length > 0 ? 'CDS' : 'CDNSKEY';
  return [
    ...added.map((keyTag) => ({ record, value: String(keyTag), reason: 'has no DS at the parent yet' })),
    ...removed.map((keyTag) => ({
      record,
      value: String(keyTag),
      reason: 'is missing, although the parent has a DS of it',
    })),
  ];
}
