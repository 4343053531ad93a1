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
};

/** A page of an account's history. */
export type HistoryQuestion = {
  readonly account: string;
  readonly target?: string | undefined;
  readonly check?: string | undefined;
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
}: Grant): Grant {
  return { reportId, check, target, checkedAt, expiresAt, score, grade, state };
}
