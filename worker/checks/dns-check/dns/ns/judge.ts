import { nsRules } from '#shared/catalogue/dns-check/rules/ns';
import { allOf, brokenBy, notTested, type Verdict, type Verdicts } from '#shared/model/verdict';
import { brokenBySeen } from '../../verdicts.ts';
import type { DnsFacts } from '../facts.ts';
import { inState } from '../servers/server-facts.ts';
import { readDelegation } from './delegation.ts';
import { addressUnseen, isUnseen, judgeAddresses } from './judge-addresses.ts';
import { judgeNoneAnswers } from './judge-dead.ts';
import { judgeGlue, judgeParentDenial, judgeParents, judgeSets } from './judge-delegation.ts';
import { judgeOrigins } from './judge-origins.ts';
import { judgeServers } from './judge-servers.ts';

type NsCode = keyof typeof nsRules;

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
    'ns-parent-denies': judgeParentDenial(facts),
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

/** Judges that no name server gives the zone to anybody who asks. A server that closes the connection has refused in its own way. */
function judgeTransfers({ domain, evidence: { transfers } }: DnsFacts): Verdict {
  if (transfers === undefined) return notTested('zone transfers are not tried here (PROBE_AXFR is off)');
  const open = transfers.flatMap(({ name, address, answer }) =>
    answer.kind === 'open' && answer.records > 0 ? [{ server: name, ip: address, zone: domain }] : [],
  );
  if (transfers.length === 0) return notTested('no name server could be asked for a transfer by TCP');
  const reasons = transfers.flatMap(({ answer }) => (answer.kind === 'failure' ? [answer.reason] : []));
  const [first] = reasons;
  const isUnseen = first !== undefined && reasons.length === transfers.length;
  return brokenBySeen(open, isUnseen ? notTested(first) : undefined);
}
