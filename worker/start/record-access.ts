import type { Job } from '#shared/model/job';
import type { AccessWriter } from '#shared/stores/access/writer';
import { hostOfTarget } from '#shared/targets/denied-names';
import type { ExamineJob } from '../run/examine-job.ts';

/** The same examiner; each run that touches targets is noted, also one that fails, with who asked for it. @param now by the clock that all processes share */
export function recordAccess(examineJob: ExamineJob, writer: AccessWriter, now: () => number): ExamineJob {
  return async (job, running) => {
    if (job.queue === 'composite') return examineJob(job, running);
    const startedAt = now();
    const note = (contacts: Parameters<AccessWriter['note']>[0]['contacts']) =>
      writer.note({
        runId: job.jobId,
        check: job.check,
        host: hostOfTarget(job.target),
        caller: askerOf(job),
        startedAt,
        endedAt: now(),
        contacts,
      });
    try {
      const outcome = await examineJob(job, running);
      note(outcome.contacts ?? null);
      return outcome;
    } catch (error) {
      note(null);
      throw error;
    }
  };
}

// Of a caller with a token the widest level is the account, which survives the token.
function askerOf({ isAnonymous, caller, levels }: Pick<Job, 'isAnonymous' | 'caller' | 'levels'>): string {
  return isAnonymous === true ? caller : (levels?.[0]?.replace(/^account:/, '') ?? caller);
}
