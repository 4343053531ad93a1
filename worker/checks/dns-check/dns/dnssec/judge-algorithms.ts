import { brokenBy, notTested, type Verdict } from '#shared/model/verdict';
import type { DnsFacts } from '../facts.ts';
import { algorithmOf } from './algorithms.ts';
import { revokedFlag, zoneKeyFlag } from './key-tag.ts';
import type { Signing } from './read-signing.ts';

/** Judges that every algorithm of which the zone has a key signs all its sets (RFC 4035 §2.2). A set without a good signature has a rule of its own. */
export function judgeAlgorithms({ apex, domain }: DnsFacts, { keys, sets }: Signing): Verdict {
  if (apex.DNSKEY.state === 'unknown') return notTested(`the keys were not seen: ${apex.DNSKEY.why}`);
  if (keys.length === 0 || apex.DS.state === 'none') return 'not-applicable';
  if (sets.every(({ signatures }) => signatures.length === 0))
    return notTested('the resolver passed on no signatures');
  const algorithms = new Set(
    keys
      .filter(({ flags }) => (flags & zoneKeyFlag) !== 0 && (flags & revokedFlag) === 0)
      .map(({ algorithm }) => algorithm),
  );
  const signed = sets.map(({ type, signatures }) => {
    const good = signatures.filter(({ verdict }) => verdict === 'valid' || verdict === 'unsupported');
    return { type, by: new Set(good.map(({ rrsig }) => rrsig.algorithm)) };
  });
  return brokenBy(
    [...algorithms].flatMap((algorithm) => {
      const types = signed.filter(({ by }) => by.size > 0 && !by.has(algorithm)).map(({ type }) => type);
      return types.length === 0
        ? []
        : [{ zone: domain, algorithm: algorithmOf(algorithm).name, types: types.join(', ') }];
    }),
  );
}
