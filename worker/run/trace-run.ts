import type { Job } from '#shared/model/job';
import type { Span, Tracing } from '#shared/ports/tracing';

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
