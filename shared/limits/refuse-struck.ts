import type { Job } from '../model/job.ts';
import { Problem } from '../model/problem.ts';
import type { Strikes } from '../ports/strikes.ts';

/** Throws 429 for a caller, or a host, whose checks have ended our processes again and again. */
export async function refuseStruck(
  strikes: Pick<Strikes, 'look'>,
  job: Pick<Job, 'caller' | 'host'>,
): Promise<void> {
  const refused = await strikes.look(job);
  if (!refused) return;
  const { who, forS } = refused;
  const whose = who === 'host' ? `Checks of ${job.host}` : 'Your checks';
  throw new Problem(
    'rate_limited',
    `${whose} ended the process that read the target’s answers three times within an hour. There are no new ones for ${forS} s; cached reports stay readable meanwhile.`,
    { retryAfterS: forS, policy: who === 'host' ? 'host' : 'scans' },
  );
}
