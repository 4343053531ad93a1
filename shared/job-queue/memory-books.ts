import { EventEmitter } from 'node:events';
import { LRUCache } from 'lru-cache';
import type { Job, QueueName } from '../model/job.ts';
import {
  emptyLine,
  type HostLine,
  hasRoom,
  isEmpty,
  leave,
  park,
  type SlotQueue,
  takeNext,
} from './host-line.ts';
import { beginTurn, countHeld, drawTurn, noPageTurns, type PageTurns } from './page-turns.ts';
import {
  type Done,
  type JobState,
  notStarted,
  type Progress,
  type QueueStats,
  type Submitted,
} from './port.ts';

export type Entry = {
  readonly job: Job;
  /** Since when it waits for what it waits for now: its host, or a worker; in the ms of `performance.now()`. */
  since: number;
  /** What it holds of the queue's memory. */
  readonly bytes: number;
  /** Its caller's turn among page loads; 0 in the other queues. */
  readonly turn: number;
  state: 'ready' | 'parked' | 'running';
  progress: Progress;
  readonly timer: NodeJS.Timeout;
};

/** What is told when a job of its queue may run. */
type Wakeable = { readonly queue: QueueName; wake(): void; close(graceMs: number): Promise<void> };

/** Everything that the memory queue knows. */
export type Books = {
  readonly hostConcurrency: number;
  readonly entries: Map<string, Entry>;
  /** jobKey → jobId of unfinished work. */
  readonly byKey: Map<string, string>;
  readonly hosts: Map<string, HostLine>;
  readonly pages: PageTurns;
  /** Job ids that may run, in order. */
  readonly ready: Record<QueueName, string[]>;
  /** Jobs that ended, for a while. */
  readonly ended: LRUCache<string, JobState>;
  readonly events: EventEmitter<{ done: [Done] }>;
  readonly crews: Set<Wakeable>;
  /** Queues that should be served and cannot: what must be done. */
  readonly denied: Map<QueueName, string>;
  /** What all unfinished jobs hold. */
  heldBytes: number;
};

/** What a job holds beside its texts: objects, places in maps, a timer. Measured with 50,000 jobs of 353 bytes: RSS grew by 3,059 each. */
const objectBytes = 2700;
/** Of the jobs that ended, as many as fit are remembered. */
const endedBytes = 32 * 1024 * 1024;

/** What a job holds while it is in the books, in bytes. A target may have 2,048 characters, so jobs are not all of one size. */
export function bytesOf(job: Job): number {
  return objectBytes + JSON.stringify(job).length;
}

/** Opens empty books. */
export function openBooks(hostConcurrency: number): Books {
  return {
    hostConcurrency,
    entries: new Map(),
    byKey: new Map(),
    hosts: new Map(),
    pages: noPageTurns(),
    ready: { network: [], browser: [], composite: [] },
    ended: new LRUCache({
      maxSize: endedBytes,
      ttl: 600_000,
      sizeCalculation: (ended) => ('job' in ended ? bytesOf(ended.job) : objectBytes),
    }),
    events: new EventEmitter<{ done: [Done] }>().setMaxListeners(0),
    crews: new Set(),
    denied: new Map(),
    heldBytes: 0,
  };
}

/** Writes a job down, and lets it run or wait for a slot of its host; where it would be more than `lineLimit` that wait, it is not kept. */
export function enter(books: Books, job: Job, lineLimit: number): Submitted {
  const { queue } = job;
  if (queue !== 'composite') return enterLine(books, { ...job, queue }, lineLimit);
  makeReady(books, writeDown(books, job));
  return { state: 'admitted', jobId: job.jobId };
}

type SlotJob = Job & { readonly queue: SlotQueue };

function enterLine(books: Books, job: SlotJob, lineLimit: number): Submitted {
  const { jobId, queue, host } = job;
  const line = books.hosts.get(host) ?? emptyLine();
  const waiting = line.parked[queue].length;
  const mustWait = waiting > 0 || !hasRoom(line, queue, books.hostConcurrency);
  if (mustWait && waiting >= lineLimit) return { state: 'full', jobId };
  books.hosts.set(host, line);
  const entry = writeDown(books, job);
  if (mustWait) return { state: 'parked', jobId, position: park(line, queue, jobId, job.caller) };
  line.slots.set(jobId, queue);
  makeReady(books, entry);
  return { state: 'admitted', jobId };
}

