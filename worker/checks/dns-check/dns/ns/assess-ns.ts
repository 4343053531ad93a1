import { nsRules } from '../../../../../shared/catalogue/dns-check/rules/ns.ts';
import { brokenBy, notTested, type Verdict, type Verdicts } from '../../../../../shared/model/verdict.ts';
import { forAll } from '../../verdicts.ts';
import type { DnsSight } from '../sight.ts';
import { readDelegation } from './delegation.ts';
import { addressUnseen, isUnseen, judgeAddresses } from './judge-addresses.ts';
import { judgeGlue, judgeSets } from './judge-delegation.ts';
import { judgeServers } from './judge-servers.ts';
import { inState } from './server-sight.ts';

export type NsCode = keyof typeof nsRules;

/** Judges the delegation and every name server. Nothing applies to a name that is no zone of its own. */
export function assessNs(sight: DnsSight): Verdicts<NsCode> {
  if (sight.zone.kind === 'inside') return forAll(nsRules, 'not-applicable');
  const delegation = readDelegation(sight);
  if (delegation.all.length === 0)
    return forAll(nsRules, notTested(`nobody named the domain’s name servers (${whyUnknown(sight)})`));
  return {
    ...judgeServers(sight),
    ...judgeAddresses(sight, delegation),
    ...judgeSets(sight, delegation),
    ...judgeGlue(sight),
    'ns-address-not-public': judgePublicity(sight),
  };
}

function judgePublicity({ servers, evidence }: DnsSight): Verdict {
  const hidden = inState(servers, 'forbidden').map(({ name }) => ({ server: name }));
  return hidden.length === 0 && evidence.hosts.some(isUnseen) ? addressUnseen : brokenBy(hidden);
}

function whyUnknown({ zone, apex }: DnsSight): string {
  if (zone.kind === 'unknown') return zone.why;
  return apex.NS.state === 'unknown' ? apex.NS.why : 'there is no NS record';
}
