import type { QueueName } from '../model/job.ts';
import { openSortedList, type SortedList } from './memory-turns.ts';
import { pagesOfHost } from './turn-rules.ts';

/** A job that needs a place of its host, or waits for one. */
export type HostJob = {
  readonly seq: number;
  readonly job: { readonly queue: QueueName; readonly host: string };
  /** Its place among those that wait for the host; Infinity before it had one. */
  tag: number;
};

type HostPool = 'network' | 'browser';

type Host<T extends HostJob> = {
  readonly runs: Set<T>;
  readonly waiters: Readonly<Record<HostPool, SortedList<T>>>;
  /** The last place of each party among them. */
  readonly tags: Map<string, number>;
  /** Whose turn it is. */
  now: number;
};

/** The places of hosts, and the jobs that wait for one. */
export type HostSlots<T extends HostJob> = {
  hasRoom(job: T['job']): boolean;
  waitersOf(job: T['job']): readonly T[];
  /** True where a job would have to wait. */
  mustWait(job: T['job']): boolean;
  /** A composite job needs no place. */
  hold(entry: T): void;
  vacate(entry: T): void;
  /** Lets a job wait behind the last one of its party. One that waits already moves up, where this party's next place is before its own. */
  wait(entry: T, party: string): void;
  leave(entry: T): void;
  /** Takes those that their host has room for. */
  pass(host: string): readonly T[];
};

/** Opens them. */
export function openHostSlots<T extends HostJob>(hostConcurrency: number): HostSlots<T> {
  const hosts = new Map<string, Host<T>>();
  const hostOf = (name: string): Host<T> => {
    const host = hosts.get(name) ?? openHost<T>();
    hosts.set(name, host);
    return host;
  };
  const hasRoom = ({ queue, host }: T['job']): boolean => {
    const runs = hosts.get(host)?.runs;
    if (queue === 'composite' || !runs) return true;
    if (runs.size >= hostConcurrency) return false;
    return queue !== 'browser' || [...runs].filter(({ job }) => job.queue === 'browser').length < pagesOfHost;
  };
  const waitersOf = ({ queue, host }: T['job']): readonly T[] =>
    queue === 'composite' ? [] : (hosts.get(host)?.waiters[queue].items ?? []);
  return {
    hasRoom,
    waitersOf,
    mustWait: (job) => waitersOf(job).length > 0 || !hasRoom(job),
    hold: (entry) => entry.job.queue !== 'composite' && void hostOf(entry.job.host).runs.add(entry),
    vacate: (entry) => void hosts.get(entry.job.host)?.runs.delete(entry),
    wait(entry, party) {
      const { queue, host: name } = entry.job;
      if (queue === 'composite') return;
      const host = hostOf(name);
      host.waiters[queue].remove(entry);
      const tag = Math.max(host.now, host.tags.get(party) ?? 0) + 1;
      if (tag < entry.tag) {
        entry.tag = tag;
        host.tags.set(party, tag);
      }
      host.waiters[queue].add(entry);
    },
    leave(entry) {
      const { queue, host } = entry.job;
      if (queue !== 'composite') hosts.get(host)?.waiters[queue].remove(entry);
    },
    pass(name) {
      const host = hosts.get(name);
      const passed = host ? passOf(host, hostConcurrency, hasRoom) : [];
      if (host && isIdle(host)) hosts.delete(name);
      return passed;
    },
  };
}

function passOf<T extends HostJob>(host: Host<T>, most: number, hasRoom: (job: T['job']) => boolean): T[] {
  const passed: T[] = [];
  const room = most - host.runs.size;
  for (const pool of ['browser', 'network'] as const)
    for (let left = pool === 'browser' ? Math.min(pagesOfHost, room) : room; left > 0; left -= 1) {
      const [entry] = host.waiters[pool].items;
      if (!entry || !hasRoom(entry.job)) break;
      host.waiters[pool].remove(entry);
      host.now = entry.tag;
      passed.push(entry);
    }
  return passed;
}

function isIdle<T extends HostJob>(host: Host<T>): boolean {
  if (host.waiters.network.items.length + host.waiters.browser.items.length > 0) return false;
  host.tags.clear();
  host.now = 0;
  return host.runs.size === 0;
}

function openHost<T extends HostJob>(): Host<T> {
  const openWaiters = () => openSortedList<T>((a, b) => a.tag - b.tag || a.seq - b.seq);
  return {
    runs: new Set(),
    waiters: { network: openWaiters(), browser: openWaiters() },
    tags: new Map(),
    now: 0,
  };
}
