import type { AccountTurns } from '../../ports/account-turns.ts';

/** The turns of a single process. */
export function openMemoryAccountTurns(): AccountTurns {
  /** The end of the last turn that was asked for, by account. */
  const last = new Map<string, Promise<unknown>>();
  return {
    take(account, act) {
      const turn = (last.get(account) ?? Promise.resolve()).then(act);
      const ended = turn
        .catch(() => undefined)
        .then(() => {
          if (last.get(account) === ended) last.delete(account);
        });
      last.set(account, ended);
      return turn;
    },
    close: async () => undefined,
  };
}
