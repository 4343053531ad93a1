import { setTimeout as delay } from 'node:timers/promises';
import type { Caller } from '#shared/limits/caller';
import { Problem } from '#shared/model/problem';
import type { StreamPlaces } from '#shared/ports/stream-places';

/** Streams that one account reads at once, over all processes. */
const ofAccount = 3;
/** Streams that all accounts together read from one process: each reads from the store as fast as its reader takes it. */
const inAll = 64;

/** So long a list that is asked for by programs which know no 429 waits for a place. */
const waitMs = 10_000;
const lookEveryMs = 200;

/** Counts the streams of whole reports that are being read. */
export type Streams = {
  /** Takes a place and gives what leaves it. Rejects with the 429 of policy `streams`, or 503. */
  enter(caller: Pick<Caller, 'account'>): Promise<() => void>;
  /** Reads a list of an account once for all who ask for it meanwhile. Waits for a place; rejects with 503 where there is none for long. */
  share<T>(account: string, list: string, read: () => Promise<T>): Promise<T>;
};

type Take = (account: string) => Promise<(() => void) | undefined>;

/** Opens the count of a process. */
export function openStreams(places: StreamPlaces): Streams {
  let all = 0;
  const take: Take = async (account) => {
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
    return undefined;
  };
  return {
    async enter({ account }) {
      const leave = await take(account);
      if (leave) return leave;
      throw new Problem(
        'rate_limited',
        `Your account reads ${ofAccount} streams already (policy "streams"). Ask again when one of them has ended.`,
        { retryAfterS: 5, policy: 'streams' },
      );
    },
    share: openSharing(take),
  };
}

function openSharing(take: Take): Streams['share'] {
  const shared = new Map<string, Promise<unknown>>();
  const readInPlace = async <T>(account: string, read: () => Promise<T>): Promise<T> => {
    for (const until = performance.now() + waitMs; performance.now() < until; await delay(lookEveryMs)) {
      const leave = await take(account);
      if (leave) return read().finally(leave);
    }
    throw new Problem('overloaded', 'Your account reads other lists. Ask again when they have ended.', {
      retryAfterS: 10,
    });
  };
  return (account, list, read) => {
    const key = `${account} ${list}`;
    const known = shared.get(key) as ReturnType<typeof read> | undefined;
    if (known) return known;
    const reading = readInPlace(account, read).finally(() => shared.delete(key));
    shared.set(key, reading);
    return reading;
  };
}
