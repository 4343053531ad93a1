import { climbCaa } from '../../../../dns/climb-caa.ts';
import type { DnsSight } from '../sight.ts';
import { caaAnswersOf, issuersOf } from './assess-caa.ts';

/** The report's `caa`. */
export function showCaa(sight: DnsSight, isFaulty: boolean) {
  const climb = climbCaa(sight.domain, caaAnswersOf(sight));
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
