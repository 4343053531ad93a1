import { EventEmitter } from 'node:events';
import { LRUCache } from 'lru-cache';
import type { Job, QueueName } from '../model/job.ts';
import { type Done, type JobState, notStarted, type Progress, type Submitted } from '../ports/job-queue.ts';
import { type CallerTurns, enterTurns, leaveTurns, noTurns, placeOf, takeTurn } from './caller-turns.ts';
import {
  emptyLine,
  type HostLine,
  hasRoom,
  isEmpty,
  leave,
  lift,
  park,
  type SlotQueue,
  takeNext,
} from './host-line.ts';
import { turnRules } from './turn-rules.ts';
import { pagePartyOf } from './unavailable.ts';

export type Entry = {
  readonly job: Job;
  /** Since when it waits for what it waits for now: its host, or a worker; in the ms of `performance.now()`. */
  since: number;
  /** What it holds of the queue's memory. */
  readonly bytes: number;
  state: 'ready' | 'parked' | 'running';
  /** Another request wants it, too. */
  isShared: boolean;
  /** Told when a run that had given up its slot has one again. */
  resume?: (() => void) | undefined;
  progress: Progress;
  readonly timer: NodeJS.Timeout;
};

/** What is told when a job of its queue may run. */
type Wakeable = {
  readonly queue: QueueName;
  readonly concurrency: number;
  wake(): void;
  close(graceMs: number): Promise<void>;
};

/** Everything that the memory queue knows. */
export type MemoryState = {
  readonly hostConcurrency: number;
  readonly entries: Map<string, Entry>;
  /** jobKey → jobId of unfinished work. */
  readonly byKey: Map<string, string>;
  readonly hosts: Map<string, HostLine>;
  /** Unfinished page loads of each account, and of each caller without a token. */
  readonly pages: Map<string, number>;
  /** Whose job is the next to run. */
  readonly turns: Readonly<Record<QueueName, CallerTurns>>;
  /** Jobs that ended, for a while. */
  readonly ended: LRUCache<string, JobState>;
  readonly events: EventEmitter<{ done: [Done] }>;
  readonly queueWorkers: Set<Wakeable>;
  /** Queues that should be served and cannot: what must be done. */
  readonly denied: Map<QueueName, string>;
  /** What all unfinished jobs hold. */
  heldBytes: number;
};

/** What a job holds beside its texts: objects, places in maps, a timer. Measured with 50,000 jobs of 353 bytes: RSS grew by 3,059 each. */
const objectBytes = 2700;
/** Of the jobs that ended, as many as fit are remembered. */
const endedBytes = 32 * 1024 * 1024;

/** What a job holds while it is in the memory, in bytes. A target may have 2,048 characters, so jobs are not all of one size. */
export function bytesOf(job: Job): number {
  return objectBytes + JSON.stringify(job).length;
}

/** Opens empty memory. */
export function openMemoryState(hostConcurrency: number): MemoryState {
  return {
    hostConcurrency,
    entries: new Map(),
    byKey: new Map(),
    hosts: new Map(),
    pages: new Map(),
    turns: {
      network: noTurns(turnRules.network),
      browser: noTurns(turnRules.browser),
      composite: noTurns(turnRules.composite),
    },
    ended: new LRUCache({
      maxSize: endedBytes,
      ttl: 600_000,
      sizeCalculation: (ended) => ('job' in ended ? bytesOf(ended.job) : objectBytes),
    }),
    events: new EventEmitter<{ done: [Done] }>().setMaxListeners(0),
    queueWorkers: new Set(),
    denied: new Map(),
    heldBytes: 0,
  };
}

/** Writes a job down, and lets it run or wait for a slot of its host; where it would be more than `lineLimit` that wait, it is not kept. */
export function enter(memory: MemoryState, job: Job, lineLimit: number): Submitted {
  const { queue } = job;
  if (queue !== 'composite') return enterLine(memory, { ...job, queue }, lineLimit);
  makeReady(memory, writeDown(memory, job));
  return { state: 'admitted', jobId: job.jobId };
}

