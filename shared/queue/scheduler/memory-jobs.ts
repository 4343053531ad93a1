import type { EventEmitter } from 'node:events';
import type { LRUCache } from 'lru-cache';
import { type Job, type QueueName, readToldJob, type ToldJob } from '../../model/job.ts';
import { type Done, notStarted, type Progress, type QueueEvent } from '../../ports/job-queue.ts';
import type { HostSlots } from './memory-hosts.ts';
import {
  addWaiting,
  countIn,
  countOut,
  hold,
  type Party,
  pickNext,
  removeWaiting,
  widestOf,
} from './memory-turns.ts';
import { pathOf, waitersMost } from './turn-rules.ts';

/** What a job holds beside its texts: objects, places in maps, a timer. Measured with 50,000 jobs of 353 bytes: RSS grew by 3,059 each. */
const objectBytes = 2700;
/** Ends whose ids were told are remembered for the longer time, others for the shorter. */
export const toldMs = 600_000;
const endedMs = 60_000;

/** A job that has not ended. */
export type Entry = {
  job: Job;
  readonly seq: number;
  /** When it came, and since when it only waits for its turn; ms of `performance.now()`. */
  readonly born: number;
  since: number;
  at: 'host' | 'turn' | 'run' | 'away';
  /** The requests that want it; more than those do, where it says so. */
  readonly who: Set<string>;
  hasMore: boolean;
  /** Whose turn it is. */
  path: readonly string[];
  caller: Party<Entry>;
  /** What it takes of the budgets of all. */
  readonly bytes: number;
  readonly pages: readonly string[];
  tag: number;
  /** Told when a run that has given its place to others has one again. */
  resume: (() => void) | undefined;
  progress: Progress;
  /** Somebody was told its id. */
  isTold: boolean;
  readonly timer: NodeJS.Timeout;
};

export type Ended = { readonly state: Done['state']; readonly job: ToldJob };

export type MemoryWorker = {
  readonly queue: QueueName;
  readonly slots: number;
  wake(): void;
  close(graceMs: number): Promise<void>;
};

export type MemoryEvents = { done: [Done]; event: [QueueName, QueueEvent, number] };

/** The jobs of a process, where they stand, and who runs them. */
export type Memory = {
  readonly entries: Map<string, Entry>;
  readonly byKey: Map<string, Entry>;
  readonly hosts: HostSlots<Entry>;
  readonly pools: Readonly<Record<QueueName, Party<Entry>>>;
  /** Unfinished page loads by the names under which they count. */
  readonly pages: Map<string, number>;
  readonly ended: LRUCache<string, Ended>;
  readonly events: EventEmitter<MemoryEvents>;
  readonly workers: Set<MemoryWorker>;
  /** Queues that should be served and cannot: what must be done. */
  readonly denied: Map<QueueName, string>;
  seq: number;
  /** What all unfinished jobs hold. */
  heldBytes: number;
};

/** What an unfinished job holds in memory, about: texts are stored with a byte or two for each character. */
export function bytesOf(job: Job): number {
  return objectBytes + JSON.stringify(job).length;
}

const byOf = ({ requestId, jobId }: Job) => requestId ?? jobId;
/** True for a job that has begun. */
export const isRunning = ({ at, resume }: Entry) => at === 'run' || at === 'away' || resume !== undefined;

/** Writes a job down, and lets it wait for its host or its caller's turn. */
export function enter(memory: Memory, job: Job, pages: readonly string[]): Entry {
  const { entries, byKey, hosts, pools } = memory;
  memory.seq += 1;
  const now = performance.now();
  const path = pathOf(job);
  const late = () => {
    memory.events.emit('event', job.queue, 'expired', 1);
    end(memory, entry, { state: 'expired', tookMs: 0 });
  };
  const entry: Entry = {
    job,
    seq: memory.seq,
    born: now,
    since: now,
    at: hosts.mustWait(job) ? 'host' : 'turn',
    who: new Set([byOf(job)]),
    hasMore: false,
    path,
    caller: countIn(pools[job.queue], path),
    bytes: bytesOf(job),
    pages,
    tag: Infinity,
    resume: undefined,
    progress: notStarted,
    isTold: false,
    timer: setTimeout(late, Math.max(0, job.startBy - Date.now())).unref(),
  };
  entries.set(job.jobId, entry);
  byKey.set(job.jobKey, entry);
  account(memory, entry, 1);
  stand(memory, entry);
  return entry;
}

/** Lets a job stand where it has to wait. */
export function stand({ hosts }: Memory, entry: Entry): void {
  if (entry.at === 'host') hosts.wait(entry);
  if (entry.at === 'turn') addWaiting(entry.caller, entry);
}

/** Takes what a job needs of the budgets of all, or gives it back. */
function account(memory: Memory, { bytes, pages }: Entry, change: 1 | -1): void {
  memory.heldBytes += change * bytes;
  for (const name of pages) {
    const count = (memory.pages.get(name) ?? 0) + change;
    if (count > 0) memory.pages.set(name, count);
    else memory.pages.delete(name);
  }
}

