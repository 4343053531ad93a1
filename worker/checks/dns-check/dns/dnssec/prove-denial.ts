import type { DenialChain } from './denial-chain.ts';

type Labels = readonly string[];

/** What an answer has to prove. */
export type Claimed =
  /** NXDOMAIN. */
  | { readonly kind: 'no-name'; readonly name: Labels }
  /** NOERROR without an answer. */
  | { readonly kind: 'no-type'; readonly name: Labels; readonly type: string }
  /** An answer made of a wildcard whose own name, without the asterisk, has so many labels. */
  | { readonly kind: 'expansion'; readonly name: Labels; readonly labels: number };

/**
 * Says what a proof lacks, as a clause; undefined where it is whole (RFC 4035 §5.4, RFC 5155 §8, RFC 9824 §3).
 * A server may sign as it answers and invent the records around the asked name: what they say is what counts.
 */
export function findGap(chain: DenialChain, claimed: Claimed): string | undefined {
  if (claimed.kind === 'no-name') return gapOfName(chain, claimed.name);
  if (claimed.kind === 'no-type') return gapOfType(chain, claimed);
  const { name, labels } = claimed;
  // NSEC covers the asked name itself, NSEC3 the name one label below the wildcard's own (RFC 5155 §8.8).
  const isCovered = chain.covers(name) || chain.covers(name.slice(name.length - labels - 1));
  return isCovered ? undefined : 'no record says that the name itself is not there beside the wildcard';
}

function gapOfName(chain: DenialChain, name: Labels): string | undefined {
  const types = chain.typesAt(name);
  // RFC 9824 §3.1: such a name is not there, though a record has it as its owner.
  if (types?.has('NXNAME')) return undefined;
  if (types) return 'the answer is NXDOMAIN, but a record in it says that the name exists';
  const encloser = chain.encloserOf(name);
  if (!encloser) return 'no record covers the name';
  const wildcard = ['*', ...encloser];
  if (chain.typesAt(wildcard)) return 'a record says that there is a wildcard, which would have answered';
  return chain.covers(wildcard) ? undefined : 'no record says that there is no wildcard';
}

function gapOfType(chain: DenialChain, { name, type }: { name: Labels; type: string }): string | undefined {
  const types = chain.typesAt(name) ?? wildcardTypes(chain, name);
  if (!types)
    return chain.covers(name)
      ? 'the records say that the name does not exist, but the answer is not NXDOMAIN'
      : 'no record speaks of the name';
  if (types.has(type) || types.has('CNAME')) return `a record in it says that the name has ${type} or CNAME`;
  return undefined;
}

function wildcardTypes(chain: DenialChain, name: Labels): ReadonlySet<string> | undefined {
  const encloser = chain.encloserOf(name);
  return encloser && chain.typesAt(['*', ...encloser]);
}
