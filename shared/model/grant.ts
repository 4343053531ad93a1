/** Callers without a token share this account: what was given to one of them is no secret. */
export const anonymousAccount = 'anonymous';

/** A report that a caller was answered with, and what a list of them shows. */
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
  /** What it was asked beyond the default, as JSON with sorted names; null where an earlier release kept it. */
  readonly options: string | null;
  /** By which rules it was judged; null where an earlier release kept it. */
  readonly rulesVersion: number | null;
};

/** A page of an account's history. */
export type HistoryQuestion = {
  readonly account: string;
  readonly target?: string | undefined;
  readonly check?: string | undefined;
  /** Only of exactly these options; `plain`: only of default ones, with those of earlier releases that cannot have had others. */
  readonly options?: { readonly text: string } | 'plain' | undefined;
  /** Only what was checked then or later, Unix ms. */
  readonly since?: number | undefined;
  readonly limit: number;
  /** The last grant of the page before this one. */
  readonly before?: Pick<Grant, 'checkedAt' | 'reportId'> | undefined;
};

/** What a grant keeps of a stored report. */
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
