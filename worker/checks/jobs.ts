import type { SourceQuestion } from '#shared/catalogue/domain-health/sources';
import type { CheckSpec } from '#shared/catalogue/spec';
import type { Source } from '#shared/health/evidence';
import type { Report } from '#shared/model/report';
import type { Progress } from '#shared/ports/job-queue';

/** Other jobs, for a check that is made of their reports. Only the composite queue has them: a job that holds a slot of its host never waits for another. */
export type Jobs = {
  /** The reports in the store that are as young as the caller wants; undefined where there is none. */
  find(questions: readonly SourceQuestion[]): Promise<readonly (Report | undefined)[]>;
  /** The answer from the store, or from a run that is started or joined. A run that is late continues, for the next request. */
  ask(question: SourceQuestion, progress: (progress: Progress) => void): Promise<Source>;
  /** Visits a domain once for all its network checks; each is stored under its own endpoint's key. Gives the host that visitors meet, or why there was no visit. */
  visit(
    domain: string,
    progress: (progress: Progress) => void,
  ): Promise<{ readonly webHost: string } | { readonly unavailable: string }>;
  /** The newest report of the same question as this job's, however old. */
  previous(): Promise<Report | undefined>;
  /** Ids of the stored reports that have come so far. */
  reportIds(): readonly string[];
  /** Whether the operator has a check switched on. */
  isOffered(spec: CheckSpec): boolean;
  /** Prefix of links: the address that callers use, or "". */
  readonly publicPath: string;
  /** The caller's account has a cache of its own, and is not told when others asked. */
  readonly hidesAges: boolean;
};

/** For the other queues. */
export const noJobs: Jobs = {
  find: refuse,
  ask: refuse,
  visit: refuse,
  previous: refuse,
  reportIds: () => [],
  isOffered: () => false,
  publicPath: '',
  hidesAges: false,
};

function refuse(): Promise<never> {
  return Promise.reject(new Error('a job that holds a slot of its host waits for no other job'));
}
