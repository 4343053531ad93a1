import { z } from 'zod';

/** Callers without a token share this account: what was given to one of them is no secret. */
export const anonymousAccount = 'anonymous';

// A grant as it must come out of a store, which others may have written to.
const grantSchema = z.object({
  reportId: z.string(),
  check: z.string(),
  target: z.string(),
  /** Unix ms, as is `expiresAt`. */
  checkedAt: z.int(),
  expiresAt: z.int(),
  score: z.number().nullable(),
  grade: z.string().nullable(),
  state: z.string(),
});

/** A report that a caller was answered with, and what a list of them shows. */
export type Grant = Readonly<z.infer<typeof grantSchema>>;

/** The grant of a row. Throws for a row that fits no schema of ours. */
export function readGrant(row: unknown): Grant {
  return grantSchema.parse(row);
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
