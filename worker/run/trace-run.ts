import type { Job } from '#shared/model/job';
import type { Attributes, Span, Tracing } from '#shared/ports/tracing';
import type { ProbeFactory } from '../probes/open.ts';
import { traceQuestions } from './trace-questions.ts';

/** A run with the span around it: its job names that span. */
export type TracedRun = { readonly job: Job; readonly span: Span };

/** Does a run inside a span of its own, below the one that asked for the job. */
export async function traceRun(
  tracing: Tracing,
  { job, attempt }: { readonly job: Job; readonly attempt: number },
  act: (run: TracedRun) => Promise<'failed' | undefined>,
): Promise<'failed' | undefined> {
  const span = tracing.start({
    name: `run ${job.check}`,
    kind: 'internal',
    parent: job.trace,
    attributes: {
      'diag.check': job.check,
      'diag.job.id': job.jobId,
      'diag.request.id': job.requestId,
      'diag.host': job.host,
      'diag.attempt': attempt,
    },
  });
  let failure: string | undefined = 'failed';
  try {
    const outcome = await act({ job: { ...job, trace: span.traceparent }, span });
    failure = outcome;
    return outcome;
  } finally {
    span.end(failure);
  }
}

type TracedProbes = {
  readonly probes: ProbeFactory;
  /** How many questions were asked, for the run's span, which may be in another process. */
  readonly counts: () => { readonly [name: string]: number | undefined } | undefined;
};

/** The probes of a run that tell each question as a span below the one that the job names. */
export function traceProbes(
  { probes, tracing }: { readonly probes: ProbeFactory; readonly tracing?: Tracing | undefined },
  { trace }: Pick<Job, 'trace'>,
): TracedProbes {
  if (!tracing || trace === undefined) return { probes, counts: () => undefined };
  let counted: Attributes | undefined;
  const run = { traceparent: trace, set: (attributes: Attributes) => void (counted = attributes) };
  return {
    probes: {
      ...probes,
      open: (signal, owner, slot) => traceQuestions(probes.open(signal, owner, slot), tracing, run),
    },
    counts: () => counted as ReturnType<TracedProbes['counts']>,
  };
}
