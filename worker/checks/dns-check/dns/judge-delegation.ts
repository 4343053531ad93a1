import {
  brokenBy,
  brokenIf,
  notTested,
  type Verdict,
  type Verdicts,
} from '../../../../shared/model/verdict.ts';
import { addressesOf } from './addresses.ts';
import { type Delegation, mostFrequent, readGlue } from './delegation.ts';
import { readAnswer } from './read-answer.ts';
import { named, type ServerSight } from './server-sight.ts';
import type { DnsSight } from './sight.ts';

type SetCode = 'ns-inconsistent' | 'ns-parent-child-mismatch' | 'ns-parent-child-disjoint';

/** Judges whether parent, zone and servers agree on who the name servers are. */
export function judgeSets(sight: DnsSight, { parent, child }: Delegation): Verdicts<SetCode> {
  const inconsistent = judgeConsistency(sight.authoritative);
  if (parent === null || child === null) {
    const why =
      parent === null ? 'the parent’s name servers gave no delegation' : 'the zone’s own NS were not seen';
    return {
      'ns-inconsistent': inconsistent,
      'ns-parent-child-mismatch': notTested(why),
      'ns-parent-child-disjoint': notTested(why),
    };
  }
  const parentOnly = parent.filter((name) => !child.includes(name));
  const childOnly = child.filter((name) => !parent.includes(name));
  const differs = parentOnly.length + childOnly.length > 0;
  const isDisjoint = parentOnly.length === parent.length;
  const seen = { parentOnly: list(parentOnly), childOnly: list(childOnly) };
  return {
    'ns-inconsistent': inconsistent,
    'ns-parent-child-mismatch': isDisjoint ? 'not-applicable' : brokenIf(differs, seen),
    'ns-parent-child-disjoint': brokenIf(isDisjoint, seen),
  };
}

function judgeConsistency(authoritative: readonly ServerSight[]): Verdict {
  const spoke = authoritative.flatMap((server) =>
    server.nsNames === null ? [] : [{ server, names: server.nsNames.join(', ') }],
  );
  if (spoke.length === 0) return notTested('no name server gave its NS records');
  const usual = mostFrequent(spoke.map(({ names }) => names));
  return brokenBy(
    spoke
      .filter(({ names }) => names !== usual)
      .map(({ server, names }) => ({ ...named(server), names, others: usual })),
  );
}

/** Judges the addresses that the parent gives for name servers inside the domain. */
export function judgeGlue(sight: DnsSight): Verdicts<'ns-glue-mismatch' | 'ns-glue-missing'> {
  const glue = readGlue(sight);
  if (glue === null || glue.length === 0) {
    const why: Verdict =
      glue === null && sight.evidence.referrals.every((answer) => readAnswer(answer).state === 'unknown')
        ? notTested('the parent’s name servers gave no referral')
        : 'not-applicable';
    return { 'ns-glue-mismatch': why, 'ns-glue-missing': why };
  }
  const compared = glue.flatMap(({ server, addresses }) => {
    const own = sight.evidence.hosts.filter(({ name }) => name === server).flatMap(addressesOf);
    return own.length === 0 ? [] : [{ server, addresses, own }];
  });
  const wrong = compared.flatMap(({ server, addresses, own }) => {
    const strange = addresses.filter((address) => !own.includes(address));
    return strange.length === 0 ? [] : [{ server, glue: list(strange), address: list(own) }];
  });
  return {
    'ns-glue-mismatch':
      compared.length > 0 ? brokenBy(wrong) : notTested('the servers’ own addresses were not seen'),
    'ns-glue-missing': brokenBy(
      glue
        .filter(({ addresses }) => addresses.length === 0)
        .map(({ server }) => ({ server, zone: sight.domain })),
    ),
  };
}

function list(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.join(', ');
}
