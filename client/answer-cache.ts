/** A report as it was answered, and what is needed to use it again. */
export type KeptAnswer = {
  readonly etag: string;
  /** Unix ms; until then it answers without a request. */
  readonly freshUntil: number;
  /** The body as it came. */
  readonly text: string;
};

/** Where answers are kept. A cache that cannot be read or written must answer as if it were empty. */
export type AnswerCache = {
  get(key: string): Promise<KeptAnswer | undefined>;
  set(key: string, answer: KeptAnswer): Promise<void>;
};

/** Keeps answers in memory; the ones that were used longest ago go first. @param limitBytes of text, at two bytes a character */
export function openMemoryCache(limitBytes = 32 * 1024 * 1024): AnswerCache {
  const kept = new Map<string, KeptAnswer>();
  let size = 0;
  const drop = (key: string) => {
    size -= sizeOf(kept.get(key));
    kept.delete(key);
  };
  return {
    async get(key) {
      const answer = kept.get(key);
      if (answer) {
        kept.delete(key);
        kept.set(key, answer);
      }
      return answer;
    },
    async set(key, answer) {
      if (kept.has(key)) drop(key);
      if (sizeOf(answer) > limitBytes) return;
      kept.set(key, answer);
      size += sizeOf(answer);
      for (const oldest of kept.keys()) {
        if (size <= limitBytes) return;
        drop(oldest);
      }
    },
  };
}

/** Keeps nothing. */
export const noCache: AnswerCache = {
  get: async () => undefined,
  set: async () => undefined,
};

function sizeOf(answer: KeptAnswer | undefined): number {
  return answer ? 2 * answer.text.length + 200 : 0;
}
