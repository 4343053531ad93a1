import { codesOf, type Rule, type Verdict, type Verdicts } from '../../../../shared/model/verdict.ts';

/** One verdict for a whole table of rules, where nothing of it could be looked at. */
export function sameForAll<Code extends string>(
  rules: { readonly [C in Code]: Rule },
  verdict: Verdict,
): Verdicts<Code> {
  const verdicts = Object.fromEntries(codesOf(rules).map((code) => [code, verdict]));
  return verdicts as Verdicts<Code>;
}

/** The TXT record to publish, as a fix. */
export function publish(text: string, name: string, value: string, type = 'TXT') {
  return { text, record: { name, type, value } };
}