function writeDown(books: Books, job: Job): Entry {
  const timer = setTimeout(() => expire(books, job.jobId), Math.max(0, job.startBy - Date.now())).unref();
  const isPage = job.queue === 'browser';
  const turn = isPage ? drawTurn(books.pages, job.caller) : 0;
  if (isPage) countHeld(books.pages, job.caller, 1);
  const bytes = bytesOf(job);
  books.heldBytes += bytes;
  const entry: Entry = {
    job,
    since: performance.now(),
    bytes,
    turn,
    state: 'parked',
    progress: notStarted,
    timer,
  };
  books.entries.set(job.jobId, entry);
  books.byKey.set(job.jobKey, job.jobId);
  return entry;
}

/** Takes the next job that may run, marked as running. */
export function takeReady(books: Books, queue: QueueName): Entry | undefined {
  const entry = books.entries.get(books.ready[queue].shift() ?? '');
  if (!entry) return undefined;
  entry.state = 'running';
  if (queue === 'browser') beginTurn(books.pages, entry.turn);
  return entry;
}

export type Ended = Pick<Done, 'state' | 'tookMs'>;

/** Strikes a job out, hands its slot on and tells everybody. */
export function end(books: Books, { job, timer, bytes }: Entry, { state, tookMs }: Ended): void {
  clearTimeout(timer);
  books.entries.delete(job.jobId);
  books.heldBytes -= bytes;
  books.byKey.delete(job.jobKey);
  books.ended.set(job.jobId, { state, job });
  if (job.queue === 'browser') countHeld(books.pages, job.caller, -1);
  releaseSlot(books, job);
  const { jobKey, jobId, queue, host, reportId } = job;
  books.events.emit('done', { jobKey, jobId, queue, host, reportId, state, tookMs });
}

/** What is known of a job. */
export function stateOf(books: Books, jobId: string): JobState {
  const entry = books.entries.get(jobId);
  if (!entry) return books.ended.get(jobId) ?? { state: 'unknown' };
  if (entry.state === 'running') return { state: 'running', progress: entry.progress, job: entry.job };
  return { state: 'waiting', position: positionOf(books, entry), job: entry.job };
}

// A waiting job's place: among those that may run, or in its host's line; 1 is next.
function positionOf(books: Books, { job, state }: Entry): number {
  if (state === 'ready') return books.ready[job.queue].indexOf(job.jobId) + 1;
  const waiting = books.hosts.get(job.host)?.parked[job.queue as SlotQueue] ?? [];
  return waiting.findIndex(({ jobId }) => jobId === job.jobId) + 1;
}

/** The counts of one queue. */
export function statsOf({ entries }: Books, queue: QueueName): QueueStats {
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

function makeReady(books: Books, entry: Entry): void {
  const { queue, jobId } = entry.job;
  entry.state = 'ready';
  entry.since = performance.now();
  const waiting = books.ready[queue];
  let at = waiting.length;
  while (at > 0 && (books.entries.get(waiting[at - 1] ?? '')?.turn ?? 0) > entry.turn) at -= 1;
  waiting.splice(at, 0, jobId);
  for (const crew of books.crews) if (crew.queue === queue) crew.wake();
}

function releaseSlot(books: Books, job: Job): void {
  const line = books.hosts.get(job.host);
  if (!line || job.queue === 'composite') return;
  leave(line, job.jobId);
  for (let next = takeNext(line, books.hostConcurrency); next; next = takeNext(line, books.hostConcurrency)) {
    line.slots.set(next.jobId, next.queue);
    const entry = books.entries.get(next.jobId);
    if (entry) makeReady(books, entry);
  }
  if (isEmpty(line)) books.hosts.delete(job.host);
}

function expire(books: Books, jobId: string): void {
  const entry = books.entries.get(jobId);
  if (!entry || entry.state === 'running') return;
  const waiting = books.ready[entry.job.queue];
  if (entry.state === 'ready') waiting.splice(waiting.indexOf(jobId), 1);
  end(books, entry, { state: 'expired', tookMs: 0 });
}
