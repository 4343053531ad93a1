import { parseCidr } from '../../shared/target/classify-address.ts';
import { specialUseSuffixOf } from '../../shared/target/classify-name.ts';
import type { TargetPolicy } from '../../shared/target/parse-target.ts';

/** What a run may name: the part of the target policy that names and addresses in records are judged by. */
export type NamePolicy = Pick<TargetPolicy, 'addresses' | 'allowedSuffixes'>;

const everything = [parseCidr('0.0.0.0/0'), parseCidr('::/0')];

/**
 * The policy of a run.
 * @param carrier the run's probes; they may carry the operator's own policy
 * @returns that policy. Without one, what the target itself shows: a special-use target is there only because the operator
 *   allowed its suffix, as labs do, and then addresses are not judged either; for any public target nothing is allowed.
 */
export function policyOfRun(carrier: object, target: string): NamePolicy {
  const { policy } = carrier as { readonly policy?: NamePolicy };
  if (policy) return policy;
  const suffix = specialUseSuffixOf(target);
  return suffix === undefined
    ? { addresses: { allow: [], deny: [] }, allowedSuffixes: [] }
    : { addresses: { allow: everything, deny: [] }, allowedSuffixes: [suffix] };
}
