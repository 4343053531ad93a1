import type { Caller } from '#shared/limits/caller';
import { Problem } from '#shared/model/problem';
import type { StreamPlaces } from '#shared/ports/stream-places';

/** Streams that one account reads at once, over all processes. */
const ofAccount = 3;
/** Streams that all accounts together read from one process: each reads from the store as fast as its reader takes it. */
const inAll = 64;

/** Counts the streams of whole reports that are being read. */
export type Streams = {
  /** Takes a place and gives what leaves it. Rejects with the 429 of policy `streams`, or 503. */
  enter(caller: Pick<Caller, 'account'>): Promise<() => void>;
};

/** Opens the count of a process. */
export function openStreams(places: StreamPlaces): Streams {
  let all = 0;
  return {
    async enter({ account }) {
      if (all >= inAll)
        throw new Problem('overloaded', 'Too many streams are being read at once.', { retryAfterS: 10 });
      all += 1;
      const leave = await places.take(account, ofAccount);
      if (leave)
        return () => {
          all -= 1;
          leave();
        };
      all -= 1;
      throw new Problem(
        'rate_limited',
        `Your account reads ${ofAccount} streams already (policy "streams"). Ask again when one of them has ended.`,
        { retryAfterS: 5, policy: 'streams' },
      );
    },
  };
}
