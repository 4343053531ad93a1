import { type Fields, readInteger, readNumberOrNull, readText, readTextOrNull } from './fields.ts';

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

/** The grant of a row. Throws for a row that does not fit. By hand: a schema took as long for a page as the query. */
export function readGrant(row: Fields): Grant {
  return {
    reportId: readText(row, 'reportId'),
    check: readText(row, 'check'),
    target: readText(row, 'target'),
    checkedAt: readInteger(row, 'checkedAt'),
    expiresAt: readInteger(row, 'expiresAt'),
    score: readNumberOrNull(row, 'score'),
    grade: readTextOrNull(row, 'grade'),
    state: readText(row, 'state'),
  };
}

/** A page of an account's history. */
export type HistoryQuestion = {
  readonly account: string;
  readonly target?: string | undefined;
  readonly check?: string | undefined;
  readonly limit: number;
  /** The last grant of the page before this one. */
  readonly before?: Pick<Grant, 'checkedAt' | 'reportId'> | undefined;
};

/** Which account was answered with which report; written once, before the answer, and gone with the report. */
export interface Grants {
  give(account: string, grant: Grant): Promise<void>;
  /** True when the report was given to this account, or to or for an anonymous caller. One look, whatever is true of the id. */
  isGiven(account: string, reportId: string): Promise<boolean>;
  /** Newest first; of two checked at once the greater id. */
  list(question: HistoryQuestion): Promise<Grant[]>;
}

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
