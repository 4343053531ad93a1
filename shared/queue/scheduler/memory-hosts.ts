import type { Job } from '../../model/job.ts';
import { pagesOfHost, tenth } from './turn-rules.ts';

/** A job that needs a place of its host, or waits for one. */
export type HostJob = {
  readonly seq: number;
  readonly job: Job;
  /** Whose turn it is. */
  readonly path: readonly string[];
  /** Its place among those that wait for the host; Infinity before it had one. */
  tag: number;
};

type HostPool = 'network' | 'browser';
type Host<T> = {
  readonly runs: Set<T>;
  readonly lines: Readonly<Record<HostPool, T[]>>;
  /** The last place of each party among them, that of its work that nobody waits for apart. */
  readonly tags: Map<string, number>;
};

/** The places of hosts, and the jobs that wait for one. */
export type HostSlots<T extends HostJob> = {
  hasRoom(job: Job): boolean;
  lineOf(job: Job): readonly T[];
  /** True where a job would have to wait. */
  mustWait(job: Job): boolean;
  /** A composite job needs no place. */
  hold(entry: T): void;
  vacate(entry: T): void;
  /** Lets a job wait behind the last one of its party, which stands behind its own; or further in front, where somebody waits for it now. */
  wait(entry: T): void;
  leave(entry: T): void;
  /** Takes those that their host has room for. */
  pass(host: string): readonly T[];
};

/** Opens them. */
export function openHostSlots<T extends HostJob>(hostConcurrency: number): HostSlots<T> {
  const hosts = new Map<string, Host<T>>();
  const hostOf = (name: string): Host<T> => {
    const host = hosts.get(name) ?? { runs: new Set(), lines: { network: [], browser: [] }, tags: new Map() };
    hosts.set(name, host);
    return host;
  };
  const hasRoom = ({ queue, host }: Job): boolean => {
    const runs = hosts.get(host)?.runs;
    if (queue === 'composite' || !runs) return true;
    if (runs.size >= hostConcurrency) return false;
    return queue !== 'browser' || [...runs].filter(({ job }) => job.queue === 'browser').length < pagesOfHost;
  };
  const lineOf = ({ queue, host }: Job): T[] =>
    queue === 'composite' ? [] : (hosts.get(host)?.lines[queue] ?? []);
  const leave = (entry: T) => {
    const line = lineOf(entry.job);
    if (line.includes(entry)) line.splice(line.indexOf(entry), 1);
  };
  return {
    hasRoom,
    lineOf,
    mustWait: (job) => lineOf(job).length > 0 || !hasRoom(job),
    hold: (entry) => entry.job.queue !== 'composite' && void hostOf(entry.job.host).runs.add(entry),
    vacate: (entry) => void hosts.get(entry.job.host)?.runs.delete(entry),
    wait(entry) {
      leave(entry);
      const host = hostOf(entry.job.host);
      const last = Math.max(
        host.tags.get('') ?? 0,
        ...namesOf(entry).map((name) => host.tags.get(name) ?? 0),
      );
      if (last + 1 < entry.tag) setTag(host, entry, last + 1);
      stand(host, entry);
    },
    leave,
    pass(name) {
      const host = hosts.get(name);
      const passed = host ? passOf(host, hostConcurrency, hasRoom) : [];
      if (host && isIdle(host)) hosts.delete(name);
      return passed;
    },
  };
}

function passOf<T extends HostJob>(host: Host<T>, most: number, hasRoom: (job: Job) => boolean): T[] {
  const passed: T[] = [];
  const room = most - host.runs.size;
  for (const pool of ['browser', 'network'] as const)
    for (let left = pool === 'browser' ? Math.min(pagesOfHost, room) : room; left > 0;) {
      const [entry] = host.lines[pool];
      if (!entry || !hasRoom(entry.job)) break;
      host.lines[pool].shift();
      if (gaveTurn(host, entry)) continue;
      host.tags.set('', entry.tag);
      passed.push(entry);
      left -= 1;
    }
  return passed;
}

function isIdle<T>({ lines, tags, runs }: Host<T>): boolean {
  if (lines.network.length + lines.browser.length > 0) return false;
  tags.clear();
  return runs.size === 0;
}

/** At a host the accounts and the widest networks take turns. The first name is that under which a job itself counts. */
function namesOf({ job, path }: HostJob): readonly [string, string] {
  const party = path.slice(0, 2).join('|');
  return [job.isBackground === true ? `bg ${party}` : party, party];
}

function setTag<T extends HostJob>({ tags }: Host<T>, entry: T, tag: number): void {
  entry.tag = tag;
  tags.set(namesOf(entry)[0], tag);
}

function stand<T extends HostJob>({ lines }: Host<T>, entry: T): void {
  if (entry.job.queue === 'composite') return;
  const line = lines[entry.job.queue];
  const behind = line.findLastIndex(
    ({ tag, seq }) => tag < entry.tag || (tag === entry.tag && seq < entry.seq),
  );
  line.splice(behind + 1, 0, entry);
}

/** True where another of its party, which somebody waits for, had its turn at the host: it goes behind them. */
function gaveTurn<T extends HostJob>(host: Host<T>, entry: T): boolean {
  const [name, party] = namesOf(entry);
  const waited = name === party ? 0 : (host.tags.get(party) ?? 0);
  if (waited < entry.tag || waited % tenth === 0) return false;
  setTag(host, entry, Math.max(waited, host.tags.get(name) ?? 0) + 1);
  stand(host, entry);
  return true;
}
