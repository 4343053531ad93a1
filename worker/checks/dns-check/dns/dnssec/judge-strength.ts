import { brokenBy, type Evidence, notTested, type Verdict, type Verdicts } from '#shared/model/verdict';
import { foundRecords, type Reading } from '../../../../dns/read-answer.ts';
import { type Nsec3Param, readAll, readNsec3Param } from '../../../../dns/record-values.ts';
import { brokenBySeen } from '../../verdicts.ts';
import type { DnsFacts } from '../facts.ts';
import { algorithmOf, digestTypeOf, isUnusableAlgorithm, isUnusableDigest } from './algorithms.ts';
import { keyTagOf } from './key-tag.ts';
import { keyBitsOf } from './public-key.ts';
import type { Denial } from './read-denial.ts';
import type { Signing } from './read-signing.ts';

const shortestRsaBits = 2048;

/** Judges algorithms, key sizes and the NSEC3 parameters of a signed zone. */
export function judgeStrength({ apex }: DnsFacts, signing: Signing, denials: readonly Denial[]) {
  const told = { keys: apex.DNSKEY, nsec3: apex.NSEC3PARAM };
  const keysUnseen = told.keys.state === 'unknown' ? notTested(told.keys.why) : undefined;
  const nsec3Unseen = told.nsec3.state === 'unknown' ? notTested(told.nsec3.why) : undefined;
  const isSigned = signing.keys.length > 0;
  // What is published, and what the servers really use, which may differ while a zone is signed anew.
  const nsec3 = distinct([
    ...readAll(foundRecords(apex.NSEC3PARAM), readNsec3Param),
    ...denials.flatMap((denial) => denial.nsec3),
  ]);
  const ofNsec3 = (show: (one: Nsec3Param) => readonly Evidence[]): Verdict =>
    nsec3Unseen ?? (nsec3.length === 0 ? 'not-applicable' : brokenBy(nsec3.flatMap(show)));
  return {
    'dnssec-algorithm-weak': keysUnseen ?? (isSigned ? brokenBy(weakAlgorithms(signing)) : 'not-applicable'),
    'dnssec-number-unknown': judgeNumbers(signing, told.keys, apex.DS),
    'dnssec-key-short': keysUnseen ?? (isSigned ? brokenBy(shortKeys(signing)) : 'not-applicable'),
    'dnssec-nsec3-iterations': ofNsec3(({ iterations }) => (iterations > 0 ? [{ iterations }] : [])),
    'dnssec-nsec3-salt': ofNsec3(({ salt }) => (salt === '' ? [] : [{ octets: salt.length / 2 }])),
  } satisfies Verdicts;
}

// Seen is seen: what the DS says is judged though the keys were not seen.
function judgeNumbers({ keys, ds }: Signing, dnskey: Reading, own: Reading): Verdict {
  const unseen = [dnskey, own].find(({ state }) => state === 'unknown');
  if (keys.length + ds.length === 0)
    return unseen?.state === 'unknown' ? notTested(unseen.why) : 'not-applicable';
  const ofKeys = keys.filter(({ algorithm }) => isUnusableAlgorithm(algorithm));
  const ofDs = ds.map((one) => one.ds);
  return brokenBySeen(
    [
      ...ofKeys.map((key) => ({ what: `Key ${keyTagOf(key)}`, kind: 'algorithm', number: key.algorithm })),
      ...ofDs
        .filter(({ algorithm }) => isUnusableAlgorithm(algorithm))
        .map(({ keyTag, algorithm }) => ({
          what: `The DS of key ${keyTag}`,
          kind: 'algorithm',
          number: algorithm,
        })),
      ...ofDs
        .filter(({ digestType }) => isUnusableDigest(digestType))
        .map(({ keyTag, digestType }) => ({
          what: `The DS of key ${keyTag}`,
          kind: 'digest type',
          number: digestType,
        })),
    ],
    unseen?.state === 'unknown' ? notTested(unseen.why) : undefined,
  );
}

function distinct(all: readonly Nsec3Param[]): readonly Nsec3Param[] {
  return [
    ...new Map(all.map(({ iterations, salt }) => [`${iterations} ${salt}`, { iterations, salt }])).values(),
  ];
}

function weakAlgorithms({ keys, ds }: Signing): readonly Evidence[] {
  const weakKeys = keys
    .filter(({ algorithm }) => algorithmOf(algorithm).isWeak)
    .map((key) => ({ what: `Key ${keyTagOf(key)}`, algorithm: algorithmOf(key.algorithm).name }));
  // A SHA-1 digest beside a better one of the same key is ignored by validators (RFC 4509 §3).
  const weakDigests = ds
    .filter(({ ds: { digestType } }) => digestTypeOf(digestType).isWeak)
    .filter(
      ({ ds: weak }) =>
        !ds.some(({ ds: one }) => one.keyTag === weak.keyTag && !digestTypeOf(one.digestType).isWeak),
    )
    .map(({ ds: { keyTag, digestType } }) => ({
      what: `The DS of key ${keyTag}`,
      algorithm: digestTypeOf(digestType).name,
    }));
  return [...weakKeys, ...weakDigests];
}

function shortKeys({ keys }: Signing): readonly Evidence[] {
  return keys.flatMap((key) => {
    if (algorithmOf(key.algorithm).scheme?.kind !== 'rsa') return [];
    const bits = keyBitsOf(key);
    return bits !== null && bits < shortestRsaBits ? [{ keyTag: keyTagOf(key), bits }] : [];
  });
}
