import type { Rrsig } from '../../../../dns/record-values.ts';
import type { ApexType } from '../../halves.ts';
import type { SignatureVerdict } from './verify-rrsig.ts';

/** The records of one type with their signatures, each checked. */
export type CheckedSet = {
  readonly type: ApexType;
  readonly signatures: readonly { readonly rrsig: Rrsig; readonly verdict: SignatureVerdict }[];
};

/** A set of records that no signature upholds. */
export type SetFault = { readonly type: string; readonly reason: string };

const reasons: { readonly [V in SignatureVerdict]: string } = {
  valid: '',
  unsupported: '',
  expired: 'its signature has expired',
  'not-yet-valid': 'its signature is not valid yet',
  'no-key': 'it is signed by a key that the zone does not have, or that the parent does not vouch for',
  'wrong-signer': 'it is signed in the name of another zone',
  'does-not-verify': 'its signature does not fit the records',
};

/** What only the parent reads, which ignores it unsigned (RFC 7344 §4.1): a rule of its own, and nobody else's loss. */
export const requestTypes: readonly string[] = ['CDS', 'CDNSKEY'];

/** The sets without any good signature. */
export function brokenSets(sets: readonly CheckedSet[]): readonly SetFault[] {
  const read = sets.filter(({ type }) => !requestTypes.includes(type));
  return read.flatMap((set) => {
    const reason = faultIn(set);
    return reason === undefined ? [] : [{ type: set.type, reason }];
  });
}

/** Why none of a set's signatures upholds it, as a clause; undefined where one does. */
export function faultIn({ signatures }: Pick<CheckedSet, 'signatures'>): string | undefined {
  const verdicts = signatures.map(({ verdict }) => verdict);
  if (verdicts.includes('valid') || verdicts.includes('unsupported')) return undefined;
  const [first] = verdicts;
  return first === undefined ? 'it has no signature' : reasons[first];
}
