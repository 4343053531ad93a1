import type { Job } from '../model/job.ts';
import type { Done } from '../ports/job-queue.ts';
import type { Caller } from './caller.ts';
import type { LimitFields, Paid, Quotas } from './quotas.ts';

/** Scans that were paid for runs that have not ended: what never ran, or failed through us, is given back. */
export type Payments = {
  /** Pays for a run before it starts. Throws 429. */
  pay(caller: Caller, job: Job, points: number, fields: LimitFields): Promise<void>;
  /** Gives the points back, as the run does not happen or belongs to another request. Further calls change nothing. The RateLimit field then shows what is left. */
  giveBack(caller: Caller, jobId: string, fields: LimitFields): Promise<void>;
  /** The run has ended. */
  settle(done: Done): Promise<void>;
};

type Payment = Paid & { readonly timer: NodeJS.Timeout };

/** Opens the record of this process; a job whose end was never heard of is forgotten when it cannot run any more. */
export function openPayments(quotas: Quotas): Payments {
  const open = new Map<string, Payment>();
  const forget = (jobId: string): Payment | undefined => {
    const payment = open.get(jobId);
    clearTimeout(payment?.timer);
    open.delete(jobId);
    return payment;
  };
  const giveBack = async (jobId: string) => {
    const payment = forget(jobId);
    if (payment) await quotas.giveBackScans(payment);
  };
  return {
    async pay(caller, { jobId, startBy, runLimitMs }, points, fields) {
      const paid = await quotas.takeScans(caller, points, fields);
      if (!paid) return;
      const lastMs = startBy - Date.now() + runLimitMs;
      const timer = setTimeout(() => forget(jobId), lastMs).unref();
      open.set(jobId, { ...paid, timer });
    },
    async giveBack(caller, jobId, fields) {
      await giveBack(jobId);
      // The end of the run may have given it back already.
      await quotas.tellScans(caller, fields);
    },
    async settle({ jobId, state }) {
      if (state === 'done') forget(jobId);
      else await giveBack(jobId);
    },
  };
}
