import type { Report } from '#shared/model/report';
import { DiagnosticsProblem, type TargetAnswer } from '../client/diagnostics.ts';

/** What became of a target, as it is printed and kept: a report, or why there is none. */
export type TargetOutcome = {
  readonly target: string;
  readonly report?: Report;
  readonly problem?: { readonly code: string; readonly status: number | null; readonly detail: string };
};

/** The outcome of an answer of the client. */
export function outcomeOf({ target, report, problem }: TargetAnswer<unknown>): TargetOutcome {
  if (!problem) return { target, report: report as Report };
  const isProblem = problem instanceof DiagnosticsProblem;
  return {
    target,
    problem: {
      code: isProblem ? problem.code : 'unknown',
      status: isProblem ? problem.status : null,
      detail: problem.message,
    },
  };
}

/** True when asking again would give the same: a report, or a target that is refused. */
export function isFinal({ report, problem }: TargetOutcome): boolean {
  return report !== undefined || problem?.status === 400 || problem?.status === 422;
}

/** The command line, or a file it names, is not what it should be: exit status 2, the message on stderr. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
