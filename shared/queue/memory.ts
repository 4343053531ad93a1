import type { Job, QueueName } from '../model/job.ts';
import type { CallerJobs, JobQueue, QueueStats, Submitted } from '../ports/job-queue.ts';
import { giveSlot, regainSlot, resumeAll } from './memory-slots.ts';
import {
  bytesOf,
  end,
  enter,
  joinTurns,
  type MemoryState,
  openMemoryState,
  stateOf,
  takeReady,
  withdraw,
} from './memory-state.ts';
import { openMemoryWorker } from './memory-worker.ts';
import { pagePartyOf, tooManyPages, unserved } from './unavailable.ts';

type MemoryQueueOptions = {
  readonly hostConcurrency: number;
  /** Jobs of one host that may wait; beyond that a submit is `full`. */
  readonly lineLimit: number;
  /** Jobs that may wait, over all hosts; beyond that a submit is `full`. */
  readonly waitingLimit: number;
  /** What unfinished jobs may hold together, in bytes; where left out 256 MiB. */
  readonly waitingBytes?: number;
  /** Page loads that a caller may have unfinished; where left out they are not counted. */
  readonly pageLimit?: number;
};

const usualWaitingBytes = 256 * 1024 * 1024;

/** The queue of a single process: the same promises as the one over Redis, kept in memory. Jobs do not survive the process; a repeated GET starts them again. */
export function openMemoryJobQueue(options: MemoryQueueOptions): JobQueue {
  const memory = openMemoryState(options.hostConcurrency);
  return {
    submit: async (given, lineLimit = options.lineLimit) => submit(memory, options, given, lineLimit),
    withdraw: async (job) => withdraw(memory, job),
    onDone(listener) {
      memory.events.on('done', listener);
      return () => memory.events.off('done', listener);
    },
    look: async (_queue, jobId) => stateOf(memory, jobId),
    work(queue, slots, run, gaveUp) {
      const queueWorker = openMemoryWorker({
        queue,
        // A store in this process takes every report at once.
        concurrency: typeof slots === 'number' ? slots : slots.most,
        run,
        gaveUp,
        take: () => takeReady(memory, queue),
        end: (entry, ended) => end(memory, entry, ended),
        doorOf: (entry) => ({
          give: () => giveSlot(memory, entry),
          take: (signal) => regainSlot(memory, entry, signal),
        }),
      });
      memory.queueWorkers.add(queueWorker);
      queueWorker.wake();
      return {
        async close(graceMs) {
          memory.queueWorkers.delete(queueWorker);
          resumeAll(memory, queue);
          await queueWorker.close(graceMs);
        },
      };
    },
    deny: (queue, fix) => void memory.denied.set(queue, fix),
    jobsOf: async ({ caller }) => jobsOf(memory, caller),
    stats: async () => ({
      network: statsOf(memory, 'network'),
      browser: statsOf(memory, 'browser'),
      composite: statsOf(memory, 'composite'),
    }),
    clockOffsetMs: () => 0,
    ping: async () => true,
    async close(graceMs) {
      await Promise.all([...memory.queueWorkers].map((queueWorker) => queueWorker.close(graceMs)));
      for (const { timer } of memory.entries.values()) clearTimeout(timer);
      memory.events.removeAllListeners();
    },
  };
}

function submit(memory: MemoryState, options: MemoryQueueOptions, given: Job, lineLimit: number): Submitted {
  const earlier = memory.byKey.get(given.jobKey);
  if (earlier !== undefined) {
    joinTurns(memory, earlier, given);
    return { state: 'joined', jobId: earlier };
  }
  // Through JSON, as over Redis: what would be lost there is lost here too.
  const job = JSON.parse(JSON.stringify(given)) as Job;
  checkIsServed(memory, job);
  checkPages(memory, job, options.pageLimit);
  if (isFull(memory, job, options)) return { state: 'full', jobId: job.jobId };
  return enter(memory, job, lineLimit);
}

// Before the first worker starts, nothing is known of who will serve what.
function checkIsServed({ queueWorkers, denied }: MemoryState, { queue }: Job): void {
  const isKnown = queueWorkers.size > 0 || denied.has(queue);
  if (isKnown && ![...queueWorkers].some((queueWorker) => queueWorker.queue === queue))
    throw unserved(denied.get(queue), queue);
}

function checkPages({ pages }: MemoryState, job: Job, limit: number | undefined): void {
  if (limit === undefined || job.queue !== 'browser') return;
  const most = job.pages ?? limit;
  if ((pages.get(pagePartyOf(job)) ?? 0) >= most) throw tooManyPages(most);
}

function isFull(
  memory: MemoryState,
  job: Job,
  { waitingLimit, waitingBytes = usualWaitingBytes }: MemoryQueueOptions,
): boolean {
  return memory.entries.size >= waitingLimit || memory.heldBytes + bytesOf(job) > waitingBytes;
}

/** The counts of one queue. */
function statsOf({ entries }: MemoryState, queue: QueueName): QueueStats {
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
function jobsOf({ entries }: MemoryState, caller: string): CallerJobs {
  const counts = { running: 0, waiting: 0 };
  for (const { job, state } of entries.values())
    if (job.caller === caller) counts[state === 'running' ? 'running' : 'waiting'] += 1;
  return counts;
}
