import { corsRules } from '#shared/catalogue/security-header-check/rules/cross-origin';
import {
  allOf,
  brokenBy,
  type Evidence,
  isBroken,
  notTested,
  type Verdict,
  type Verdicts,
} from '#shared/model/verdict';
import type { Cors, CorsAnswer } from '../facts/cors.ts';
import { brokenWhen, cut, where } from './verdict-tables.ts';

/** Judges what other origins may read, from the answers to origins that nobody can have listed. */
export function judgeCors(cors: Cors, url: string): Verdicts<keyof typeof corsRules> {
  const { answers, failed, unansweredLookAlike } = cors;
  if (answers.length === 0)
    return allOf(corsRules, notTested(failed[0] ?? 'the page was not asked with an Origin'));
  const show = ({ method, origin, allowOrigin }: CorsAnswer): Evidence => ({
    url,
    method,
    origin,
    header: 'access-control-allow-origin',
    value: cut(allowOrigin ?? ''),
  });
  const made = answers.filter(({ origin }) => origin !== 'null');
  const nulls = answers.filter(({ origin }) => origin === 'null');
  const open = ({ allowsOrigin, credentials }: CorsAnswer) => allowsOrigin && credentials;
  const unasked = notTested(failed[0] ?? 'no made-up origin was tried');
  const forMade = (verdict: Verdict): Verdict => {
    if (made.length === 0) return unasked;
    // What was asked where a list seemed to be, and not answered, may be let in.
    return unansweredLookAlike === undefined || isBroken(verdict) ? verdict : notTested(unansweredLookAlike);
  };
  const isAllowing = answers.some(({ allowOrigin }) => allowOrigin !== null);
  const wildcards = answers.filter(({ allowsAll, credentials }) => allowsAll && credentials);
  const several = answers.filter(
    ({ lines, allowOrigin }) => lines > 1 || allowOrigin?.includes(',') === true,
  );
  const unmatchable = answers.filter(
    ({ allowOrigin, isMatchable }) => allowOrigin !== null && !isMatchable && !allowOrigin.includes(','),
  );
  return {
    'cors-reflects-origin-credentials': forMade(brokenBy(made.filter(open).map(show))),
    'cors-null-credentials':
      nulls.length === 0
        ? notTested(failed[0] ?? 'the origin null was not tried')
        : brokenBy(nulls.filter(open).map(show)),
    'cors-reflects-origin': forMade(
      brokenBy(made.filter(({ allowsOrigin, credentials }) => allowsOrigin && !credentials).map(show)),
    ),
    // Without Access-Control-Allow-Origin there is nothing that these speak of.
    'cors-wildcard-credentials': where(isAllowing, brokenBy(wildcards.slice(0, 1).map(show))),
    'cors-multiple-origins': where(isAllowing, brokenBy(several.slice(0, 1).map(show))),
    'cors-origin-invalid': where(isAllowing, brokenBy(unmatchable.slice(0, 1).map(show))),
    'cors-vary-missing': where(
      answers.some(({ method, allowsOrigin }) => method === 'GET' && allowsOrigin),
      brokenWhen(findUnvaried(answers, show)),
    ),
  };
}

// The answer to a GET depends on Origin when it repeats it.
function findUnvaried(
  answers: readonly CorsAnswer[],
  show: (answer: CorsAnswer) => Evidence,
): Evidence | undefined {
  const found = answers.find(
    ({ method, allowsOrigin, variesByOrigin }) => method === 'GET' && allowsOrigin && !variesByOrigin,
  );
  return found && show(found);
}
