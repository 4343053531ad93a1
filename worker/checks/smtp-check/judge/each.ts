import { brokenBy, type Evidence, notTested, type Verdict } from '#shared/model/verdict';
import type { AddressFacts, HostFacts } from '../facts/facts.ts';

/** What is found of one address: it is as it should be, the rule does not concern it, it could not be looked at, or what is wrong. */
export type Finding = 'holds' | 'not-applicable' | { readonly unseen: string } | { readonly found: Evidence };

/** Could not be looked at. @param why a clause */
export function unseen(why: string | null): Finding {
  return { unseen: why ?? 'it was not seen' };
}

/** What is wrong there, if the claim is true. */
export function foundIf(claim: boolean, { host, seen }: AddressFacts, more: Evidence = {}): Finding {
  return claim ? { found: { host, address: seen.address, ...more } } : 'holds';
}

/**
 * One verdict on all hosts. What is wrong anywhere breaks the rule. A host counts as seen where one of its addresses was: the others have
 * rules of their own.
 */
export function judgeEach(hosts: readonly HostFacts[], test: (address: AddressFacts) => Finding): Verdict {
  return judgeHosts(hosts, (host) =>
    host.addresses.length === 0 ? [unseen(whyNone(host))] : host.addresses.map(test),
  );
}

/** The same where all addresses of a host are looked at together. */
export function judgeHosts(
  hosts: readonly HostFacts[],
  test: (host: HostFacts) => readonly Finding[],
): Verdict {
  const ofHosts = hosts.map((host) => ({ host: host.seen.host, findings: test(host) }));
  const all = ofHosts.flatMap(({ findings }) => findings);
  const found = all.flatMap((one) => (typeof one === 'object' && 'found' in one ? [one.found] : []));
  if (found.length > 0) return brokenBy(found);
  for (const { host, findings } of ofHosts) {
    const [first] = findings.filter((one) => typeof one === 'object' && 'unseen' in one);
    const isSeen = findings.some((one) => one === 'holds' || one === 'not-applicable');
    if (!isSeen && typeof first === 'object' && 'unseen' in first)
      return notTested(`${host}: ${first.unseen}`);
  }
  return all.includes('holds') ? 'holds' : 'not-applicable';
}

function whyNone({ seen }: HostFacts): string {
  return seen.failure?.reason ?? 'it has no address';
}
