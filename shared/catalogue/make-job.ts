import { type Job, jobVersion, randomId } from '../model/job.ts';
import type { CheckSpec } from './spec.ts';

/** What differs from job to job of one check. */
export type JobWish = Pick<
  Job,
  | 'jobKey'
  | 'keyVersion'
  | 'target'
  | 'options'
  | 'host'
  | 'caller'
  | 'account'
  | 'levels'
  | 'pages'
  | 'isAnonymous'
  | 'isBackground'
  | 'requestId'
  | 'trace'
  | 'wanted'
>;

/** Draws a job of a check, with ids of its own. @param startBy Unix ms; its turn must have come by then */
export function makeJob(spec: CheckSpec, wish: JobWish, startBy: number): Job {
  return {
    v: jobVersion,
    queue: spec.queue,
    jobId: randomId(),
    reportId: randomId(),
    check: spec.name,
    ...wish,
    startBy,
    runLimitMs: spec.runLimitMs(wish.options),
  };
}
