import type { targetRules } from '../../../../shared/catalogue/security-header-check/rules/leakage.ts';
import { brokenBy, type Evidence, type Verdicts } from '../../../../shared/model/verdict.ts';
import type { Chain, HeaderEvidence } from '../evidence.ts';
import type { Page } from '../page.ts';
import { brokenWhen } from './verdict-tables.ts';

/** Says what could not be asked, and whether an error page was judged. */
export function judgeTarget(
  { https, http }: HeaderEvidence,
  page: Page | undefined,
): Verdicts<keyof typeof targetRules> {
  const failures = [https, http].flatMap(findFailure);
  const unique = [...new Map(failures.map((failure) => [failure.url, failure])).values()];
  const coded = (code: string) => brokenBy(unique.filter((failure) => failure.code === code).map(show));
  const refusals = new Set(['target-address-not-allowed', 'target-not-allowed']);
  // One closed port of two is no failure; without any page both are.
  const unreachable = page ? [] : unique.filter(({ code }) => !refusals.has(code));
  return {
    'target-unreachable': brokenBy(unreachable.map(show)),
    'target-address-not-allowed': coded('target-address-not-allowed'),
    'target-not-allowed': coded('target-not-allowed'),
    'target-error-status': page
      ? brokenWhen(page.hop.status >= 400 && { hop: page.index, url: page.hop.url, status: page.hop.status })
      : 'not-applicable',
  };
}

function findFailure({ end }: Chain): { url: string; code: string; reason: string }[] {
  return end.kind === 'failed' ? [{ url: end.url, code: end.code, reason: end.reason }] : [];
}

function show({ url, code, reason }: { url: string; code: string; reason: string }): Evidence {
  return { url, code, reason };
}
