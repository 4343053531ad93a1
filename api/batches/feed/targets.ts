import { type Batch, type BatchStore, targetsOfPart } from '#shared/ports/batch-store';

/** A target whose turn it is, and how often it was asked in vain. */
export type NextTarget = { readonly index: number; readonly tries: number };

/** The targets of a batch that have not ended, each in its turn. */
export type Targets = {
  /** Undefined where none is to be asked now. What is asked again comes before what was not asked yet. */
  next(): NextTarget | undefined;
  /** @param alone the others go on meanwhile; else what refuses one target refuses the next one too */
  again(target: NextTarget, afterMs: number, alone: boolean): void;
  pause(forMs: number): void;
  textOf(index: number): Promise<string>;
};

/** Opens the targets of a batch. @param hasEnded of those that need not be asked */
export function openTargets(
  store: Pick<BatchStore, 'readTargets'>,
  { batchId, total }: Batch,
  hasEnded: (index: number) => boolean,
): Targets {
  const waiting: (NextTarget & { readonly notBefore: number })[] = [];
  let nextIndex = 0;
  let pausedUntil = 0;
  let part: { readonly number: number; readonly texts: readonly string[] } | undefined;
  const pause = (forMs: number) => {
    pausedUntil = Math.max(pausedUntil, performance.now() + forMs);
  };
  return {
    pause,
    next() {
      const now = performance.now();
      if (now < pausedUntil) return undefined;
      const ready = waiting.findIndex(({ notBefore }) => notBefore <= now);
      if (ready >= 0) return waiting.splice(ready, 1)[0];
      while (nextIndex < total && hasEnded(nextIndex)) nextIndex += 1;
      return nextIndex < total ? { index: nextIndex++, tries: 0 } : undefined;
    },
    again({ index, tries }, afterMs, alone) {
      waiting.push({ index, tries, notBefore: performance.now() + afterMs });
      if (!alone) pause(afterMs);
    },
    async textOf(index) {
      const number = Math.floor(index / targetsOfPart);
      if (part?.number !== number) part = { number, texts: await store.readTargets(batchId, number) };
      return part.texts[index % targetsOfPart] ?? '';
    },
  };
}
