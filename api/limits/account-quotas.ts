import { Problem } from '#shared/model/problem';

/** How much of something an account may have, and has. */
export type AccountQuota = { readonly limit: number; readonly used: number };

/** What tells the quotas of an account by their policy; /api/me shows all of them. */
export type AccountQuotas = (account: string) => Promise<{ readonly [policy: string]: AccountQuota }>;

/** The Problem of an account that would have more than it may. @param what the things, in the plural: "open batches" */
export function quotaExceeded(policy: string, quota: AccountQuota, what: string): Problem {
  return new Problem(
    'quota_exceeded',
    `Your account may have ${quota.limit} ${what}, and has ${quota.used} (policy "${policy}").`,
    { policy, quota },
  );
}
