import { domainVisit, questionOfVisit } from '#shared/catalogue/domain-health/visit';
import { findSpec } from '#shared/catalogue/registry';
import type { CheckSpec } from '#shared/catalogue/spec';
import { type Job, makeJobKey } from '#shared/model/job';
import type { JobKeyOf } from '#shared/queue/job-keys';
import { siteOf } from '#shared/targets/parse-target';

/** A job as its check's spec wants it, or the field that says something else. */
export type JudgedJob = { readonly job: Job } | { readonly fault: string };

/**
 * Compares a job with the spec of its check: a writer to Redis can choose neither the limits of a run nor the key under which its report is kept.
 * The run limit is always the spec's own. The key must be the digest of check, target and options; a `keyVersion` in the job lets a worker
 * of a newer release, or with other settings, take the jobs of an older API.
 */
export function judgeJob(job: Job, jobKeyOf: JobKeyOf): JudgedJob {
  const spec = job.check === domainVisit.name ? domainVisit : findSpec(job.check);
  if (!spec) return { fault: 'check' };
  const fault = Object.entries(faultsOf(job, spec, jobKeyOf)).find(([, isWrong]) => isWrong)?.[0];
  if (fault !== undefined) return { fault };
  return { job: { ...job, runLimitMs: spec.runLimitMs(job.options) } };
}

function faultsOf(job: Job, spec: CheckSpec, jobKeyOf: JobKeyOf): Readonly<Record<string, boolean>> {
  return {
    queue: job.queue !== spec.queue,
    options: spec !== domainVisit && !Object.keys(job.options).every((name) => name in spec.options.shape),
    host: job.host !== hostOf(job.target, spec),
    jobKey: !isKeyOf(job, spec, jobKeyOf),
  };
}

function hostOf(target: string, { targetKind }: CheckSpec): string | undefined {
  if (targetKind === 'domain') return siteOf(target);
  const url = URL.parse(target);
  return url ? siteOf(url.hostname) : undefined;
}

function isKeyOf(job: Job, spec: CheckSpec, jobKeyOf: JobKeyOf): boolean {
  const { check, target, jobKey, keyVersion, account } = job;
  const options = spec === domainVisit ? questionOfVisit(job.options) : job.options;
  if (keyVersion !== undefined) return jobKey === makeJobKey({ check, target, options, keyVersion });
  // An API from before the field, during an upgrade: its rules may be any version up to ours.
  for (let rulesVersion = spec.rulesVersion; rulesVersion > 0; rulesVersion -= 1)
    if (jobKey === jobKeyOf({ ...spec, rulesVersion }, target, options, account)) return true;
  return false;
}
