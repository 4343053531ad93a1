import type { Job } from '../../model/job.ts';
import type { Progress } from '../../ports/job-queue.ts';

/** Everything that decides whether a job runs now. */
export type Circumstances = {
  readonly job: Job;
  readonly state: 'waiting' | 'running' | 'done' | 'failed' | 'expired';
  /** What a job that waits does: for its host, for its caller's turn, for a worker that takes it, or it sleeps. */
  readonly waitsFor: 'host' | 'turn' | 'worker' | 'time';
  readonly progress: Progress;
  /** How long its check is held back, ms; 0 where it is not. */
  readonly pausedMs: number;
  /** A worker that serves its queue is alive. */
  readonly isServed: boolean;
  /** What must be done for a queue that a worker should serve and cannot. */
  readonly denied: string | undefined;
  /** Its place in the line of its host, or among its caller's jobs; 1 is next. */
  readonly place: number;
  /** Jobs that hold the places of its host. */
  readonly holders: readonly string[];
};

/** Says in one or two sentences why a job waits, or what became of it. */
export function sayWhy(seen: Circumstances): string {
  const { job, state, progress } = seen;
  if (state === 'running') {
    const { done, total, current } = progress;
    return `It runs: ${done} of ${total} questions are answered${current === '' ? '' : `, now ${current}`}.`;
  }
  if (state === 'expired') return 'It expired: its turn did not come within QUEUE_SECONDS.';
  if (state === 'failed')
    return 'It ended as failed. Its report says why, and the log of the worker has the error.';
  if (state === 'done') return `It is done. Its report is ${job.reportId}.`;
  return sayWait(seen);
}

function sayWait({ job, waitsFor, pausedMs, isServed, denied, place, holders }: Circumstances): string {
  const { queue, host, check } = job;
  if (pausedMs > 0)
    return `The check ${check} is paused for another ${Math.ceil(pausedMs / 1000)} s. "diag queue resume ${check}" ends that.`;
  if (waitsFor === 'host')
    return `It waits for its host ${host}, at place ${place} of the line. The places of this host are held by ${holders.join(', ') || 'nobody: the next job that ends there hands them on'}.`;
  if (denied !== undefined && !isServed) return `No worker can serve the queue ${queue}. ${denied}`;
  if (!isServed) return `No worker serves the queue ${queue}. Start one.`;
  if (waitsFor === 'turn')
    return `It waits for its caller's turn, at place ${place} of its caller's jobs: callers share the slots of the workers of the queue ${queue}.`;
  if (waitsFor === 'worker') return `It may run: a worker of the queue ${queue} has it, or takes it next.`;
  return `It sleeps, as something that it needs was away, and is tried again within seconds. "diag queue retry ${job.jobId}" tries it now.`;
}
