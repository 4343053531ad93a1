import type { Job } from '../model/job.ts';
import { Problem } from '../model/problem.ts';
import { pagesOfCaller } from '../queue/unavailable.ts';
import type { Caller } from './caller.ts';

/** Each wider network has so many times what one caller has; all tokens of an account have together what one has. */
const timesWider = 4;

/** What one caller may have of something, and what it and its neighbours may have together: the names under which it is counted. */
export function limitsByLevel(
  { id, kind, levels }: Pick<Caller, 'id' | 'kind' | 'levels'>,
  limit: number,
): readonly { readonly name: string; readonly limit: number }[] {
  const times = kind === 'token' ? 1 : timesWider;
  return [id, ...levels.toReversed()].map((name, index) => ({ name, limit: limit * times ** index }));
}

/** Jobs of one host that a caller without a token may have waiting. */
const hostLimit = 8;
/** Unfinished jobs that one process keeps account of: about 30 MB. */
const jobLimit = 50_000;
/** Callers with so few unfinished jobs, with all their neighbours, are refused last. */
const fewJobs = 3;

/** Counts the unfinished jobs that each caller started, so that no single caller fills the waiting places of a host or of the browser. */
export type Holds = {
  /** Takes a place and returns what gives it back; equal work that is under way already takes no second place. Throws the 429 of policy `host` or `browser`. */
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
      const limits = [
        ...(caller.kind === 'anonymous' ? namesOf(caller, 'host', { limit: hostLimit, of: job.host }) : []),
        ...(job.queue === 'browser'
          ? namesOf(caller, 'browser', { limit: caller.pages ?? pagesOfCaller, of: '' })
          : []),
      ];
      const full = limits.find(({ limit, name }) => (counts.get(name) ?? 0) >= limit);
      if (full) throw refuse(full.policy, full.limit, job.host);
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

type HoldLimit = { readonly policy: string; readonly limit: number; readonly name: string };

function namesOf(caller: Caller, policy: string, { limit, of }: { limit: number; of: string }): HoldLimit[] {
  return limitsByLevel(caller, limit).map((level) => ({
    policy,
    limit: level.limit,
    name: `${policy} ${level.name} ${of}`,
  }));
}

function refuse(policy: string, limit: number, host: string): Problem {
  const what = policy === 'host' ? `${limit} checks of ${host}` : `${limit} page loads`;
  return new Problem(
    'rate_limited',
    `You have ${what} waiting (policy "${policy}"). Ask again when one of them is answered.`,
    { retryAfterS: 5, policy },
  );
}
