import type { Delivery } from '#shared/model/watch';
import type { Claim, WatchStore } from '#shared/ports/watch-store';

/** Which accounts have attempts under way in this process: one with thousands that are due, or with a slow receiver, leaves slots to the others. */
export type Senders = {
  /** Claims what is due, of one account after the other; the next claim goes on behind the last of them. */
  claim(claim: Claim): Promise<readonly Delivery[]>;
  leave(account: string): void;
};

export type SendersSettings = Pick<Delivery, 'channel'> & {
  readonly watches: Pick<WatchStore, 'dueAccounts' | 'claimDeliveries'>;
  readonly slots: number;
};

/** Opens the senders of a channel. */
export function openSenders({ watches, channel, slots }: SendersSettings): Senders {
  const underWay = new Map<string, number>();
  const add = (account: string, more: number) => {
    const next = (underWay.get(account) ?? 0) + more;
    if (next > 0) underWay.set(account, next);
    else underWay.delete(account);
  };
  /** As many slots as each would have, were there one account more. */
  const shareOf = (account: string) =>
    Math.max(1, Math.floor(slots / (underWay.size + (underWay.has(account) ? 1 : 2))));
  let last = '';
  const claimOf = async (account: string, claim: Claim, limit: number) => {
    const room = Math.min(limit, shareOf(account) - (underWay.get(account) ?? 0));
    if (room <= 0) return [];
    const claimed = await watches.claimDeliveries({ ...claim, channel, account, limit: room });
    for (const delivery of claimed) add(delivery.account, 1);
    return claimed;
  };
  return {
    async claim(claim) {
      const claimed: Delivery[] = [];
      const { accounts, next } = await watches.dueAccounts({ channel, now: claim.now, after: last });
      last = next;
      for (const account of accounts) {
        if (claimed.length >= claim.limit) break;
        claimed.push(...(await claimOf(account, claim, claim.limit - claimed.length)));
        last = account;
      }
      if (claimed.length < claim.limit) last = next;
      return claimed;
    },
    leave: (account) => add(account, -1),
  };
}
