import type { QueueName } from '../model/job.ts';
import { enterTurns, leaveTurns } from './caller-turns.ts';
import { type Books, type Entry, slotsOf, wakeCrews } from './memory-books.ts';

/** The run of an entry gives its slot to other work. */
export function giveSlot(books: Books, { job: { queue, jobId } }: Entry): void {
  leaveTurns(books.turns[queue], jobId);
  wakeCrews(books, queue);
}

/** Waits until the run of an entry has a slot again, at its caller's next turn. */
export async function regainSlot(books: Books, entry: Entry, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const { job } = entry;
  if (slotsOf(books, job.queue) === 0) return;
  await new Promise<void>((resolve, reject) => {
    const abort = () => {
      leaveTurns(books.turns[job.queue], job.jobId);
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', abort, { once: true });
    entry.resume = () => {
      signal.removeEventListener('abort', abort);
      resolve();
    };
    enterTurns(books.turns[job.queue], job);
    wakeCrews(books, job.queue);
  });
}

/** Where no crew is left that shares out slots, runs that wait for one end without. */
export function resumeAll(books: Books, queue: QueueName): void {
  if (slotsOf(books, queue) > 0) return;
  for (const entry of books.entries.values()) if (entry.job.queue === queue) entry.resume?.();
}
