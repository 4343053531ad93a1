import { brokenBy, notTested, type Verdict, type Verdicts } from '#shared/model/verdict';
import { readAnswer } from '../../../../dns/read-answer.ts';
import { describeSlip } from '../../names.ts';
import type { HostAnswers } from '../evidence.ts';
import type { DnsFacts } from '../facts.ts';
import { addressesOf } from '../servers/addresses.ts';

/** Judges the name of the primary server. It need not answer us: a primary may be hidden (RFC 9499 §7), but its name exists. */
export function judgePrimary(
  mname: string,
  { domain, evidence: { hosts, primary } }: DnsFacts,
): Verdicts<'soa-mname-alias' | 'soa-mname-without-address'> {
  const host = [...hosts, ...(primary ? [primary] : [])].find(({ name }) => name === mname.toLowerCase());
  if (!host) {
    const unseen = notTested('the address of the primary server was not looked up');
    return { 'soa-mname-alias': unseen, 'soa-mname-without-address': unseen };
  }
  return { 'soa-mname-alias': judgeAlias(host), 'soa-mname-without-address': judgeAddress(host, domain) };
}

function readingsOf({ A, AAAA }: HostAnswers) {
  return [readAnswer(A), readAnswer(AAAA)];
}

function judgeAlias(host: HostAnswers): Verdict {
  const readings = readingsOf(host);
  const target = readings.flatMap(({ aliases }) => aliases)[0]?.target;
  if (target !== undefined) return brokenBy([{ mname: host.name, target }]);
  return readings.every(({ state }) => state === 'unknown') ? unheard : 'holds';
}

function judgeAddress(host: HostAnswers, domain: string): Verdict {
  if (addressesOf(host).length > 0) return 'holds';
  const readings = readingsOf(host);
  if (readings.some(({ state }) => state === 'unknown')) return unheard;
  const isGone = readings.some((reading) => reading.state === 'none' && reading.nxdomain);
  const reason = isGone ? 'does not exist' : 'has neither an A nor an AAAA record';
  return brokenBy([{ mname: host.name, reason, slip: describeSlip(host.name, domain) }]);
}

const unheard = notTested('the address of the primary server could not be looked up');
