import { type RedirectCode, rules } from '#shared/catalogue/redirect-check/rules';
import type { Assessment } from '#shared/model/report';
import { score } from '#shared/model/score';
import { isBroken, type Verdicts } from '#shared/model/verdict';
import type { RedirectEvidence } from './evidence.ts';
import { redirectsOf } from './facts/chain.ts';
import { lengthRuleOf, pointsOfLength } from './judge/length.ts';

/**
 * The points that are left, and what the length of the chain takes of them: more with each redirect.
 * @param isWhole false where the page was not seen; then there is no score
 */
export function scoreRedirects(
  verdicts: Verdicts<RedirectCode>,
  { hops }: RedirectEvidence,
  isWhole: boolean,
): Pick<Assessment<RedirectCode>, 'score' | 'scoreEffects'> {
  const redirects = redirectsOf(hops).length;
  const rule = lengthRuleOf(redirects);
  if (!isWhole) return { score: null };
  const added = score(rules, verdicts);
  if (rule === undefined || !isBroken(verdicts[rule])) return { score: added };
  const points = pointsOfLength(redirects);
  return { score: Math.min(100, added + rules[rule].points - points), scoreEffects: { [rule]: -points } };
}
