import type { Job } from '#shared/model/job';
import type { Span, Tracing } from '#shared/tracing/port';
import type { ProbeFactory } from '../probes/open.ts';
import { traceQuestions } from './trace-questions.ts';

type Running = { readonly job: Job; readonly attempt: number; readonly probes: ProbeFactory };

/** A run with the span around it: its job names that span, and its probes tell each question. */
export type TracedRun = Omit<Running, 'attempt'> & { readonly span: Span };

/** Does a run inside a span of its own, below the one that asked for the job. */
export async function traceRun(
  tracing: Tracing,
  { job, attempt, probes }: Running,
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
  const told: ProbeFactory = {
    ...probes,
    open: (signal, owner) => traceQuestions(probes.open(signal, owner), tracing, span),
  };
  let failure: string | undefined = 'failed';
  try {
    const outcome = await act({ job: { ...job, trace: span.traceparent }, probes: told, span });
    failure = outcome;
    return outcome;
  } finally {
    span.end(failure);
  }
}
