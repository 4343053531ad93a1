/** How fast something may be asked over time: so many at once after a rest, and so many a second from then on. */
export type PaceRate = { readonly perSecond: number; readonly burst: number };

/** One unit that a run asks for. */
export type PaceOrder = {
  /** What is asked, e.g. "handshakes 192.0.2.1": a charge and whom it is for; at most 300 characters. */
  readonly key: string;
  /** What all runs together may ask. Work for anonymous callers may use `anonymousShare` of it. */
  readonly rate: PaceRate;
  readonly isAnonymous: boolean;
  /** When it was asked for, ms of `steadyNow`. */
  readonly askedAt: number;
  /** Since when it waits, ms of `steadyNow`: who has asked for longer goes first. */
  readonly since: number;
  /** Until when the unit is of use, ms of `steadyNow`. */
  readonly until: number;
};

/** The part of each rate that work for anonymous callers can use: nobody can ask them to stop. The rest stays free for callers with a token. */
export const anonymousShare = 1 / 4;

/**
 * Keeps the pace at which hosts are asked that nobody may have meant: the host gate protects the target that a caller names, the pace
 * protects those that a target names. One pace serves all runs, over all workers when Redis is there.
 */
export interface Pace {
  /**
   * Asks for one unit, and waits for up to a second where its turn comes within that.
   * @returns 0 when the unit may be used, at once; else ms after which to ask again with the same order, whose place is kept;
   *   null when its turn does not come before `until`
   */
  take(order: PaceOrder): Promise<number | null>;
  close(): Promise<void>;
}
