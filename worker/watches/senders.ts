/** Which accounts have attempts under way in this process: one with thousands that are due, or with a slow receiver, leaves slots to the others. */
export type Senders = {
  enter(account: string): void;
  leave(account: string): void;
  /** Accounts that have as many slots as each would have, were there one account more. */
  withTheirShare(): readonly string[];
};

/** Opens the count. */
export function openSenders(slots: number): Senders {
  const underWay = new Map<string, number>();
  const add = (account: string, more: number) => {
    const next = (underWay.get(account) ?? 0) + more;
    if (next > 0) underWay.set(account, next);
    else underWay.delete(account);
  };
  return {
    enter: (account) => add(account, 1),
    leave: (account) => add(account, -1),
    withTheirShare() {
      const share = Math.max(1, Math.floor(slots / (underWay.size + 1)));
      return [...underWay].flatMap(([account, count]) => (count >= share ? [account] : []));
    },
  };
}
