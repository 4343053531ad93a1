import type { Job } from '../model/job.ts';

/** Whose job it was: the caller's network or token, and the registrable domain. */
export type Struck = Pick<Job, 'jobId' | 'caller' | 'host'>;

/** Who may not start checks for a while, and how long still. */
export type Refused = { readonly who: 'caller' | 'host'; readonly forS: number };

/**
 * Counts the processes that targets have ended. Who did that three times in an hour, a caller or a registrable domain, is refused for an
 * hour from then on: each time costs the others a second.
 */
export interface Strikes {
  /** Counts a process that this job's target has ended. Never rejects. */
  add(job: Struck): Promise<void>;
  /** Whether a caller or a host is refused now; if the count cannot be read, nothing is refused. */
  look(job: Omit<Struck, 'jobId'>): Promise<Refused | undefined>;
  /** True for a job that was counted within the hour: its run was no fault of ours. */
  has(jobId: string): Promise<boolean>;
}

export const strikesAllowed = 3;
export const strikeHourMs = 3_600_000;

/** What is counted of a job. */
export function namesOf({ caller, host }: Omit<Struck, 'jobId'>): Readonly<Record<Refused['who'], string>> {
  return { caller: `caller ${caller}`, host: `host ${host}` };
}

/** How long somebody is refused still, ms; 0 or less who is not. @param strikes when the last ones were, the newest first, ms */
export function refusedForMs(strikes: readonly number[], nowMs: number): number {
  const [newest] = strikes;
  const oldest = strikes[strikesAllowed - 1];
  if (newest === undefined || oldest === undefined || newest - oldest > strikeHourMs) return 0;
  return newest + strikeHourMs - nowMs;
}
