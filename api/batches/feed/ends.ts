import {
  type Batch,
  type BatchEnd,
  type BatchOutcome,
  type BatchStore,
  noneEnded,
} from '#shared/ports/batch-store';
import { giveBack } from '#shared/time/give-back';

/** Ends that are read or written in one call. */
const atOnce = 500;
/** Over so long the rate of a batch is counted. */
export const rateMs = 60_000;

/** How the targets of a batch have ended, written in order. */
export type Ends = {
  has(index: number): boolean;
  count(): number;
  add(end: Omit<BatchEnd, 'cursor'>): void;
  /** More than are written at once wait: who ends targets waits for the store. */
  isFull(): boolean;
  /** Writes what was added. False where another feeder writes. */
  write(): Promise<boolean>;
};

/** Reads how the targets of a batch have ended so far. */
export async function readEnds(
  store: Pick<BatchStore, 'listEnds' | 'addEnds'>,
  { batchId }: Batch,
): Promise<Ends> {
  const ended = new Set<number>();
  const counts: Record<BatchOutcome | 'recent' | 'recentAt', number> = { ...noneEnded };
  const unwritten: Omit<BatchEnd, 'cursor'>[] = [];
  /** When those of the last minute ended. */
  let recent: number[] = [];
  let cursor = 0;
  const note = ({ index, outcome, endedAt }: Omit<BatchEnd, 'cursor'>) => {
    ended.add(index);
    counts[outcome] += 1;
    counts.recentAt = Math.max(counts.recentAt, endedAt);
    recent.push(endedAt);
  };
  const readPage = async () => {
    const page = await store.listEnds(batchId, cursor, atOnce);
    for (const end of page) {
      note(end);
      ({ cursor } = end);
      await giveBack();
    }
    return page.length;
  };
  while ((await readPage()) === atOnce);
  return {
    has: (index) => ended.has(index),
    count: () => ended.size,
    add: (end) => void unwritten.push(end),
    isFull: () => unwritten.length >= atOnce,
    async write() {
      while (unwritten.length > 0) {
        const ends = unwritten.splice(0, atOnce).map((end, at) => ({ ...end, cursor: cursor + 1 + at }));
        for (const end of ends) note(end);
        recent = recent.filter((endedAt) => endedAt > counts.recentAt - rateMs);
        // What could not be written is lost with this feeding: the next one reads what there is.
        if (!(await store.addEnds(batchId, ends, { ...counts, recent: recent.length }))) return false;
        cursor += ends.length;
        await giveBack();
      }
      return true;
    },
  };
}
