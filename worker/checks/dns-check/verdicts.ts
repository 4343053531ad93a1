import {
  brokenBy,
  codesOf,
  type Evidence,
  type Fix,
  type Rule,
  type Verdict,
  type Verdicts,
} from '../../../shared/model/verdict.ts';

/** One verdict for a whole table of rules, where nothing of it could be looked at. */
export function forAll<Code extends string>(
  rules: { readonly [C in Code]: Rule },
  verdict: Verdict,
): Verdicts<Code> {
  const verdicts = Object.fromEntries(codesOf(rules).map((code) => [code, verdict]));
  return verdicts as Verdicts<Code>;
}

/**
 * Broken by what was seen; holds only where there was nothing more to see.
 * @param unseen the verdict where something was not seen; undefined where all was
 */
export function brokenBySeen(evidence: readonly Evidence[], unseen: Verdict | undefined, fix?: Fix): Verdict {
  return evidence.length === 0 ? (unseen ?? 'holds') : brokenBy(evidence, fix);
}

/** The TXT record to publish, as a fix. */
export function publish(text: string, name: string, value: string, type = 'TXT') {
  return { text, record: { name, type, value } };
}
