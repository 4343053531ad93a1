import type { Job } from '#shared/model/job';
import type { RunOutcome, Running } from '../run/examine-job.ts';

/** A run that was given to the process. */
export type GivenRun = {
  readonly number: number;
  readonly job: Job;
  readonly running: Running;
  readonly resolve: (outcome: RunOutcome) => void;
  readonly reject: (error: Error) => void;
  /** Evidence on its way to the store. */
  readonly kept: Promise<void>[];
  /** Processes that ended under it. */
  lost: number;
  /** Its data was read when a process ended, perhaps for another reason. */
  isSuspect: boolean;
};
