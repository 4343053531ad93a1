import type { Payer, Payment } from '#shared/limits/payer';
import type { Watch, WatchTarget } from '#shared/model/watch';
import type { Quota } from '#shared/ports/rate-limiter';
import type { WatchContext } from './context.ts';

/** Re-checks an hour at one registrable domain, over all accounts. */
const hostHour = { policy: 'scans', points: 60, windowS: 3600 } as const;

/** The account has too few scans, or the host has been asked enough: the turn is taken again after so many seconds. */
export class NotPaid extends Error {
  override readonly name = 'NotPaid';
  readonly waitS: number;

  constructor(waitS: number) {
    super(`to be paid in ${waitS} s`);
    this.waitS = waitS;
  }
}

type Turn = {
  readonly watch: Pick<Watch, 'account'>;
  readonly target: WatchTarget;
  readonly quota: Quota;
};

const paidBefore: Payment = { giveBack: async () => undefined, undo: async () => undefined };

/** Makes an account pay for the turn of its watch, once for each turn, and for a place at the host. Throws NotPaid. */
export function payAsWatch(
  { owners, backend, config }: Pick<WatchContext, 'owners' | 'backend' | 'config'>,
  { watch: { account }, target, quota }: Turn,
): Payer {
  return {
    turns: {
      caller: `watches:${account}`,
      levels: [`account:${account}`],
      isAnonymous: false,
      isBackground: true,
    },
    async pay(_job, cost) {
      if (target.paidFor === target.dueAt) return paidBefore;
      const paid = await owners.pay(account, quota, cost);
      if (typeof paid === 'number') throw new NotPaid(paid);
      const giveBack = async () => {
        if (paid) await owners.giveBack(paid);
      };
      const place = config.RATE_LIMIT
        ? await backend.rateLimiter.take(hostHour, `watches of ${target.host}`, 1)
        : undefined;
      if (place?.allowed === false) {
        await giveBack();
        throw new NotPaid(Math.max(1, place.resetS));
      }
      return { giveBack, undo: giveBack };
    },
  };
}