type SlotJob = Job & { readonly queue: SlotQueue };

function enterLine(memory: MemoryState, job: SlotJob, lineLimit: number): Submitted {
  const { jobId, queue, host } = job;
  const line = memory.hosts.get(host) ?? emptyLine();
  const waiting = line.parked[queue].length;
  const mustWait = waiting > 0 || !hasRoom(line, queue, memory.hostConcurrency);
  if (mustWait && waiting >= lineLimit) return { state: 'full', jobId };
  memory.hosts.set(host, line);
  const entry = writeDown(memory, job);
  if (mustWait) return { state: 'parked', jobId, position: park(line, queue, jobId, job.caller) };
  makeReady(memory, entry);
  // Before there is a worker, those who come first have the slots of their host.
  if (slotsOf(memory, queue) === 0) line.slots.set(jobId, queue);
  return { state: 'admitted', jobId };
}

function writeDown(memory: MemoryState, job: Job): Entry {
  const timer = setTimeout(() => expire(memory, job.jobId), Math.max(0, job.startBy - Date.now())).unref();
  if (job.queue === 'browser') countPage(memory, job, 1);
  const bytes = bytesOf(job);
  memory.heldBytes += bytes;
  const entry: Entry = {
    job,
    since: performance.now(),
    bytes,
    state: 'parked',
    isShared: false,
    progress: notStarted,
    timer,
  };
  memory.entries.set(job.jobId, entry);
  memory.byKey.set(job.jobKey, job.jobId);
  return entry;
}

/** Takes the next job that may run, marked as running. A run that waits for its slot goes on instead where it is its turn. */
export function takeReady(memory: MemoryState, queue: QueueName): Entry | undefined {
  const turns = memory.turns[queue];
  for (;;) {
    const jobId = takeTurn(turns, slotsOf(memory, queue));
    const entry = jobId === undefined ? undefined : memory.entries.get(jobId);
    if (!entry) return undefined;
    if (entry.state === 'running') {
      entry.resume?.();
      entry.resume = undefined;
    } else if (takeHostSlot(memory, entry.job)) {
      entry.state = 'running';
      return entry;
    } else {
      leaveTurns(turns, entry.job.jobId);
      parkAtHost(memory, entry);
    }
  }
}

// A job that waits for its caller's turn holds no slot of its host: others may have that meanwhile.
function takeHostSlot({ hosts, hostConcurrency }: MemoryState, { queue, host, jobId }: Job): boolean {
  if (queue === 'composite') return true;
  const line = hosts.get(host) ?? emptyLine();
  if (!line.slots.has(jobId) && !hasRoom(line, queue, hostConcurrency)) return false;
  hosts.set(host, line);
  line.slots.set(jobId, queue);
  return true;
}

function parkAtHost({ hosts }: MemoryState, entry: Entry): void {
  const { queue, host, jobId, caller } = entry.job;
  const line = hosts.get(host);
  if (!line || queue === 'composite') return;
  entry.state = 'parked';
  entry.since = performance.now();
  park(line, queue, jobId, caller);
}

/** Equal work is wanted by another caller: it gets the better of the two turns. */
export function joinTurns({ entries, hosts, turns }: MemoryState, jobId: string, joiner: Job): void {
  const entry = entries.get(jobId);
  if (entry && (joiner.requestId === undefined || entry.job.requestId !== joiner.requestId))
    entry.isShared = true;
  if (entry?.state === 'ready') enterTurns(turns[entry.job.queue], { ...joiner, jobId });
  if (entry?.state !== 'parked') return;
  const line = hosts.get(entry.job.host);
  if (line && joiner.queue !== 'composite') lift(line, joiner.queue, jobId, joiner.caller);
}

/** The slots of all workers of a queue. */
export function slotsOf({ queueWorkers }: MemoryState, queue: QueueName): number {
  let slots = 0;
  for (const queueWorker of queueWorkers) if (queueWorker.queue === queue) slots += queueWorker.concurrency;
  return slots;
}

