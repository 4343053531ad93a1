import type { DnsFields } from '../../../../../shared/catalogue/dns-check/report.ts';
import type { DnsSight } from '../sight.ts';
import { issuersOf } from './assess-caa.ts';
import { climbCaa } from './climb-caa.ts';

/** The report's `caa`. */
export function showCaa(sight: DnsSight, isFaulty: boolean): DnsFields['caa'] {
  const climb = climbCaa(sight);
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
