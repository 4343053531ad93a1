import { EventEmitter } from 'node:events';
import { LRUCache } from 'lru-cache';
import type { Job, QueueName } from '../model/job.ts';
import type { CallerJobs, JobQueue, JobState, QueueStats, Submitted } from '../ports/job-queue.ts';
import { openMemoryWorker } from './delivery/memory-worker.ts';
import { openHostSlots } from './scheduler/memory-hosts.ts';
import {
  bytesOf,
  enter,
  isRunning,
  join,
  type Memory,
  type MemoryEvents,
  placeOf,
  toldMs,
  wake,
  withdraw,
} from './scheduler/memory-jobs.ts';
import { openParty } from './scheduler/memory-turns.ts';
import { pageLimitsOf, tooManyPages, unserved } from './unavailable.ts';

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
/** What is remembered of ends: as many as fit. */
const endedBytes = 64 * 1024 * 1024;
/** What one of them holds beside its texts. */
const toldBytes = 1000;

function openMemory(hostConcurrency: number): Memory {
  return {
    entries: new Map(),
    byKey: new Map(),
    hosts: openHostSlots(hostConcurrency),
    pools: {
      network: openParty('network'),
      browser: openParty('browser'),
      composite: openParty('composite'),
    },
    pages: new Map(),
    ended: new LRUCache({
      maxSize: endedBytes,
      sizeCalculation: ({ job }) => toldBytes + JSON.stringify(job).length,
    }),
    events: new EventEmitter<MemoryEvents>().setMaxListeners(0),
    workers: new Set(),
    denied: new Map(),
    seq: 0,
    heldBytes: 0,
  };
}

/** The queue of a single process: the same promises as the one over Redis, kept in memory. Jobs do not survive the process; a repeated GET starts them again. */
export function openMemoryJobQueue(options: MemoryQueueOptions): JobQueue {
  const memory = openMemory(options.hostConcurrency);
  const { events, workers, entries } = memory;
  return {
    submit: async (job, hostWaitingLimit = options.hostWaitingLimit) =>
      submit(memory, { ...options, hostWaitingLimit }, job),
    withdraw: async (job) => withdraw(memory, job),
    onDone(listener) {
      events.on('done', listener);
      return () => events.off('done', listener);
    },
    onEvent(listener) {
      events.on('event', listener);
      return () => events.off('event', listener);
    },
    count: (queue, event) => void events.emit('event', queue, event, 1),
    async tell(job) {
      const entry = entries.get(job.jobId);
      const end = memory.ended.get(job.jobId);
      if (entry) entry.isTold = true;
      else if (end) memory.ended.set(job.jobId, end, { ttl: toldMs });
    },
    look: async (jobId) => look(memory, jobId),
    // A store in this process takes every report at once.
    work: (queue, slots, run, gaveUp) =>
      openMemoryWorker(memory, { queue, slots: typeof slots === 'number' ? slots : slots.most, run, gaveUp }),
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
      for (const { timer } of entries.values()) clearTimeout(timer);
      events.removeAllListeners();
    },
  };
}

function submit(memory: Memory, options: MemoryQueueOptions, given: Job): Submitted {
  const { hosts, byKey, entries, heldBytes } = memory;
  const earlier = byKey.get(given.jobKey);
  if (earlier) {
    join(memory, earlier, given);
    wake(memory);
    return { state: 'joined', jobId: earlier.job.jobId };
  }
  // Through JSON, as over Redis: what would be lost there is lost here too.
  const job = JSON.parse(JSON.stringify(given)) as Job;
  const { jobId } = job;
  checkIsServed(memory, job);
  const pages = checkPages(memory, job, options.pageLimit);
  const isFull =
    entries.size >= options.waitingLimit ||
    heldBytes + bytesOf(job) > (options.waitingBytes ?? usualWaitingBytes) ||
    (hosts.mustWait(job) && hosts.lineOf(job).length >= options.hostWaitingLimit);
  if (isFull) return { state: 'full', jobId };
  const entry = enter(memory, job, pages);
  wake(memory, job.queue);
  return entry.at === 'host'
    ? { state: 'parked', jobId, position: placeOf(memory, entry) }
    : { state: 'admitted', jobId };
}

// Before the first worker starts, nothing is known of who will serve what.
function checkIsServed({ workers, denied }: Memory, { queue }: Job): void {
  const isKnown = workers.size > 0 || denied.has(queue);
  if (isKnown && ![...workers].some((worker) => worker.queue === queue))
    throw unserved(denied.get(queue), queue);
}

/** The names under which a page load counts. Throws where one of them has enough. */
function checkPages({ pages }: Memory, job: Job, most: number | undefined): readonly string[] {
  const limits = most === undefined ? [] : pageLimitsOf(job, most);
  if (limits.some(({ name, limit }) => (pages.get(name) ?? 0) >= limit))
    throw tooManyPages(limits[0]?.limit ?? 0);
  return limits.map(({ name }) => name);
}

/** What is known of a job. */
function look(memory: Memory, jobId: string): JobState {
  const entry = memory.entries.get(jobId);
  if (!entry) return memory.ended.get(jobId) ?? { state: 'unknown' };
  const { job, progress } = entry;
  if (isRunning(entry)) return { state: 'running', progress, job };
  return { state: 'waiting', position: placeOf(memory, entry), job };
}

/** The counts of one queue. */
function statsOf({ entries }: Memory, queue: QueueName): QueueStats {
  const counts = { waiting: 0, parked: 0, running: 0 };
  const now = performance.now();
  const oldest = { waiting: now, parked: now, running: now };
  for (const entry of entries.values()) {
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
function jobsOf({ entries }: Memory, caller: string): CallerJobs {
  const counts = { running: 0, waiting: 0 };
  for (const entry of entries.values())
    if (entry.caller.name === caller) counts[isRunning(entry) ? 'running' : 'waiting'] += 1;
  return counts;
}
