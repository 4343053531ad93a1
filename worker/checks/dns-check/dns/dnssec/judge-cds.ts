import { brokenBy, type Evidence, notTested, type Verdict } from '#shared/model/verdict';
import { foundRecords } from '../../../../dns/read-answer.ts';
import { type Dnskey, type Ds, readAll, readDnskey, readDs } from '../../../../dns/record-values.ts';
import type { DnsFacts } from '../facts.ts';
import { keyOfDs } from './ds-digest.ts';
import { keyTagOf } from './key-tag.ts';
import type { Signing } from './read-signing.ts';

/** Judges what the zone asks its parent to enter (RFC 7344, RFC 8078) against its keys and the DS that is there. */
export function judgeCds({ apex, domain }: DnsFacts, { keys, ds }: Signing): Verdict {
  if (apex.CDS.state === 'unknown') return notTested(apex.CDS.why);
  if (apex.CDNSKEY.state === 'unknown') return notTested(apex.CDNSKEY.why);
  if (apex.DNSKEY.state === 'unknown') return notTested(apex.DNSKEY.why);
  const cds = readAll(foundRecords(apex.CDS), readDs);
  const cdnskeys = readAll(foundRecords(apex.CDNSKEY), readDnskey);
  if (cds.length + cdnskeys.length === 0) return 'not-applicable';
  const strays = [
    ...cds.flatMap((one) => judgeOneCds(one, domain, keys)),
    ...cdnskeys.flatMap((one) => judgeOneCdnskey(one, keys)),
  ];
  if (strays.length > 0) return brokenBy(strays);
  if (ds.length === 0) return brokenBy(differingRequests(cds, cdnskeys));
  return brokenBy(pendingChanges({ cds, cdnskeys, present: ds.map((one) => one.ds) }));
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
  // Before the first DS any key of the zone will do (RFC 8078 §3).
  const isKnown = (keyTag: number) => ds.length === 0 || known.includes(keyTag);
  const isTaken = ({ signatures }: (typeof requests)[number]) =>
    signatures.some(({ rrsig, verdict }) => verdict === 'valid' && isKnown(rrsig.keyTag));
  return brokenBy(
    requests.filter((set) => !isTaken(set)).map(({ type }) => ({ record: type, zone: domain })),
  );
}

function judgeOneCds(cds: Ds, zone: string, keys: readonly Dnskey[]): readonly Evidence[] {
  if (cds.algorithm === 0) return [{ record: 'CDS', value: '0', reason: 'asks the parent to remove the DS' }];
  if (keyOfDs(zone, cds, keys) !== null) return [];
  return [{ record: 'CDS', value: String(cds.keyTag), reason: 'matches no key of the zone' }];
}

function judgeOneCdnskey(cdnskey: Dnskey, keys: readonly Dnskey[]): readonly Evidence[] {
  // Algorithm 0 is the same wish as with CDS, which is told there.
  if (cdnskey.algorithm === 0) return [];
  const isThere = keys.some((key) => key.algorithm === cdnskey.algorithm && key.key === cdnskey.key);
  if (isThere) return [];
  return [{ record: 'CDNSKEY', value: String(keyTagOf(cdnskey)), reason: 'is no key of the zone' }];
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
