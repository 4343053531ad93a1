import type { targetRules } from '../../../../shared/catalogue/security-header-check/rules/leakage.ts';
import { brokenBy, type Evidence, type Verdicts } from '../../../../shared/model/verdict.ts';
import type { Chain, HeaderEvidence } from '../evidence.ts';
import type { Page } from '../sight/page.ts';
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
  // One closed port of two is no failure, nor is it where the other leads astray; without any answer both are.
  const isSilent = https.hops.length + http.hops.length === 0;
  const unreachable = page
    ? []
    : unique.filter(({ code, isLater }) => !refusals.has(code) && (isSilent || isLater));
  return {
    'target-unreachable': brokenBy(unreachable.map(show)),
    'target-address-not-allowed': coded('target-address-not-allowed'),
    'target-not-allowed': coded('target-not-allowed'),
    'target-error-status': page
      ? brokenWhen(page.hop.status >= 400 && { hop: page.index, url: page.hop.url, status: page.hop.status })
      : 'not-applicable',
  };
}

type Failure = {
  readonly url: string;
  readonly code: string;
  readonly reason: string;
  readonly isLater: boolean;
};

function findFailure({ hops, end }: Chain): Failure[] {
  if (end.kind !== 'failed') return [];
  return [{ url: end.url, code: end.code, reason: end.reason, isLater: hops.length > 0 }];
}

function show({ url, code, reason }: Failure): Evidence {
  return { url, code, reason };
}
