import { MongoNetworkError } from 'mongodb';
import { isAnswer, storeUnavailable, withMongo } from '../../backends/mongo-errors.ts';
import { type Mongo, withinMs } from '../../backends/mongo.ts';
import { Problem } from '../../model/problem.ts';

/** Lets calls through, a few at a time. */
export type CallQueue = {
  readonly through: <T>(act: () => Promise<T>) => Promise<T>;
  /** Of those who make calls one after the other, the share that the queue has room for, above 0 and up to 1. */
  share(): number;
};

export type CallQueueLimits = {
  /** Calls at once: so many at first, never fewer than `least`, never more than `most`. */
  readonly first: number;
  readonly least: number;
  readonly most: number;
  /** A call waits no longer for its turn. */
  readonly turnMs: number;
};

/** The calls of the driver's pool, of which the health of the store and its upkeep need a few. */
const readsAtOnce: CallQueueLimits = { first: 16, least: 4, most: 40, turnMs: 5000 };
/** A write costs the server more than a read, and a worker only waits longer for its end. */
const writesAtOnce: CallQueueLimits = { first: 8, least: 4, most: 32, turnMs: 10_000 };

/** A call that takes far longer than usual has waited on the server; one below the first is never slow, one above the second is in any case. */
const [quickMs, slowMs] = [200, 500];
const slowTimes = 3;
/** After a slow call, so many of those that were let through at once. */
const slowShare = 0.7;
/** So much of what a call takes longer than usual becomes usual: a server may have moved further away. */
const learnShare = 0.002;
const waitingMost = 2000;

/** So many calls for callers are at the store at once, however slow it is: of a hundred of them, each has its turn before it gives up. */
const leastOfCallers = 32;

/** The call's own limit comes first, as it tells what was wrong. */
const moreMs = 200;

/**
 * Puts a queue before the calls of a process. A server that is slower than it is asked lets more and more calls wait, until each of them
 * takes longer than the driver allows and all of them fail. Here they wait for their turn instead, and so does whoever needs their result.
 * @param patience isPatient: for a process that only runs checks: no request waits for its calls
 */
export function limitCalls(
  mongo: Mongo,
  { isPatient }: { readonly isPatient: boolean },
): Mongo & { readonly runShare: () => number } {
  // A caller waits no longer for turn and answer together than for an answer alone; a run would rather wait.
  const open = (limits: CallQueueLimits) => {
    if (isPatient) return openCallQueue(limits);
    const { most } = limits;
    const queue = openCallQueue({ first: most, least: leastOfCallers, most, turnMs: mongo.waitMs });
    const limitMs = mongo.waitMs + moreMs;
    const through: CallQueue['through'] = (act) => withMongo(() => withinMs(limitMs, queue.through(act)));
    return { ...queue, through };
  };
  const [reads, writes] = [open(readsAtOnce), open(writesAtOnce)];
  return {
    ...mongo,
    read: (act) => reads.through(() => mongo.read(act)),
    write: (act) => writes.through(() => mongo.write(act)),
    runShare: () => writes.share(),
  };
}

/**
 * Opens a queue. It lets fewer calls through at once while they take long, and more again when they are quick.
 * A call that waits too long fails as one that the store did not answer. Where the store answers nothing any more, those that wait fail
 * with the first that it did not answer.
 */
export function openCallQueue(
  limits: CallQueueLimits,
  now: () => number = () => performance.now(),
): CallQueue {
  const waiting = new Set<WaitingCall>();
  const pace = openPace(limits, now);
  const share = openShare(now);
  let underWay = 0;
  let answeredAt = Number.NEGATIVE_INFINITY;
  const giveOn = () => {
    for (const next of waiting) {
      if (underWay >= pace.atOnce()) return;
      waiting.delete(next);
      underWay += 1;
      next.begin();
    }
  };
  const enter = async () => {
    if (underWay >= pace.atOnce()) return waitIn(waiting, limits.turnMs);
    underWay += 1;
  };
  const through: CallQueue['through'] = async (act) => {
    const from = now();
    await enter();
    const start = now();
    share.waited(start - from);
    try {
      const found = await act();
      answeredAt = now();
      pace.took(start);
      return found;
    } catch (error) {
      if (!isUnanswered(error)) answeredAt = now();
      else if (answeredAt < start) for (const each of waiting) each.refuse(error);
      pace.took(start);
      throw error;
    } finally {
      underWay -= 1;
      giveOn();
    }
  };
  return { through, share: () => share.now() };
}

type WaitingCall = { begin(): void; refuse(error: unknown): void };

async function waitIn(waiting: Set<WaitingCall>, turnMs: number): Promise<void> {
  if (waiting.size >= waitingMost) throw notAnswered(`${waiting.size} calls wait for the store already`);
  const turn = Promise.withResolvers<void>();
  const place: WaitingCall = {
    begin: () => turn.resolve(),
    refuse(error) {
      // At once: its turn would be nobody's.
      waiting.delete(place);
      turn.reject(error);
    },
  };
  waiting.add(place);
  const timer = setTimeout(() => place.refuse(notAnswered(`no turn within ${turnMs} ms`)), turnMs);
  await turn.promise.finally(() => clearTimeout(timer));
}

/** How many calls may be under way, by how long the last ones took. */
function openPace({ first, least, most }: CallQueueLimits, now: () => number) {
  let atOnce = first;
  let usualMs = quickMs / slowTimes;
  let slowedAt = Number.NEGATIVE_INFINITY;
  return {
    atOnce: () => Math.floor(atOnce),
    took(start: number): void {
      const tookMs = now() - start;
      usualMs = tookMs < usualMs ? tookMs : usualMs + (tookMs - usualMs) * learnShare;
      if (tookMs <= Math.min(slowMs, Math.max(quickMs, usualMs * slowTimes)))
        atOnce = Math.min(most, atOnce + 1 / atOnce);
      // Those that began before say the same of the same moment.
      else if (start >= slowedAt) {
        atOnce = Math.max(least, atOnce * slowShare);
        slowedAt = now();
      }
    },
  };
}

/** Calls that wait longer for their turn are too many, ms: those who make them become fewer. */
const longWaitMs = 300;
const shortWaitMs = 100;
/** A change is judged when it has taken effect. */
const judgeEveryMs = 4000;
const leastShare = 0.1;
const [fewer, moreAgain] = [0.7, 1.2];

/** How many of those who make calls may be at work, by how long their calls waited on average. */
function openShare(now: () => number) {
  let share = 1;
  let judgedAt = now();
  let [calls, waitedMs] = [0, 0];
  return {
    waited(ms: number): void {
      calls += 1;
      waitedMs += ms;
    },
    now(): number {
      if (now() - judgedAt < judgeEveryMs) return share;
      const meanMs = waitedMs / Math.max(1, calls);
      if (meanMs > longWaitMs) share = Math.max(leastShare, share * fewer);
      else if (meanMs < shortWaitMs) share = Math.min(1, share * moreAgain);
      judgedAt = now();
      [calls, waitedMs] = [0, 0];
      return share;
    },
  };
}

function notAnswered(why: string): Problem {
  return storeUnavailable(new MongoNetworkError(why));
}

function isUnanswered(error: unknown): boolean {
  return error instanceof Problem && !isAnswer(error.cause);
}
