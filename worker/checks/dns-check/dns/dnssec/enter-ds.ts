import type { Fix } from '#shared/model/verdict';
import type { Dnskey } from '../../../../dns/record-values.ts';
import { algorithmOf, rankOf } from './algorithms.ts';
import { digestOf } from './ds-digest.ts';
import { entryPointFlag, keyTagOf, printDs, revokedFlag, zoneKeyFlag } from './key-tag.ts';
import type { Denial } from './read-denial.ts';
import type { Signing } from './read-signing.ts';
import { brokenSets, faultIn } from './set-faults.ts';

/** SHA-256, which every validator knows. */
const digestType = 2;

/**
 * The DS that the registrar wants, ready to paste: of a key-signing key that signs the keys, by the best algorithm. With a DS, validators
 * begin to check, so none is offered while they would refuse the zone.
 * @returns undefined where it was not seen whether the signatures hold
 */
export function enterDs(zone: string, signing: Signing, denials: readonly Denial[]): Fix | undefined {
  const { keys, sets } = signing;
  const usable = keys.filter((key) => isZoneKey(key) && rankOf(algorithmOf(key.algorithm)) !== undefined);
  if (usable.length === 0)
    return {
      text: 'Sign the zone with algorithm 13 (ECDSA P-256) first, and enter the DS of that key. Validators cannot use, or must not trust, the algorithms of the keys that it has.',
    };
  if (brokenSets(sets).length > 0)
    return {
      text: 'Sign the zone again first: its signatures do not hold, so with a DS validating resolvers would refuse the domain. Then enter the DS of the key-signing key.',
    };
  const why = whyNotReady(signing, denials);
  if (why !== undefined)
    return {
      text: `${why}, so with a DS validating resolvers would refuse what comes from there. Repair that first, then enter the DS of the key-signing key.`,
    };
  const signers = (sets.find(({ type }) => type === 'DNSKEY')?.signatures ?? []).flatMap(
    ({ rrsig, verdict }) => (verdict === 'valid' ? [rrsig.keyTag] : []),
  );
  const [signer] = usable
    .filter((key) => (key.flags & entryPointFlag) !== 0 && signers.includes(keyTagOf(key)))
    .toSorted((a, b) => rankIn(a) - rankIn(b));
  const digest = signer && digestOf(zone, signer, digestType);
  if (!signer || digest === undefined) return undefined;
  const value = printDs({ keyTag: keyTagOf(signer), algorithm: signer.algorithm, digestType, digest });
  return {
    text: 'Enter this DS at the registrar. It is made from the zone’s key-signing key.',
    record: { name: zone, type: 'DS', value },
  };
}

// What a validator would meet at one of the servers, and nobody looks at today.
function whyNotReady({ servers, isOneChain }: Signing, denials: readonly Denial[]): string | undefined {
  const faulty = servers.find(({ sets }) => sets.some((set) => faultIn(set) !== undefined));
  if (faulty) return `${faulty.server} does not serve the zone with good signatures`;
  const bare = servers.find(({ keys }) => keys?.length === 0);
  if (bare) return `${bare.server} has no keys`;
  if (!isOneChain) return 'The name servers have keys that do not fit the signatures of all';
  const unproven = denials.find(({ proof }) => proof !== 'whole' && 'broken' in proof);
  return unproven && `${unproven.server} cannot prove that a name or type is not there`;
}

function isZoneKey({ flags }: Dnskey): boolean {
  return (flags & zoneKeyFlag) !== 0 && (flags & revokedFlag) === 0;
}

function rankIn({ algorithm }: Dnskey): number {
  return rankOf(algorithmOf(algorithm)) ?? 0;
}
