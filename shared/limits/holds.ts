import type { Job } from '../model/job.ts';
import { limitsByLevel } from '../model/levels.ts';
import { Problem } from '../model/problem.ts';
import type { Caller } from './caller.ts';

/** Jobs of one host that a caller without a token may have waiting. */
const hostLimit = 8;
/** Unfinished jobs that one process keeps account of: about 30 MB. */
const jobLimit = 50_000;
/** Callers with so few unfinished jobs, with all their neighbours, are refused last. */
const fewJobs = 3;

/** Counts the unfinished jobs that each caller started, so that no single caller fills the waiting places of a host. The queue counts its page loads. */
export type Holds = {
  /** Takes a place and returns what gives it back; equal work that is under way already takes no second place. Throws the 429 of policy `host`. */
  take(caller: Caller, job: Job): () => void;
  /** True for a caller who, with all that share its widest network or its account, has few unfinished jobs or none. */
  hasFew(caller: Pick<Caller, 'id' | 'levels'>): boolean;
  release(jobKey: string): void;
};

/** Opens the count. It is this process's own; a job that ended elsewhere is forgotten with its `done`, at the latest when it cannot run any more. */
export function openHolds(isOn: boolean): Holds {
  const counts = new Map<string, number>();
  const held = new Map<string, { readonly names: readonly string[]; readonly timer: NodeJS.Timeout }>();
  const add = (name: string, count: number) => {
    const next = (counts.get(name) ?? 0) + count;
    if (next > 0) counts.set(name, next);
    else counts.delete(name);
  };
  const release = (jobKey: string) => {
    const hold = held.get(jobKey);
    if (!hold) return;
    clearTimeout(hold.timer);
    held.delete(jobKey);
    for (const name of hold.names) add(name, -1);
  };
  const hasFew: Holds['hasFew'] = (caller) => (counts.get(unfinishedOf(caller)) ?? 0) < fewJobs;
  return {
    hasFew,
    take(caller, job) {
      if (!isOn || held.has(job.jobKey)) return () => undefined;
      // A caller without a backlog is not refused because others have one.
      if (held.size >= (hasFew(caller) ? 2 * jobLimit : jobLimit))
        throw new Problem('overloaded', 'Too many checks are unfinished. Ask again in a few seconds.', {
          retryAfterS: 10,
        });
      const limits =
        caller.kind === 'anonymous'
          ? limitsByLevel(caller, hostLimit).map(({ name, limit }) => ({
              name: `${name} ${job.host}`,
              limit,
            }))
          : [];
      const full = limits.find(({ limit, name }) => (counts.get(name) ?? 0) >= limit);
      if (full) throw refuse(full.limit, job.host);
      const names = [...limits.map(({ name }) => name), unfinishedOf(caller)];
      for (const name of names) add(name, 1);
      const lastMs = job.startBy - Date.now() + job.runLimitMs;
      held.set(job.jobKey, { names, timer: setTimeout(() => release(job.jobKey), lastMs).unref() });
      return () => release(job.jobKey);
    },
    release,
  };
}

function unfinishedOf({ id, levels }: Pick<Caller, 'id' | 'levels'>): string {
  return `unfinished ${levels[0] ?? id}`;
}

function refuse(limit: number, host: string): Problem {
  return new Problem(
    'rate_limited',
    `You have ${limit} checks of ${host} waiting (policy "host"). Ask again when one of them is answered.`,
    { retryAfterS: 5, policy: 'host' },
  );
}
