import { EventEmitter } from 'node:events';
import { LRUCache } from 'lru-cache';
import type { Job, QueueName } from '../model/job.ts';
import type {
  CallerJobs,
  Done,
  GaveUp,
  JobQueue,
  JobState,
  QueueStats,
  QueueWorker,
  RunJob,
  Submitted,
} from '../ports/job-queue.ts';
import {
  end as strikeOut,
  enter,
  type Entry,
  give,
  isRunning,
  join,
  type MemoryScheduler,
  openMemoryScheduler,
  placeOf,
  stopWanting,
  take,
  wantBack,
  withdraw,
} from './memory-scheduler.ts';
import { type MemoryWorker, openMemoryWorker } from './memory-worker.ts';
import { pagePartyOf, tooManyPages, unserved } from './unavailable.ts';

type MemoryQueueOptions = {
  readonly hostConcurrency: number;
  /** Jobs of one host that may wait; beyond that a submit is `full`. */
  readonly hostWaitingLimit: number;
  /** Jobs that may wait, over all hosts; beyond that a submit is `full`. */
  readonly waitingLimit: number;
  /** What unfinished jobs may hold together, in bytes; where left out 256 MiB. */
  readonly waitingBytes?: number;
  /** Page loads that a caller may have unfinished; where left out they are not counted. */
  readonly pageLimit?: number;
};

const usualWaitingBytes = 256 * 1024 * 1024;
/** What a job holds beside its texts: objects, places in maps, a timer. Measured with 50,000 jobs of 353 bytes: RSS grew by 3,059 each. */
const objectBytes = 2700;
/** Of the jobs that ended, as many as fit are remembered. */
const endedBytes = 32 * 1024 * 1024;

/** What a job holds while it is in the memory, in bytes. A target may have 2,048 characters, so jobs are not all of one size. */
export function bytesOf(job: Job): number {
  return objectBytes + JSON.stringify(job).length;
}

type Memory = {
  readonly scheduler: MemoryScheduler;
  /** Unfinished page loads of each account, and of each caller without a token. */
  readonly pages: Map<string, number>;
  /** Jobs that ended, for a while. */
  readonly ended: LRUCache<string, JobState>;
  readonly events: EventEmitter<{ done: [Done] }>;
  readonly workers: Set<MemoryWorker>;
  /** Queues that should be served and cannot: what must be done. */
  readonly denied: Map<QueueName, string>;
  /** What all unfinished jobs hold. */
  heldBytes: number;
};

/** The queue of a single process: the same promises as the one over Redis, kept in memory. Jobs do not survive the process; a repeated GET starts them again. */
export function openMemoryJobQueue(options: MemoryQueueOptions): JobQueue {
  const memory: Memory = {
    scheduler: openMemoryScheduler(options.hostConcurrency),
    pages: new Map(),
    ended: new LRUCache({
      maxSize: endedBytes,
      ttl: 600_000,
      sizeCalculation: (ended) => ('job' in ended ? bytesOf(ended.job) : objectBytes),
    }),
    events: new EventEmitter<{ done: [Done] }>().setMaxListeners(0),
    workers: new Set(),
    denied: new Map(),
    heldBytes: 0,
  };
  const { scheduler, events, workers } = memory;
  return {
    submit: async (job, hostWaitingLimit = options.hostWaitingLimit) =>
      submit(memory, options, job, hostWaitingLimit),
    withdraw: async (job) => leave(memory, job),
    onDone(listener) {
      events.on('done', listener);
      return () => events.off('done', listener);
    },
    look: async (_queue, jobId) => look(memory, jobId),
    work: (queue, slots, run, gaveUp) =>
      // A store in this process takes every report at once.
      work(memory, { queue, concurrency: typeof slots === 'number' ? slots : slots.most, run, gaveUp }),
    deny: (queue, fix) => void memory.denied.set(queue, fix),
    jobsOf: async ({ caller }) => jobsOf(memory, caller),
    stats: async () => ({
      network: statsOf(memory, 'network'),
      browser: statsOf(memory, 'browser'),
      composite: statsOf(memory, 'composite'),
    }),
    nowMs: () => Date.now(),
    ping: async () => true,
    async close(graceMs) {
      await Promise.all([...workers].map((worker) => worker.close(graceMs)));
      for (const { timer } of scheduler.entries.values()) clearTimeout(timer);
      events.removeAllListeners();
    },
  };
}

type Work = {
  readonly queue: QueueName;
  readonly concurrency: number;
  readonly run: RunJob;
  readonly gaveUp: GaveUp;
};

function work(memory: Memory, given: Work): QueueWorker {
  const { scheduler, workers } = memory;
  const { queue } = given;
  const worker = openMemoryWorker({
    ...given,
    take: () => take(scheduler, queue, slotsOf(memory, queue)),
    end: (entry, ended) => end(memory, entry, ended),
    doorOf: (entry) => ({
      give() {
        give(entry);
        wake(memory);
      },
      take: (signal) => regain(memory, entry, signal),
    }),
  });
  workers.add(worker);
  worker.wake();
  return {
    async close(graceMs) {
      workers.delete(worker);
      // Where no worker is left that shares out places, runs that wait for one end without.
      if (slotsOf(memory, queue) === 0)
        for (const entry of scheduler.entries.values()) if (entry.job.queue === queue) entry.resume?.();
      await worker.close(graceMs);
    },
  };
}

/** Ends what one request wants of a job. */
function leave(memory: Memory, job: Job): boolean {
  const entry = memory.scheduler.byKey.get(job.jobKey);
  if (!entry || withdraw(memory.scheduler, job) !== 'left') return false;
  forget(memory, entry.job);
  wake(memory);
  return true;
}

