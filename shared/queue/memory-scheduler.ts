import type { Job, QueueName } from '../model/job.ts';
import { notStarted, type Progress } from '../ports/job-queue.ts';
import { type HostSlots, openHostSlots } from './memory-hosts.ts';
import {
  type CallerNode,
  classOf,
  countIn,
  countOut,
  addWaiting,
  hold,
  removeWaiting,
  openNode,
  pickNext,
} from './memory-turns.ts';
import { pathOf, waitersMost } from './turn-rules.ts';

type Waiter = { by: string; readonly leaf: CallerNode<Entry> };

/** A job that has not ended. */
export type Entry = {
  readonly job: Job;
  readonly seq: number;
  /** When it came, and since when it waits for what it waits for now; ms of `performance.now()`. */
  readonly born: number;
  since: number;
  at: 'host' | 'turn' | 'run' | 'away';
  /** Who wait for it. */
  readonly who: Waiter[];
  /** More than those wait. */
  more: boolean;
  /** Whose place it has. */
  via: CallerNode<Entry> | undefined;
  tag: number;
  /** Told when a run that has given its place to others has one again. */
  resume: (() => void) | undefined;
  progress: Progress;
  readonly timer: NodeJS.Timeout;
};

/** The rules of scheduler.lua in one process: who may run next. */
export type MemoryScheduler = {
  readonly entries: Map<string, Entry>;
  readonly byKey: Map<string, Entry>;
  readonly hosts: HostSlots<Entry>;
  readonly roots: Readonly<Record<QueueName, CallerNode<Entry>>>;
  seq: number;
};

/** Opens it, without a job. */
export function openMemoryScheduler(hostConcurrency: number): MemoryScheduler {
  return {
    entries: new Map(),
    byKey: new Map(),
    hosts: openHostSlots(hostConcurrency),
    roots: {
      network: openNode('network'),
      browser: openNode('browser'),
      composite: openNode('composite'),
    },
    seq: 0,
  };
}

/** At a host the parties take turns: accounts, and the widest networks of callers without a token. */
const partyOf = (job: Job) => pathOf(job).slice(0, 2).join('|');
const byOf = ({ requestId, jobId }: Job) => requestId ?? jobId;

/** Writes a job down, and lets it wait for its host or its caller's turn. @param onLate called when its turn did not come in time */
export function enter(scheduler: MemoryScheduler, job: Job, onLate: (entry: Entry) => void): Entry {
  const { entries, byKey, hosts, roots } = scheduler;
  const now = performance.now();
  scheduler.seq += 1;
  const entry: Entry = {
    job,
    seq: scheduler.seq,
    born: now,
    since: now,
    at: 'turn',
    who: [{ by: byOf(job), leaf: countIn(roots[job.queue], pathOf(job)) }],
    more: false,
    via: undefined,
    tag: Infinity,
    resume: undefined,
    progress: notStarted,
    timer: setTimeout(() => onLate(entry), Math.max(0, job.startBy - Date.now())).unref(),
  };
  entries.set(job.jobId, entry);
  byKey.set(job.jobKey, entry);
  if (hosts.mustWait(job)) waitAtHost(hosts, entry);
  else waitForTurn(entry);
  return entry;
}

function waitForTurn(entry: Entry): void {
  entry.at = 'turn';
  for (const { leaf } of entry.who) addWaiting(leaf, entry);
}

function waitAtHost(hosts: HostSlots<Entry>, entry: Entry): void {
  entry.at = 'host';
  hosts.wait(entry, partyOf(entry.job));
}

/** Another wants the job as well: it has the better of the turns. */
export function join({ hosts, roots }: MemoryScheduler, entry: Entry, joiner: Job): void {
  const by = byOf(joiner);
  if (entry.who.some((waiter) => waiter.by === by)) return;
  let index = entry.who.length;
  if (index >= waitersMost) {
    entry.more = true;
    index = entry.who.findLastIndex(({ leaf }) => leaf !== entry.via && classOf(leaf) === 'anonymous');
    if (joiner.isAnonymous === true || index < 0) return;
  }
  const before = entry.who[index];
  if (before) leaveAs(entry, before);
  const leaf = countIn(roots[entry.job.queue], pathOf(joiner));
  entry.who[index] = { by, leaf };
  if (entry.at === 'turn') waitForTurn(entry);
  if (entry.at === 'host') hosts.wait(entry, partyOf(joiner));
}

