import type { DnsFields } from '#shared/catalogue/dns-check/report';
import { climbCaa } from '../../../../dns/climb-caa.ts';
import type { DnsFacts } from '../facts.ts';
import { caaAnswersOf, issuersOf } from './judge.ts';

/** The report's `caa`. */
export function reportCaa(facts: DnsFacts, isFaulty: boolean): DnsFields['caa'] {
  const climb = climbCaa(facts.domain, caaAnswersOf(facts));
  if (climb.state !== 'found')
    return { state: climb.state, at: null, records: [], issue: null, issuewild: null };
  const { at, records } = climb;
  return {
    state: isFaulty ? 'invalid' : 'ok',
    at,
    records,
    issue: issuersOf(records, 'issue'),
    issuewild: issuersOf(records, 'issuewild'),
  };
}