function submit(
  memory: Memory,
  options: MemoryQueueOptions,
  given: Job,
  hostWaitingLimit: number,
): Submitted {
  const { scheduler } = memory;
  const { hosts } = scheduler;
  const earlier = scheduler.byKey.get(given.jobKey);
  if (earlier) {
    join(scheduler, earlier, given);
    wake(memory);
    return { state: 'joined', jobId: earlier.job.jobId };
  }
  // Through JSON, as over Redis: what would be lost there is lost here too.
  const job = JSON.parse(JSON.stringify(given)) as Job;
  const { jobId } = job;
  checkIsServed(memory, job);
  checkPages(memory, job, options.pageLimit);
  if (isFull(memory, job, options)) return { state: 'full', jobId };
  if (hosts.mustWait(job) && hosts.waitersOf(job).length >= hostWaitingLimit) return { state: 'full', jobId };
  memory.heldBytes += bytesOf(job);
  if (job.queue === 'browser') countPage(memory, job, 1);
  const entry = enter(scheduler, job, (late) => end(memory, late, { state: 'expired', tookMs: 0 }));
  wake(memory, job.queue);
  if (entry.at !== 'host') return { state: 'admitted', jobId };
  return { state: 'parked', jobId, position: placeOf(scheduler, entry) };
}

// Before the first worker starts, nothing is known of who will serve what.
function checkIsServed({ workers, denied }: Memory, { queue }: Job): void {
  const isKnown = workers.size > 0 || denied.has(queue);
  if (isKnown && ![...workers].some((worker) => worker.queue === queue))
    throw unserved(denied.get(queue), queue);
}

function checkPages({ pages }: Memory, job: Job, limit: number | undefined): void {
  if (limit === undefined || job.queue !== 'browser') return;
  const most = job.pages ?? limit;
  if ((pages.get(pagePartyOf(job)) ?? 0) >= most) throw tooManyPages(most);
}

function countPage({ pages }: Memory, job: Job, change: 1 | -1): void {
  const party = pagePartyOf(job);
  const count = (pages.get(party) ?? 0) + change;
  if (count > 0) pages.set(party, count);
  else pages.delete(party);
}

function isFull(
  { scheduler, heldBytes }: Memory,
  job: Job,
  { waitingLimit, waitingBytes = usualWaitingBytes }: MemoryQueueOptions,
): boolean {
  return scheduler.entries.size >= waitingLimit || heldBytes + bytesOf(job) > waitingBytes;
}

function forget(memory: Memory, job: Job): void {
  memory.heldBytes -= bytesOf(job);
  if (job.queue === 'browser') countPage(memory, job, -1);
}

/** The slots of all workers of a queue. */
function slotsOf({ workers }: Memory, queue: QueueName): number {
  let slots = 0;
  for (const worker of workers) if (worker.queue === queue) slots += worker.concurrency;
  return slots;
}

/** Something may run: of this queue, or of any, as a host may have let a job of another one go. */
function wake({ workers }: Memory, queue?: QueueName): void {
  for (const worker of workers) if (queue === undefined || worker.queue === queue) worker.wake();
}

/** Strikes a job out, hands its places on and tells everybody. */
function end(memory: Memory, entry: Entry, { state, tookMs }: Pick<Done, 'state' | 'tookMs'>): void {
  const { job } = entry;
  memory.ended.set(job.jobId, { state, job });
  strikeOut(memory.scheduler, entry);
  forget(memory, job);
  const { jobKey, jobId, queue, host, reportId } = job;
  memory.events.emit('done', { jobKey, jobId, queue, host, reportId, state, tookMs });
  wake(memory);
}

/** Waits until the run of an entry has its place again, at its caller's next turn. */
async function regain(memory: Memory, entry: Entry, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (slotsOf(memory, entry.job.queue) === 0) return;
  await new Promise<void>((resolve, reject) => {
    const abort = () => {
      stopWanting(entry);
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', abort, { once: true });
    wantBack(entry, () => {
      signal.removeEventListener('abort', abort);
      resolve();
    });
    wake(memory, entry.job.queue);
  });
}

/** What is known of a job. */
function look({ scheduler, ended }: Memory, jobId: string): JobState {
  const entry = scheduler.entries.get(jobId);
  if (!entry) return ended.get(jobId) ?? { state: 'unknown' };
  const { job, progress } = entry;
  if (isRunning(entry)) return { state: 'running', progress, job };
  return { state: 'waiting', position: placeOf(scheduler, entry), job };
}

/** The counts of one queue. */
function statsOf({ scheduler }: Memory, queue: QueueName): QueueStats {
  const counts = { waiting: 0, parked: 0, running: 0 };
  const now = performance.now();
  const oldest = { waiting: now, parked: now, running: now };
  for (const entry of scheduler.entries.values()) {
    if (entry.job.queue !== queue) continue;
    const kind = isRunning(entry) ? 'running' : entry.at === 'host' ? 'parked' : 'waiting';
    counts[kind] += 1;
    oldest[kind] = Math.min(oldest[kind], kind === 'parked' ? entry.born : entry.since);
  }
  return {
    ...counts,
    oldestWaitingMs: Math.round(now - oldest.waiting),
    oldestParkedMs: Math.round(now - oldest.parked),
  };
}

/** Unfinished jobs of a caller. */
function jobsOf({ scheduler }: Memory, caller: string): CallerJobs {
  const counts = { running: 0, waiting: 0 };
  for (const entry of scheduler.entries.values())
    if (entry.job.caller === caller) counts[isRunning(entry) ? 'running' : 'waiting'] += 1;
  return counts;
}
