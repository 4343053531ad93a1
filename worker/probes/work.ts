import { yieldToOthers } from './turns.ts';

/**
 * What one run may spend on reading large texts that its target chose, in characters; as bytes are counted, so is the work that they make.
 * Whatever reads such a text takes its characters here, a slice at a time, and reads each of them a fixed number of times at most.
 * Readers of small texts have a limit of their length instead.
 */
export type Work = {
  /**
   * Takes what a slice costs, and waits for a turn of the event loop when the run has used up its own. Rejects only when the run has ended.
   * @returns undefined when it may be read, or why not, as a clause for reports
   */
  take(characters: number): Promise<string | undefined>;
};

/** Eight pages of the greatest length; a usual run reads one, and its scripts. */
export const workLimit = 4_194_304;

/** Characters that are read at once: a few milliseconds, also of a page that was made to be slow. */
export const sliceLength = 16_384;

/** How long a run reads on before others have their turn; at most one slice longer. */
const sliceMs = 4;

/** Opens the work of one run. */
export function openWork(signal?: AbortSignal, limit = workLimit): Work {
  let left = limit;
  let endsAt = 0;
  return {
    async take(characters) {
      signal?.throwIfAborted();
      left -= characters;
      if (left < 0) return `one check reads at most ${limit} characters of pages`;
      if (performance.now() < endsAt) return undefined;
      await yieldToOthers();
      endsAt = performance.now() + sliceMs;
      return undefined;
    },
  };
}
