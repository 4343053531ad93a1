import { nsRules } from '#shared/catalogue/dns-check/rules/ns';
import { allOf, brokenBy, notTested, type Verdict, type Verdicts } from '#shared/model/verdict';
import type { DnsFacts } from '../facts.ts';
import { inState } from '../servers/server-facts.ts';
import { readDelegation } from './delegation.ts';
import { addressUnseen, isUnseen, judgeAddresses } from './judge-addresses.ts';
import { judgeNoneAnswers } from './judge-dead.ts';
import { judgeGlue, judgeParents, judgeSets } from './judge-delegation.ts';
import { judgeOrigins } from './judge-origins.ts';
import { judgeServers } from './judge-servers.ts';
import { judgeTransfers } from './judge-transfers.ts';

export type NsCode = keyof typeof nsRules;

/** Judges the delegation and every name server. Nothing applies to a name that is no zone of its own. */
export function judgeNs(facts: DnsFacts): Verdicts<NsCode> {
  if (facts.zone.kind === 'inside') return allOf(nsRules, 'not-applicable');
  const delegation = readDelegation(facts);
  if (delegation.all.length === 0)
    return {
      ...allOf(nsRules, notTested(`the domain’s name servers could not be found (${whyUnknown(facts)})`)),
      'ns-none-answers': judgeNoneAnswers(facts),
    };
  const addresses = judgeAddresses(facts, delegation);
  return {
    ...judgeServers(facts),
    ...addresses,
    'ns-same-as': judgeOrigins(facts, delegation, addresses['ns-same-prefix']),
    ...judgeSets(facts, delegation),
    ...judgeGlue(facts),
    'ns-parent-inconsistent': judgeParents(facts),
    'zone-transfer-open': judgeTransfers(facts),
    'ns-address-not-public': judgePublicity(facts),
  };
}

function judgePublicity({ servers, evidence }: DnsFacts): Verdict {
  const hidden = inState(servers, 'forbidden').map(({ name }) => ({ server: name }));
  return hidden.length === 0 && evidence.hosts.some(isUnseen) ? addressUnseen : brokenBy(hidden);
}

function whyUnknown({ zone, apex }: DnsFacts): string {
  if (zone.kind === 'unknown') return zone.why;
  return apex.NS.state === 'unknown' ? apex.NS.why : 'there is no NS record';
}
