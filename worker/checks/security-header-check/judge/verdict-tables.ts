import { brokenBy, type Evidence, type Verdict } from '#shared/model/verdict';
import type { HopFacts } from '../facts/page.ts';

/** Holds for what is absent, broken by what is there. */
export function brokenWhen(evidence: Evidence | undefined | false): Verdict {
  return evidence ? brokenBy([evidence]) : 'holds';
}

/** The verdict where there is something that the rule speaks of. */
export function where(isThere: boolean, verdict: Verdict): Verdict {
  return isThere ? verdict : 'not-applicable';
}

/** Where a field was met, and what it says, for evidence. */
export function fieldAt({ index, hop }: Pick<HopFacts, 'index' | 'hop'>, header: string, value: string) {
  return { hop: index, url: hop.url, header, value: cut(value) };
}

/** A text of the target, short enough to be shown. */
export function cut(text: string): string {
  return text.length > 500 ? `${text.slice(0, 500)}…` : text;
}