function leaveAs(entry: Entry, { leaf }: Waiter): void {
  if (entry.at === 'turn') removeWaiting(leaf, entry);
  countOut(leaf);
}

/** The next job of a pool, which has its places from now on. A run that waited for its place goes on instead, where it is its turn. */
export function take({ hosts, roots }: MemoryScheduler, pool: QueueName, slots: number): Entry | undefined {
  for (;;) {
    const leaf = pickNext(roots[pool], pool, slots);
    const [entry] = leaf?.own.items ?? [];
    if (!leaf || !entry) return undefined;
    for (const waiter of entry.who) removeWaiting(waiter.leaf, entry);
    const isBack = entry.resume !== undefined;
    if (!isBack && !hosts.hasRoom(entry.job)) {
      entry.since = performance.now();
      waitAtHost(hosts, entry);
      continue;
    }
    entry.at = 'run';
    entry.via = leaf;
    clearTimeout(entry.timer);
    hold(leaf, 1);
    hosts.hold(entry);
    if (!isBack) return entry;
    entry.resume?.();
    entry.resume = undefined;
  }
}

/** A run gives its place to others while it waits for something; that of its host it keeps. */
export function give(entry: Entry): void {
  if (entry.at !== 'run' || !entry.via) return;
  hold(entry.via, -1);
  entry.at = 'away';
}

/** The run wants its place back. @param resume called when it has it, at its caller's next turn */
export function wantBack(entry: Entry, resume: () => void): void {
  entry.resume = resume;
  waitForTurn(entry);
}

export function stopWanting(entry: Entry): void {
  entry.resume = undefined;
  if (entry.at !== 'turn') return;
  for (const { leaf } of entry.who) removeWaiting(leaf, entry);
  entry.at = 'away';
}

/** Strikes a job out; its places are free. */
export function end({ entries, byKey, hosts }: MemoryScheduler, entry: Entry): void {
  const { jobId, jobKey, host } = entry.job;
  clearTimeout(entry.timer);
  if (entry.at === 'host') hosts.leave(entry);
  if (entry.at === 'run' && entry.via) hold(entry.via, -1);
  hosts.vacate(entry);
  for (const waiter of entry.who) leaveAs(entry, waiter);
  entries.delete(jobId);
  if (byKey.get(jobKey) === entry) byKey.delete(jobKey);
  for (const next of hosts.pass(host)) {
    next.since = performance.now();
    waitForTurn(next);
  }
}

/** `left`: it had no other waiter; `stays`: it has; undefined: it runs, or this request does not wait for it. */
export function withdraw(
  scheduler: MemoryScheduler,
  { jobKey, requestId = '' }: Job,
): 'left' | 'stays' | undefined {
  const entry = scheduler.byKey.get(jobKey);
  const waiter = entry?.who.find(({ by }) => by === requestId);
  if (!entry || !waiter || isRunning(entry)) return undefined;
  if (entry.who.length > 1) {
    leaveAs(entry, waiter);
    entry.who.splice(entry.who.indexOf(waiter), 1);
    // Where two requests of one caller wanted it, that one still waits.
    if (entry.at === 'turn') waitForTurn(entry);
    return 'stays';
  }
  if (entry.more) {
    waiter.by = '';
    return 'stays';
  }
  end(scheduler, entry);
  return 'left';
}

/** The place of a waiting job: among those that wait for its host, or among those of its caller; 1 is next. */
export function placeOf({ hosts }: MemoryScheduler, entry: Entry): number {
  if (entry.at === 'host') return hosts.waitersOf(entry.job).indexOf(entry) + 1;
  return entry.at === 'turn' ? (entry.who[0]?.leaf.own.items.indexOf(entry) ?? 0) + 1 : 1;
}

/** True for a job that has begun. */
export function isRunning({ at, resume }: Entry): boolean {
  return at === 'run' || at === 'away' || resume !== undefined;
}
