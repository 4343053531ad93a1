/** The account of all callers without a token. What one of them was given is no secret. */
export const anonymousAccount = 'anonymous';

/** An answer that a caller was given: the report, and the fields that the account's list shows. */
export type Grant = {
  readonly reportId: string;
  readonly check: string;
  readonly target: string;
  /** Unix ms, as is `expiresAt`. */
  readonly checkedAt: number;
  readonly expiresAt: number;
  readonly score: number | null;
  readonly grade: string | null;
  readonly state: string;
  /** The options that differ from the default, as JSON with sorted names; null for a grant of an earlier release. */
  readonly options: string | null;
  /** The version of the rules that judged it; null for a grant of an earlier release. */
  readonly rulesVersion: number | null;
};

/** Which page of an account's history is wanted. */
export type HistoryQuestion = {
  readonly account: string;
  readonly target?: string | undefined;
  readonly check?: string | undefined;
  /**
   * Only reports with exactly these options. `plain`: only those with default options, including reports of earlier releases that had no
   * others.
   */
  readonly options?: { readonly text: string } | 'plain' | undefined;
  /** Only reports checked at this time or later, Unix ms. */
  readonly since?: number | undefined;
  readonly limit: number;
  /** The last grant of the page before this one. */
  readonly before?: Pick<Grant, 'checkedAt' | 'reportId'> | undefined;
};

/** Makes the grant of a stored report. */
export function grantOf({
  reportId,
  check,
  target,
  checkedAt,
  expiresAt,
  score,
  grade,
  state,
  options,
  rulesVersion,
}: Grant): Grant {
  return { reportId, check, target, checkedAt, expiresAt, score, grade, state, options, rulesVersion };
}
