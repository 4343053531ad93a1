/** Severity of a broken rule, worst first. */
export const severities = ['critical', 'high', 'medium', 'low', 'info'] as const;
export type Severity = (typeof severities)[number];

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** What was seen that breaks a rule: flat JSON, shown to callers. `{name}` in the rule's detail is filled from the first piece. */
export type Evidence = { readonly [key: string]: Json };

/** The source of a rule: an RFC with its section ("RFC 9110 §15.4"), or a titled address. */
export type Reference =
  | `RFC ${number}`
  | `RFC ${number} §${string}`
  | { readonly title: string; readonly url: string };

/** How to fix a broken rule: prose and, where it helps, the DNS record or configuration lines to paste. */
export type Fix = {
  readonly text: string;
  readonly record?: { readonly name: string; readonly type: string; readonly value: string };
  /** The zone that holds `record`, and who runs its name servers where they say so. */
  readonly zone?: { readonly name: string; readonly host?: string | undefined };
  readonly snippets?: { readonly [server: string]: string };
  /** Of `snippets`: those that were never tried in such a server. */
  readonly notTried?: readonly string[];
};

export type Rule = {
  /** The part of the check that the rule belongs to ("spf"); left out where a check has no parts. */
  readonly part?: string;
  readonly severity: Severity;
  /** Points that a broken rule takes from 100. With 0 it only informs. */
  readonly points: number;
  /** States the fact, without a full stop. */
  readonly title: string;
  /** One or two sentences; `{key}` is replaced by that key of the first evidence. */
  readonly detail: string;
  /** Filled in like the detail. */
  readonly fix: string;
  readonly references: readonly Reference[];
  /** Codes that an older version of the same check used for this. A code of today is never in such a list. */
  readonly replaces?: readonly string[];
};

export type Rules = { readonly [code: string]: Rule };

/** What judgement says of one rule. `broken` has at least one piece of evidence: an empty object where the title says it all. */
export type Verdict =
  | 'holds'
  | 'not-applicable'
  | { readonly notTested: string }
  | { readonly broken: readonly Evidence[]; readonly fix?: Fix };

export type Verdicts<Code extends string = string> = { readonly [C in Code]: Verdict };

/** The rule could not be tested. @param why a clause that completes "not tested: …": lower case, no full stop */
export function notTested(why: string): Verdict {
  return { notTested: why };
}

/** Broken by each piece of evidence; holds when there is none. */
export function brokenBy(evidence: readonly Evidence[], fix?: Fix): Verdict {
  if (evidence.length === 0) return 'holds';
  return fix ? { broken: evidence, fix } : { broken: evidence };
}

/** Broken, with this evidence, if the claim is true; else it holds. */
export function brokenIf(claim: boolean, evidence: Evidence = {}, fix?: Fix): Verdict {
  return claim ? brokenBy([evidence], fix) : 'holds';
}

/** Tells a broken verdict from the other three. */
export function isBroken(verdict: Verdict): verdict is Extract<Verdict, { readonly broken: unknown }> {
  return typeof verdict === 'object' && 'broken' in verdict;
}

/** The same verdict for every rule of a table. */
export function allOf<Code extends string>(
  table: { readonly [C in Code]: unknown },
  verdict: Verdict,
): Verdicts<Code> {
  return eachOf(codesOf(table), verdict);
}

/** The same verdict for each of these codes. */
export function eachOf<Code extends string>(codes: readonly Code[], verdict: Verdict): Verdicts<Code> {
  return Object.fromEntries(codes.map((code) => [code, verdict])) as Verdicts<Code>;
}

/** Replaces every verdict that is not broken with another one. */
export function unlessBroken<Code extends string>(verdicts: Verdicts<Code>, other: Verdict): Verdicts<Code> {
  return Object.fromEntries(
    codesOf(verdicts).map((code) => [code, isBroken(verdicts[code]) ? verdicts[code] : other]),
  ) as Verdicts<Code>;
}

/** Something that was not looked at; `why` as in `notTested`, undefined where it was. */
export type BlindSpot<Code extends string> = {
  readonly why: string | undefined;
  /** What would speak of it. */
  readonly codes: readonly Code[];
  /** True where a rule that holds was seen to: only what does not seem to apply is open. */
  readonly holdsStay?: boolean;
};

/** The verdicts where something was not looked at: what rests on it neither holds nor is without use. What is broken all the same stays so. */
export function withBlindSpots<Code extends string>(
  verdicts: Verdicts<Code>,
  spots: readonly BlindSpot<Code>[],
): Verdicts<Code> {
  const open = new Map<Code, Verdict>();
  for (const { why, codes, holdsStay = false } of spots)
    for (const code of why === undefined ? [] : codes)
      if (verdicts[code] === 'not-applicable' || (verdicts[code] === 'holds' && !holdsStay))
        open.set(code, notTested(why ?? ''));
  return open.size === 0
    ? verdicts
    : { ...verdicts, ...(Object.fromEntries(open) as Partial<Verdicts<Code>>) };
}

/** The codes that are broken, in the table's order. */
export function codesBroken<Code extends string>(verdicts: Verdicts<Code>): Code[] {
  return codesOf(verdicts).filter((code) => isBroken(verdicts[code]));
}

/** The keys of a record of codes, typed as codes. */
export function codesOf<Code extends string>(record: { readonly [C in Code]: unknown }): Code[] {
  return Object.keys(record) as Code[];
}

/** What a parser gives for input that breaks its grammar: `malformed` is why, as a clause; `at` is the offset where reading stopped. */
export type Malformed = { readonly malformed: string; readonly at?: number };

/** Makes a Malformed. */
export function malformed(why: string, at?: number): Malformed {
  return at === undefined ? { malformed: why } : { malformed: why, at };
}

/** Tells a Malformed from what a parser read. */
export function isMalformed<T>(parsed: T | Malformed): parsed is Malformed {
  return (
    typeof parsed === 'object' &&
    parsed !== null &&
    'malformed' in parsed &&
    typeof parsed.malformed === 'string'
  );
}