/** Something of this queue may run. */
export function wakeWorkers({ queueWorkers }: MemoryState, queue: QueueName): void {
  for (const queueWorker of queueWorkers) if (queueWorker.queue === queue) queueWorker.wake();
}

export type Ended = Pick<Done, 'state' | 'tookMs'>;

/** Strikes a job out, hands its slot on and tells everybody. */
export function end(memory: MemoryState, entry: Entry, { state, tookMs }: Ended): void {
  const { job } = entry;
  memory.ended.set(job.jobId, { state, job });
  strikeOut(memory, entry);
  const { jobKey, jobId, queue, host, reportId } = job;
  memory.events.emit('done', { jobKey, jobId, queue, host, reportId, state, tookMs });
}

/** Takes out a job that waits and that no other request than this wants; nobody is told. */
export function withdraw(memory: MemoryState, { jobKey, requestId }: Job): boolean {
  const entry = memory.entries.get(memory.byKey.get(jobKey) ?? '');
  if (!entry || entry.state === 'running' || entry.isShared) return false;
  if (requestId === undefined || entry.job.requestId !== requestId) return false;
  strikeOut(memory, entry);
  return true;
}

function strikeOut(memory: MemoryState, { job, timer, bytes }: Entry): void {
  clearTimeout(timer);
  memory.entries.delete(job.jobId);
  memory.heldBytes -= bytes;
  memory.byKey.delete(job.jobKey);
  if (job.queue === 'browser') countPage(memory, job, -1);
  leaveTurns(memory.turns[job.queue], job.jobId);
  releaseSlot(memory, job);
}

/** What is known of a job. */
export function stateOf(memory: MemoryState, jobId: string): JobState {
  const entry = memory.entries.get(jobId);
  if (!entry) return memory.ended.get(jobId) ?? { state: 'unknown' };
  if (entry.state === 'running') return { state: 'running', progress: entry.progress, job: entry.job };
  return { state: 'waiting', position: positionOf(memory, entry), job: entry.job };
}

// A waiting job's place: among those of its caller that may run, or in its host's line; 1 is next.
function positionOf(memory: MemoryState, { job, state }: Entry): number {
  if (state === 'ready') return placeOf(memory.turns[job.queue], job.jobId);
  const waiting = memory.hosts.get(job.host)?.parked[job.queue as SlotQueue] ?? [];
  return waiting.findIndex(({ jobId }) => jobId === job.jobId) + 1;
}

function makeReady(memory: MemoryState, entry: Entry): void {
  entry.state = 'ready';
  entry.since = performance.now();
  enterTurns(memory.turns[entry.job.queue], entry.job);
  wakeWorkers(memory, entry.job.queue);
}

function releaseSlot(memory: MemoryState, { host, jobId, queue }: Job): void {
  const line = memory.hosts.get(host);
  if (line && queue !== 'composite') {
    leave(line, jobId);
    for (let moved = 0; moved < movedMost; moved += 1) {
      const next = takeNext(line, memory.hostConcurrency);
      const entry = memory.entries.get(next?.jobId ?? '');
      if (!entry) break;
      makeReady(memory, entry);
    }
    if (isEmpty(line)) memory.hosts.delete(host);
  }
  wakeWorkers(memory, queue);
}

/** So many jobs leave the line of a host at once. Each of them lets others go when it ends. */
const movedMost = 8;

function expire(memory: MemoryState, jobId: string): void {
  const entry = memory.entries.get(jobId);
  if (!entry || entry.state === 'running') return;
  end(memory, entry, { state: 'expired', tookMs: 0 });
}

/** Counts an unfinished page load. @param change 1 or -1 */
function countPage({ pages }: MemoryState, job: Job, change: number): void {
  const party = pagePartyOf(job);
  const count = (pages.get(party) ?? 0) + change;
  if (count > 0) pages.set(party, count);
  else pages.delete(party);
}
