import {
  brokenBy,
  codesOf,
  type Evidence,
  type Rule,
  type Verdict,
  type Verdicts,
} from '../../../../shared/model/verdict.ts';
import type { SeenHop } from '../sight/page.ts';

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

/** Where a field was met, and what it says, for evidence. */
export function fieldAt({ index, hop }: Pick<SeenHop, 'index' | 'hop'>, header: string, value: string) {
  return { hop: index, url: hop.url, header, value: cut(value) };
}

/** A text of the target, short enough to be shown. */
export function cut(text: string): string {
  return text.length > 500 ? `${text.slice(0, 500)}…` : text;
}
