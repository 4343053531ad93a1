import { findingNow, type FindingNow } from '../catalogue/change.ts';
import { domainHealth } from '../catalogue/domain-health/spec.ts';
import type { Report } from '../model/report.ts';
import { targetOf, titleOf } from './report-words.ts';

/** What became of a finding whose check was made again. */
export type Recheck = FindingNow & { readonly check: string; readonly target: string; readonly code: string };

/** What a report says of the finding for which it was asked; undefined of a domain-health whose parts may not be asked again yet. */
export function recheckOf(report: Report, code: string): Recheck | undefined {
  const { check } = report;
  if (check !== domainHealth.name)
    return { check, target: targetOf(report), code, ...findingNow(report, code) };
  const { recheck } = report as { readonly recheck?: Recheck };
  return recheck?.code === code ? recheck : undefined;
}

/** "Fixed" and the sentence that says of what. */
export function recheckWords({ check, code, state, reason }: Recheck): {
  readonly word: string;
  readonly rest: string;
} {
  const title = `“${titleOf({ check }, code) ?? code}”`;
  const because = reason === undefined ? '' : `: ${reason}`;
  const words = {
    fixed: { word: 'Fixed', rest: `${title} is not found any more.` },
    found: { word: 'Still there', rest: `${title}.` },
    'not-tested': { word: 'Not known', rest: `${title} could not be tested this time${because}.` },
    'not-applicable': { word: 'No longer applies', rest: `${title} does not apply now.` },
    'not-judged': { word: 'No longer judged', rest: `${title} is judged by another rule now.` },
  };
  return words[state];
}
