import { Problem } from '#shared/model/problem';

/** An error on its way between two processes. */
export type SentError = {
  readonly message: string;
  readonly stack: string | undefined;
  readonly code: string | undefined;
  /** Of a Problem alone. */
  readonly problem?: Pick<Problem, 'code' | 'detail' | 'retryAfterS' | 'policy'>;
};

/** Writes an error down. */
export function sendError(error: unknown): SentError {
  if (!(error instanceof Error)) return { message: String(error), stack: undefined, code: undefined };
  const { message, stack } = error;
  const code = 'code' in error ? String(error.code) : undefined;
  if (!(error instanceof Problem)) return { message, stack, code };
  const { detail, retryAfterS, policy } = error;
  return { message, stack, code, problem: { code: error.code, detail, retryAfterS, policy } };
}

/** The error as it was: a Problem, or an Error with the stack of the process where it rose. */
export function receiveError({ message, stack, code, problem }: SentError): Error {
  if (problem) {
    const { retryAfterS, policy } = problem;
    return new Problem(problem.code, problem.detail, {
      ...(retryAfterS === undefined ? {} : { retryAfterS }),
      ...(policy === undefined ? {} : { policy }),
    });
  }
  const error = new Error(message);
  if (stack !== undefined) error.stack = stack;
  return code === undefined ? error : Object.assign(error, { code });
}
