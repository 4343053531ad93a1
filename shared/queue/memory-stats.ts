import type { QueueName } from '../model/job.ts';
import type { CallerJobs, QueueStats } from '../ports/job-queue.ts';
import type { MemoryState } from './memory-state.ts';

/** The counts of one queue. */
export function statsOf({ entries }: MemoryState, queue: QueueName): QueueStats {
  const counts = { waiting: 0, parked: 0, running: 0 };
  const now = performance.now();
  const oldest = { ready: now, parked: now, running: now };
  for (const { job, state, since } of entries.values()) {
    if (job.queue !== queue) continue;
    counts[state === 'ready' ? 'waiting' : state] += 1;
    oldest[state] = Math.min(oldest[state], since);
  }
  return {
    ...counts,
    oldestWaitingMs: Math.round(now - oldest.ready),
    oldestParkedMs: Math.round(now - oldest.parked),
  };
}

/** Unfinished jobs of a caller. */
export function jobsOf({ entries }: MemoryState, caller: string): CallerJobs {
  const counts = { running: 0, waiting: 0 };
  for (const { job, state } of entries.values())
    if (job.caller === caller) counts[state === 'running' ? 'running' : 'waiting'] += 1;
  return counts;
}
