import type { DmarcFacts } from './facts.ts';
import { type Policy, policiesOf } from './parse-dmarc.ts';

/** The policies of the record that applies, and the one for this very domain. */
export type ChosenPolicy = {
  readonly policy: Policy;
  readonly subdomainPolicy: Policy;
  readonly nonExistentPolicy: Policy;
  /** The tag that decides for this domain. */
  readonly tag: 'p' | 'sp' | 'np';
  /** What that tag says; null where it depends on whether the domain exists, and that is unknown. */
  readonly chosen: Policy | null;
  /** The same with test mode counted in. */
  readonly effective: Policy | null;
};

const weaker: Readonly<Record<Policy, Policy>> = { reject: 'quarantine', quarantine: 'none', none: 'none' };

/** Which policy counts for the domain (RFC 9989 §4.10.1); null where no DMARC is applied. */
export function choosePolicy(facts: Pick<DmarcFacts, 'applied' | 'domain' | 'exists'>): ChosenPolicy | null {
  const { applied } = facts;
  const published = typeof applied === 'string' ? null : policiesOf(applied.dmarc);
  if (typeof applied === 'string' || published === null) return null;
  const { p, sp, np } = published;
  const policies = { policy: p, subdomainPolicy: sp ?? p, nonExistentPolicy: np ?? sp ?? p };
  const tag = chooseTag(published, applied.domain === facts.domain, facts.exists);
  const chosen = tag === null ? null : (published[tag] ?? p);
  const effective = chosen !== null && applied.dmarc.isTesting ? weaker[chosen] : chosen;
  return { ...policies, tag: tag ?? 'np', chosen, effective };
}

type Published = { readonly p: Policy; readonly sp?: Policy; readonly np?: Policy };

function chooseTag(
  { p, sp, np }: Published,
  isOwn: boolean,
  exists: boolean | null,
): 'p' | 'sp' | 'np' | null {
  if (isOwn) return 'p';
  const existing = sp === undefined ? 'p' : 'sp';
  if (np === undefined || exists === true) return existing;
  if (exists === false) return 'np';
  return np === (sp ?? p) ? existing : null;
}
