import {
  brokenBy,
  type Evidence,
  eachOf,
  notTested,
  type Verdict,
  type Verdicts,
} from '#shared/model/verdict';
import { isPublicSuffix } from '../../../../dns/public-suffix.ts';
import type { DnsFacts } from '../facts.ts';
import { absentType } from '../ns/gather-servers.ts';
import type { Hidden } from './find-hidden.ts';
import type { Denial } from './read-denial.ts';
import type { Signing } from './read-signing.ts';
import { brokenSets } from './set-faults.ts';

const proofCodes = ['dnssec-denial-invalid', 'dnssec-server-denial-invalid'] as const;

/**
 * Judges how the servers of a signed zone prove that a random name and a type are not there. Where all fail, the zone is at fault;
 * where some do, those servers.
 */
export function judgeDenial(
  facts: DnsFacts,
  signing: Signing,
  denials: readonly Denial[],
): Verdicts<(typeof proofCodes)[number]> {
  const unjudged = whyUnjudged(facts, signing);
  if (unjudged !== undefined) return eachOf(proofCodes, unjudged);
  const judged = denials.filter(({ proof }) => proof === 'whole' || 'broken' in proof);
  if (judged.length === 0) return eachOf(proofCodes, notTested(whyUnseen(denials)));
  const bad = judged.flatMap(({ proof, ...denial }) =>
    proof !== 'whole' && 'broken' in proof ? [{ ...denial, reason: proof.broken }] : [],
  );
  const failing = new Set(bad.map(({ ip }) => ip));
  const isEverywhere = judged.every(({ ip }) => failing.has(ip));
  const zone = facts.domain;
  return {
    'dnssec-denial-invalid': brokenBy(isEverywhere ? faultsOfZone(bad, zone) : []),
    'dnssec-server-denial-invalid': isEverywhere
      ? 'not-applicable'
      : brokenBy(bad.map(({ server, ip, of, reason }) => ({ server, ip, zone, what: nounOf[of], reason }))),
  };
}

/** Judges that the zone's denial hides nothing that its servers have. */
export function judgeHidden(
  facts: DnsFacts,
  signing: Signing,
  { denials, hidden }: { readonly denials: readonly Denial[]; readonly hidden: readonly Hidden[] },
): Verdict {
  const unjudged = whyUnjudged(facts, signing);
  if (unjudged !== undefined) return unjudged;
  const isSeen = denials.some(({ proof }) => proof === 'whole' || 'broken' in proof);
  if (!isSeen && hidden.length === 0) return notTested(whyUnseen(denials));
  return brokenBy(
    hidden.map(({ name, type, of, server, ip }) => ({
      zone: facts.domain,
      name,
      type,
      denied: of === 'name' ? `${name} does not exist` : `${name} has no ${type} record`,
      server,
      ip,
    })),
  );
}

// Not the name itself, which is another in every run.
const nounOf = { name: 'a random name', type: `an ${absentType} record` } as const;

function whyUnjudged({ apex }: DnsFacts, { keys, ds, sets }: Signing): Verdict | undefined {
  if (apex.DNSKEY.state === 'unknown') return notTested(`the keys were not seen: ${apex.DNSKEY.why}`);
  // Nobody looks at proofs of a zone that the parent does not vouch for.
  if (keys.length === 0 || apex.DS.state === 'none') return 'not-applicable';
  if (ds.length > 0 && ds.every(({ key }) => key === null))
    return notTested('no key of the zone matches the parent’s DS, so nothing in the zone can be validated');
  return brokenSets(sets).length > 0
    ? notTested('the signatures over the zone’s own records do not hold either')
    : undefined;
}

function whyUnseen(denials: readonly Denial[]): string {
  const [first] = denials.flatMap(({ proof }) =>
    proof !== 'whole' && 'unseen' in proof ? [proof.unseen] : [],
  );
  return first ?? 'no name server with good signatures was asked for a proof';
}

// Many servers with one fault are one sentence.
function faultsOfZone(
  bad: readonly { readonly of: Denial['of']; readonly reason: string }[],
  zone: string,
): readonly Evidence[] {
  const faults = new Map(
    bad.map(({ of, reason }) => [`${of} ${reason}`, { zone, what: nounOf[of], reason }]),
  );
  return [...faults.values()];
}

/** Judges that a zone that is no registry's does not opt out of denying names (RFC 9276 §3.1). */
export function judgeOptOut(
  { apex, domain }: DnsFacts,
  { keys }: Signing,
  denials: readonly Denial[],
): Verdict {
  if (apex.DNSKEY.state === 'unknown') return notTested(`the keys were not seen: ${apex.DNSKEY.why}`);
  if (keys.length === 0 || apex.NSEC3PARAM.state === 'none' || isPublicSuffix(domain))
    return 'not-applicable';
  const records = denials.flatMap(({ nsec3 }) => nsec3);
  if (records.length === 0) return notTested('no name server gave NSEC3 records');
  return brokenBy(records.some(({ flags }) => (flags & 1) === 1) ? [{ zone: domain }] : []);
}
