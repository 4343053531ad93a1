import type { Job } from '../../model/job.ts';
import type { JobQueue } from '../../ports/job-queue.ts';
import type { Span, Tracing } from '../../ports/tracing.ts';

/** The same queue; a job that belongs to a trace leaves a span where it is added, and one around its run. @param system as `messaging.system` names it */
export function traceTurns(jobQueue: JobQueue, tracing: Tracing, system: string): JobQueue {
  const begin = (kind: 'producer' | 'consumer', { queue, check, jobId, trace }: Job): Span =>
    tracing.start({
      name: kind === 'producer' ? `add ${queue}.${check}` : `process ${queue}`,
      kind,
      parent: trace,
      attributes: { 'messaging.system': system, 'bullmq.queue.name': queue, 'bullmq.job.id': jobId },
    });
  return {
    ...jobQueue,
    submit(job, hostWaitingLimit) {
      if (job.trace === undefined) return jobQueue.submit(job, hostWaitingLimit);
      const span = begin('producer', job);
      return ended(span, jobQueue.submit({ ...job, trace: span.traceparent }, hostWaitingLimit));
    },
    work: (queue, slots, run, gaveUp) =>
      jobQueue.work(
        queue,
        slots,
        (job, ...more) => {
          if (job.trace === undefined) return run(job, ...more);
          const span = begin('consumer', job);
          return ended(span, run({ ...job, trace: span.traceparent }, ...more));
        },
        gaveUp,
      ),
  };
}

async function ended<T>(span: Span, work: Promise<T>): Promise<T> {
  let failure: string | undefined = 'failed';
  try {
    const outcome = await work;
    failure = undefined;
    return outcome;
  } finally {
    span.end(failure);
  }
}
