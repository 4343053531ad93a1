/** How fast something may be asked over time: so many at once after a rest, and so many a second from then on. */
export type PaceRate = { readonly perSecond: number; readonly burst: number };

/**
 * Keeps the pace at which hosts are asked that nobody may have meant: the host gate protects the target that a caller names, the pace
 * protects those that a target names. One pace serves all runs, over all workers when Redis is there.
 */
export interface Pace {
  /**
   * Takes units of a key's rate (the generic cell rate algorithm).
   * @param key what is asked, e.g. "tls 192.0.2.1"; at most 300 characters
   * @param maxWaitMs longest that the caller would wait
   * @returns milliseconds to wait before the units may be used, 0 for at once; null when that is longer than `maxWaitMs`, and nothing is taken then
   */
  take(key: string, units: number, rate: PaceRate, maxWaitMs: number): Promise<number | null>;
  close(): Promise<void>;
}
