import { brokenBy, type Evidence, notTested, type Verdict, type Verdicts } from '#shared/model/verdict';
import { foundRecords } from '../../../../dns/read-answer.ts';
import { type Nsec3Param, readAll, readNsec3Param } from '../../../../dns/record-values.ts';
import { brokenBySeen } from '../../verdicts.ts';
import type { DnsFacts } from '../facts.ts';
import { algorithmOf, digestTypeOf, unusableBecause } from './algorithms.ts';
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
  // Seen is seen: what the DS says is judged though the keys were not seen.
  const unseen = [told.keys, apex.DS].find(({ state }) => state === 'unknown');
  const numbersUnseen = unseen?.state === 'unknown' ? notTested(unseen.why) : undefined;
  const hasNumbers = signing.keys.length + signing.ds.length > 0;
  const ofNumbers = (evidence: readonly Evidence[]): Verdict =>
    hasNumbers ? brokenBySeen(evidence, numbersUnseen) : (numbersUnseen ?? 'not-applicable');
  const ofNsec3 = (show: (one: Nsec3Param) => readonly Evidence[]): Verdict =>
    nsec3Unseen ?? (nsec3.length === 0 ? 'not-applicable' : brokenBy(nsec3.flatMap(show)));
  return {
    'dnssec-algorithm-weak': ofNumbers(weakNumbers(signing)),
    'dnssec-algorithm-not-recommended': ofNumbers(discouragedNumbers(signing)),
    'dnssec-number-unknown': ofNumbers(unusableNumbers(signing)),
    'dnssec-key-short': keysUnseen ?? (isSigned ? brokenBy(shortKeys(signing)) : 'not-applicable'),
    'dnssec-nsec3-iterations': ofNsec3(({ iterations }) => (iterations > 0 ? [{ iterations }] : [])),
    'dnssec-nsec3-salt': ofNsec3(({ salt }) => (salt === '' ? [] : [{ octets: salt.length / 2 }])),
  } satisfies Verdicts;
}

function keyNumbers({ keys }: Signing) {
  return keys.map((key) => ({ what: `Key ${keyTagOf(key)}`, number: key.algorithm }));
}

function unusableNumbers(signing: Signing): readonly Evidence[] {
  const algorithms = [
    ...keyNumbers(signing),
    ...signing.ds.map(({ ds }) => ({ what: `The DS of key ${ds.keyTag}`, number: ds.algorithm })),
  ].map((one) => ({ ...one, kind: 'algorithm', why: unusableBecause(algorithmOf(one.number)) }));
  const digests = signing.ds.map(({ ds: { keyTag, digestType } }) => ({
    what: `The DS of key ${keyTag}`,
    number: digestType,
    kind: 'digest type',
    why: unusableBecause(digestTypeOf(digestType)),
  }));
  return [...algorithms, ...digests].flatMap(({ why, ...one }) =>
    why === undefined ? [] : [{ ...one, why }],
  );
}

function distinct(all: readonly Nsec3Param[]): readonly Nsec3Param[] {
  return [
    ...new Map(all.map(({ iterations, salt }) => [`${iterations} ${salt}`, { iterations, salt }])).values(),
  ];
}

function weakNumbers(signing: Signing): readonly Evidence[] {
  const { keys, ds } = signing;
  const isForbidden = (number: number) => algorithmOf(number).standing === 'forbidden';
  // The algorithm of a key that is there is told of the key.
  const seen = new Set(keys.map(({ algorithm }) => algorithm));
  const ofDs = ds.map((one) => one.ds);
  return [
    ...[
      ...keyNumbers(signing),
      ...ofDs
        .filter(({ algorithm }) => !seen.has(algorithm))
        .map(({ keyTag, algorithm }) => ({ what: `The DS of key ${keyTag}`, number: algorithm })),
    ]
      .filter(({ number }) => isForbidden(number))
      .map(({ what, number }) => ({ what, algorithm: algorithmOf(number).name })),
    ...forbiddenDigests(signing)
      .filter(({ isBeside }) => !isBeside)
      .map(({ keyTag, name }) => ({ what: `The DS of key ${keyTag}`, algorithm: name })),
  ];
}

// Beside a better digest of the same key, validators ignore it (RFC 4509 §3).
function forbiddenDigests({ ds }: Signing) {
  return ds
    .map((one) => one.ds)
    .filter(({ digestType }) => digestTypeOf(digestType).standing === 'forbidden')
    .map(({ keyTag, digestType }) => ({
      keyTag,
      name: digestTypeOf(digestType).name,
      isBeside: ds.some(
        ({ ds: other }) =>
          other.keyTag === keyTag && ['good', 'allowed'].includes(digestTypeOf(other.digestType).standing),
      ),
    }));
}

function discouragedNumbers(signing: Signing): readonly Evidence[] {
  return [
    ...keyNumbers(signing)
      .filter(({ number }) => algorithmOf(number).standing === 'discouraged')
      .map(({ what, number }) => ({
        what,
        algorithm: algorithmOf(number).name,
        why: 'which is not recommended for signing any more',
      })),
    ...forbiddenDigests(signing)
      .filter(({ isBeside }) => isBeside)
      .map(({ keyTag, name }) => ({
        what: `A DS of key ${keyTag}`,
        algorithm: name,
        why: 'which must not be published any more; a better one is beside it',
      })),
  ];
}

function shortKeys({ keys }: Signing): readonly Evidence[] {
  return keys.flatMap((key) => {
    if (algorithmOf(key.algorithm).scheme?.kind !== 'rsa') return [];
    const bits = keyBitsOf(key);
    return bits !== null && bits < shortestRsaBits ? [{ keyTag: keyTagOf(key), bits }] : [];
  });
}
