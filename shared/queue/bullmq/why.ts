import type { Job } from '../../model/job.ts';
import type { Progress } from '../../ports/job-queue.ts';
import type { Pause } from './pauses.ts';

/** Everything that decides whether a job runs now. Times are Unix ms of the shared clock. */
export type Circumstances = {
  readonly job: Job;
  readonly state: 'waiting' | 'running' | 'done' | 'failed' | 'expired';
  readonly nowMs: number;
  readonly progress: Progress;
  readonly pause: Pause | undefined;
  /** A worker that serves its queue is alive. */
  readonly isServed: boolean;
  /** What must be done for a queue that a worker should serve and cannot. */
  readonly denied: string | undefined;
  /** Its place in the line of its host, 1 is next; 0 where it does not stand there. */
  readonly place: number;
  readonly hasSlot: boolean;
  /** It waits for its caller's turn at the workers. */
  readonly waitsForTurn: boolean;
  /** Jobs that hold the slots of its host, as "<queue> <job id>". */
  readonly holders: readonly string[];
  /** Jobs that a free worker takes before it. */
  readonly ahead: number;
  /** When a job that was put to sleep looks again. */
  readonly wakesAt: number | undefined;
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

function sayWait({
  job,
  pause,
  isServed,
  denied,
  place,
  hasSlot,
  waitsForTurn,
  holders,
  ahead,
  wakesAt,
  nowMs,
}: Circumstances): string {
  const inS = (at: number) => `${Math.max(0, Math.ceil((at - nowMs) / 1000))} s`;
  const { kind, name } = pause ?? {};
  if (pause)
    return `The ${kind} ${name} is paused for another ${inS(pause.until)}. "diag queue resume ${name}" ends that.`;
  if (place > 0)
    return `It waits for its host ${job.host}, at place ${place} of the line. The slots of this host are held by ${holders.join(', ') || 'nobody: the next job that ends there hands them on'}.`;
  if (denied !== undefined && !isServed) return `No worker can serve the queue ${job.queue}. ${denied}`;
  if (!isServed) return `No worker serves the queue ${job.queue}. Start one.`;
  if (waitsForTurn)
    return `It waits for its caller's turn: callers share the slots of the workers of the queue ${job.queue} by the time that they hold them.`;
  if (wakesAt !== undefined) return saySleep(job, hasSlot, inS(wakesAt));
  return `It may run, and waits for a free worker of the queue ${job.queue}: ${ahead} jobs are taken before it.`;
}

function saySleep({ queue, host, jobId }: Job, hasSlot: boolean, left: string): string {
  if (hasSlot || queue === 'composite') return `It sleeps, and is taken again in ${left}.`;
  return `It sleeps, and asks for a slot of ${host} again in ${left}. "diag queue retry ${jobId}" jobAlarms it now.`;
}
