import { Problem } from '../model/problem.ts';
import type { Strikes } from '../ports/strikes.ts';
import type { Caller } from './caller.ts';
import type { Holds } from './holds.ts';
import type { Payer, Payment } from './payer.ts';
import type { Payments } from './payments.ts';
import type { LimitFields } from './quotas.ts';
import { refuseStruck } from './refuse-struck.ts';

/** The limits that a run meets which a caller asks for. */
export type RunLimits = {
  readonly payments: Payments;
  readonly strikes: Strikes;
  readonly holds: Holds;
  /** Throws where this process cannot keep up with new work. @param hasFew the caller has no backlog */
  readonly shedLoad: (hasFew: boolean) => void;
};

/** Makes a caller pay by its scans, and wait in its own places. @param fields of the answer that tells what is left; undefined where no request waits */
export function payAsCaller(
  { payments, strikes, holds, shedLoad }: RunLimits,
  caller: Caller,
  fields: LimitFields,
): Payer {
  return {
    turns: {
      caller: caller.id,
      levels: caller.levels,
      isAnonymous: caller.kind === 'anonymous',
      ...(caller.pages === undefined ? {} : { pages: caller.pages }),
    },
    async pay(job, cost): Promise<Payment> {
      shedLoad(holds.hasFew(caller));
      await refuseStruck(strikes, job);
      const leave = holds.take(caller, job);
      // What a target has cost us by ending processes was a run.
      const giveBack = async () => {
        if (!(await strikes.has(job.jobId))) await payments.giveBack(caller, job.jobId, fields);
      };
      try {
        await payments.pay(caller, job, cost, fields);
      } catch (error) {
        leave();
        // What was refused for the limit was not paid for, and the answer says already what is left.
        if (error instanceof Problem && error.policy !== 'scans')
          await payments.giveBack(caller, job.jobId, fields);
        throw error;
      }
      return {
        giveBack,
        async undo() {
          leave();
          await payments.giveBack(caller, job.jobId, fields);
        },
      };
    },
  };
}
