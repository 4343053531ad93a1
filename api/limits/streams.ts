import { Problem } from '#shared/model/problem';
import type { Caller } from '../request/caller.ts';

/** Streams that one account reads at once from one process, and all accounts together: each reads from the store as fast as its reader takes it. */
const ofAccount = 3;
const inAll = 64;

/** Counts the streams of whole reports that are being read. */
export type Streams = {
  /** Takes a place and gives what leaves it. Throws the 429 of policy `streams`, or 503. */
  enter(caller: Pick<Caller, 'account'>): () => void;
};

/** Opens the count of a process. */
export function openStreams(): Streams {
  const open = new Map<string, number>();
  let all = 0;
  return {
    enter({ account }) {
      const own = open.get(account) ?? 0;
      if (own >= ofAccount)
        throw new Problem(
          'rate_limited',
          `Your account reads ${ofAccount} streams already (policy "streams"). Ask again when one of them has ended.`,
          { retryAfterS: 5, policy: 'streams' },
        );
      if (all >= inAll)
        throw new Problem('overloaded', 'Too many streams are being read at once.', { retryAfterS: 10 });
      open.set(account, own + 1);
      all += 1;
      return () => {
        all -= 1;
        const left = (open.get(account) ?? 1) - 1;
        if (left > 0) open.set(account, left);
        else open.delete(account);
      };
    },
  };
}
