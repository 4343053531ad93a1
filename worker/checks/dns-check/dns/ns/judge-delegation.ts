import { brokenBy, brokenIf, eachOf, notTested, type Verdict, type Verdicts } from '#shared/model/verdict';
import { isInZone } from '../../../../dns/name.ts';
import { readAnswer, recordsAt } from '../../../../dns/read-answer.ts';
import type { HostAnswers } from '../evidence.ts';
import type { DnsFacts } from '../facts.ts';
import { addressesOf, delegatedNames, glueOf, isIpv6 } from '../servers/addresses.ts';
import { named } from '../servers/server-facts.ts';
import { type Delegation, mostFrequent, readGlue, sorted } from './delegation.ts';
import { denialIn, parentWord } from './parent-word.ts';

type SetCode = 'ns-inconsistent' | 'ns-parent-child-mismatch' | 'ns-parent-child-disjoint';

/** Judges whether parent, zone and servers agree on who the name servers are. */
export function judgeSets(facts: DnsFacts, { parent, child, isReferred }: Delegation): Verdicts<SetCode> {
  const inconsistent = judgeConsistency(facts);
  const told = (verdict: Verdict): Verdicts<SetCode> => ({
    'ns-inconsistent': inconsistent,
    ...eachOf(['ns-parent-child-mismatch', 'ns-parent-child-disjoint'], verdict),
  });
  if (parent === null) return told(notTested('the parent’s name servers gave no delegation'));
  if (child === null) return told(notTested('the zone’s own NS were not seen'));
  if (!isReferred) return told('not-applicable');
  const parentOnly = parent.filter((name) => !child.includes(name));
  const childOnly = child.filter((name) => !parent.includes(name));
  const differs = parentOnly.length + childOnly.length > 0;
  const isDisjoint = parentOnly.length === parent.length;
  const fix = {
    text: `If the zone is right, enter exactly these name servers at the registrar: ${list(child)}.`,
  };
  const seen = { parentOnly: list(parentOnly), childOnly: list(childOnly) };
  return {
    'ns-inconsistent': inconsistent,
    'ns-parent-child-mismatch': isDisjoint ? 'not-applicable' : brokenIf(differs, seen, fix),
    'ns-parent-child-disjoint': brokenIf(isDisjoint, seen, fix),
  };
}

/** Judges that the parent's servers refer to the same name servers, with the same addresses. */
export function judgeParents({ evidence, domain }: DnsFacts): Verdict {
  const seen = evidence.referrals.flatMap((answer) => {
    if (answer.kind === 'failure' || recordsAt(answer.authority, domain, 'NS').length === 0) return [];
    const names = delegatedNames([answer], domain);
    const lines = names
      .toSorted()
      .map((name) => [name, ...(isInZone(name, domain) ? sorted(glueOf([answer], name)) : [])].join(' '));
    return [{ ip: answer.server, names: lines.join(', ') }];
  });
  if (seen.length < 2) return notTested('fewer than two of the parent’s name servers gave a delegation');
  const others = mostFrequent(seen.map(({ names }) => names));
  const known = evidence.parentServers ?? seen.length;
  return brokenBy(
    seen
      .filter(({ names }) => names !== others)
      .map((one) => ({ ...one, others, known, asked: evidence.referrals.length })),
  );
}

/**
 * Judges that no server of the parent denies the delegation that others have. It is reported where it was seen twice in the run: by two servers, or
 * by one that was asked twice.
 */
export function judgeParentDenial({ evidence, domain }: DnsFacts): Verdict {
  const words = evidence.referrals.map((answer) => ({ answer, word: parentWord(answer, domain) }));
  const known = words.filter(({ word }) => word !== undefined);
  if (known.length < 2)
    return notTested('fewer than two of the parent’s name servers spoke of the delegation');
  const denials = known.filter(({ word }) => word === 'denies');
  const again = (evidence.parentAgain ?? []).filter((answer) => parentWord(answer, domain) === 'denies');
  if (denials.length === known.length || denials.length + again.length < 2) return 'holds';
  return brokenBy(
    denials.map(({ answer }) => ({
      ip: answer.server ?? '',
      zone: domain,
      answer: denialIn(answer, domain),
      denying: denials.length,
      asked: known.length,
    })),
  );
}

function judgeConsistency({ authoritative, servers }: DnsFacts): Verdict {
  const spoke = authoritative.flatMap((server) =>
    server.nsNames === null ? [] : [{ server, names: server.nsNames.join(', ') }],
  );
  if (spoke.length === 0) return notTested('no name server gave its NS records');
  if (spoke.length < Math.min(2, servers.length))
    return notTested('only one name server gave its NS records');
  const usual = mostFrequent(spoke.map(({ names }) => names));
  return brokenBy(
    spoke
      .filter(({ names }) => names !== usual)
      .map(({ server, names }) => ({ ...named(server), names, others: usual })),
  );
}

/** Judges the addresses that the parent gives for name servers: it must for those inside the domain, and may for others in its own zone. */
export function judgeGlue(
  facts: DnsFacts,
): Verdicts<'ns-glue-mismatch' | 'ns-glue-missing' | 'ns-glue-incomplete'> {
  const glue = readGlue(facts);
  if (glue === null || glue.length === 0) {
    const why: Verdict =
      glue === null && facts.evidence.referrals.every((answer) => readAnswer(answer).state === 'unknown')
        ? notTested('the parent’s name servers gave no referral')
        : 'not-applicable';
    return eachOf(['ns-glue-mismatch', 'ns-glue-missing', 'ns-glue-incomplete'], why);
  }
  const compared = glue.flatMap((one) => {
    const host = facts.evidence.hosts.find(({ name }) => name === one.server);
    return host && addressesOf(host).length > 0 ? [{ ...one, host }] : [];
  });
  const wrong = compared.flatMap(({ server, addresses, host }) => {
    const strange = addresses.filter((address) => isStrange(address, host));
    return strange.length === 0 ? [] : [{ server, glue: list(strange), address: list(addressesOf(host)) }];
  });
  const incomplete = compared.flatMap(({ server, addresses, host, isInside }) => {
    // Of others the parent may give what it likes.
    if (!isInside) return [];
    const lacking = addressesOf(host).filter((address) => !addresses.includes(address));
    // Where no address fits, the glue is wrong or missing, and says so by another rule.
    return lacking.length === 0 || lacking.length === addressesOf(host).length
      ? []
      : [{ server, glue: list(addresses), lacking: list(lacking) }];
  });
  const unseen = notTested('the servers’ own addresses were not seen');
  return {
    'ns-glue-mismatch': compared.length > 0 ? brokenBy(wrong) : unseen,
    'ns-glue-incomplete': compared.length > 0 ? brokenBy(incomplete) : unseen,
    'ns-glue-missing': brokenBy(
      glue
        .filter(({ addresses, isInside }) => isInside && addresses.length === 0)
        .map(({ server }) => ({ server, zone: facts.domain })),
    ),
  };
}

// A family whose lookup failed is not compared.
function isStrange(address: string, host: HostAnswers): boolean {
  const reading = readAnswer(isIpv6(address) ? host.AAAA : host.A);
  return reading.state !== 'unknown' && !addressesOf(host).includes(address);
}

function list(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.join(', ');
}
