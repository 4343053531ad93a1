import {
  brokenBy,
  codesOf,
  type Evidence,
  isBroken,
  type Rule,
  type Verdict,
  type Verdicts,
} from '../../../../shared/model/verdict.ts';
import type { SeenHop } from '../facts/page.ts';

/** The same verdict for every rule of a table. */
export function allOf<Code extends string>(
  table: { readonly [C in Code]: Rule },
  verdict: Verdict,
): Verdicts<Code> {
  return Object.fromEntries(codesOf(table).map((code) => [code, verdict])) as Verdicts<Code>;
}

/** Holds for what is absent, broken by what is there. */
export function brokenWhen(evidence: Evidence | undefined | false): Verdict {
  return evidence ? brokenBy([evidence]) : 'holds';
}

/** Another verdict in place of each that found nothing; what was seen to be broken stays so. */
export function unlessBroken<Code extends string>(verdicts: Verdicts<Code>, other: Verdict): Verdicts<Code> {
  return Object.fromEntries(
    codesOf(verdicts).map((code) => [code, isBroken(verdicts[code]) ? verdicts[code] : other]),
  ) as Verdicts<Code>;
}

/** The verdict where there is something that the rule speaks of. */
export function where(isThere: boolean, verdict: Verdict): Verdict {
  return isThere ? verdict : 'not-applicable';
}

/** Where a field was met, and what it says, for evidence. */
export function fieldAt({ index, hop }: Pick<SeenHop, 'index' | 'hop'>, header: string, value: string) {
  return { hop: index, url: hop.url, header, value: cut(value) };
}

/** A text of the target, short enough to be shown. */
export function cut(text: string): string {
  return text.length > 500 ? `${text.slice(0, 500)}…` : text;
}