/** Another wants the job as well. Where nobody waited for it, now somebody does; and it goes by the better turn: a known caller's, then that of who has less to do, unless its account or network holds more. */
export function join(memory: Memory, entry: Entry, joiner: Job): void {
  const isKnown = entry.who.has(byOf(joiner));
  if (!isKnown && entry.who.size >= waitersMost) entry.hasMore = true;
  else entry.who.add(byOf(joiner));
  if (entry.job.isBackground === true && joiner.isBackground !== true) lift(memory, entry);
  if (isKnown || isRunning(entry)) return;
  const path = pathOf(joiner);
  const other = countIn(memory.pools[entry.job.queue], path);
  const hasLess =
    other !== entry.caller &&
    other.jobs - 1 < entry.caller.jobs &&
    widestOf(other).held <= widestOf(entry.caller).held;
  const isBetter = path[0] === entry.path[0] ? hasLess : path[0] === 'known';
  if (!isBetter) return countOut(other);
  if (entry.at === 'turn') removeWaiting(entry.caller, entry);
  countOut(entry.caller);
  entry.caller = other;
  entry.path = path;
  stand(memory, entry);
}

/** Somebody waits for it now. */
function lift(memory: Memory, entry: Entry): void {
  if (entry.at === 'turn') removeWaiting(entry.caller, entry);
  if (entry.at === 'run') hold(entry.caller, entry.job, -1);
  entry.job = { ...entry.job, isBackground: false };
  if (entry.at === 'run') hold(entry.caller, entry.job, 1);
  stand(memory, entry);
}

/** Ends what one request wants of a job. */
export function withdraw(memory: Memory, { jobKey, requestId = '' }: Job): boolean {
  const entry = memory.byKey.get(jobKey);
  if (!entry || isRunning(entry) || !entry.who.delete(requestId)) return false;
  if (entry.who.size > 0 || entry.hasMore) return false;
  strikeOut(memory, entry);
  wake(memory);
  return true;
}

/** The next job of a queue, which has its places from now on. A run that waited for its place goes on instead, where it is its turn. */
export function take(memory: Memory, queue: QueueName): Entry | undefined {
  const { hosts, pools } = memory;
  for (;;) {
    const entry = pickNext(pools[queue], slotsOf(memory, queue));
    if (!entry) return undefined;
    removeWaiting(entry.caller, entry);
    if (!entry.resume && !hosts.hasRoom(entry.job)) {
      entry.at = 'host';
      stand(memory, entry);
      continue;
    }
    entry.at = 'run';
    clearTimeout(entry.timer);
    hold(entry.caller, entry.job, 1);
    hosts.hold(entry);
    if (!entry.resume) return entry;
    entry.resume();
    entry.resume = undefined;
  }
}

/** Strikes a job out; its places are free. */
function strikeOut(memory: Memory, entry: Entry): void {
  const { entries, byKey, hosts } = memory;
  const { jobId, jobKey, host } = entry.job;
  clearTimeout(entry.timer);
  if (entry.at === 'host') hosts.leave(entry);
  if (entry.at === 'turn') removeWaiting(entry.caller, entry);
  if (entry.at === 'run') hold(entry.caller, entry.job, -1);
  hosts.vacate(entry);
  countOut(entry.caller);
  entries.delete(jobId);
  if (byKey.get(jobKey) === entry) byKey.delete(jobKey);
  account(memory, entry, -1);
  for (const next of hosts.pass(host)) {
    next.at = 'turn';
    next.since = performance.now();
    stand(memory, next);
  }
}

/** Strikes a job out and tells everybody. */
export function end(memory: Memory, entry: Entry, { state, tookMs }: Pick<Done, 'state' | 'tookMs'>): void {
  const { jobKey, jobId, queue, host, reportId } = entry.job;
  const told = readToldJob(entry.job);
  if (told) memory.ended.set(jobId, { state, job: told }, { ttl: entry.isTold ? toldMs : endedMs });
  strikeOut(memory, entry);
  memory.events.emit('done', { jobKey, jobId, queue, host, reportId, state, tookMs });
  wake(memory);
}

/** The slots of all workers of a queue. */
export function slotsOf({ workers }: Memory, queue: QueueName): number {
  return [...workers].reduce((sum, worker) => sum + (worker.queue === queue ? worker.slots : 0), 0);
}

/** Something may run: of this queue, or of any, as a host may have let a job of another one go. */
export function wake({ workers }: Memory, queue?: QueueName): void {
  for (const worker of workers) if (queue === undefined || worker.queue === queue) worker.wake();
}

/** The place of a waiting job: among those that wait for its host, or among those of its caller; 1 is next. */
export function placeOf({ hosts }: Memory, entry: Entry): number {
  if (entry.at === 'host') return hosts.lineOf(entry.job).indexOf(entry) + 1;
  return entry.at === 'turn' ? [...entry.caller.first, ...entry.caller.rest].indexOf(entry) + 1 : 1;
}
