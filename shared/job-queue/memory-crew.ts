import type { QueueName } from '../model/job.ts';
import type { Ended, Entry } from './memory-books.ts';
import { type GaveUp, ownSlot, type Progress, type Run } from './port.ts';

export type Crew = { readonly queue: QueueName; wake(): void; close(graceMs: number): Promise<void> };

type CrewOptions = {
  readonly queue: QueueName;
  readonly concurrency: number;
  readonly run: Run;
  readonly gaveUp: GaveUp;
  /** The next job whose turn has come, marked as running. */
  readonly take: () => Entry | undefined;
  readonly end: (entry: Entry, ended: Ended) => void;
};

/** What a run has left to close its sockets once it was aborted. */
const afterAbortMs = 1000;

/** Runs jobs of one queue, at most `concurrency` at a time, until it is closed. */
export function openCrew({ queue, concurrency, run, gaveUp, take, end }: CrewOptions): Crew {
  const running = new Set<Promise<void>>();
  const force = new AbortController();
  let isClosing = false;

  const runOne = async (entry: Entry) => {
    const startMs = performance.now();
    const tookMs = () => Math.round(performance.now() - startMs);
    const start = { attempt: 1, mayBeStored: true, slot: ownSlot };
    try {
      const report = (progress: Progress) => {
        entry.progress = progress;
      };
      const failed = await run(entry.job, start, force.signal, report);
      end(entry, { state: failed ?? 'done', tookMs: tookMs() });
    } catch (error) {
      // A run that was broken off by our own stop says nothing of its target.
      if (!force.signal.aborted) await gaveUp(entry.job, error);
      end(entry, { state: 'failed', tookMs: tookMs() });
    }
  };

  const wake = () => {
    while (!isClosing && running.size < concurrency) {
      const entry = take();
      if (!entry) return;
      const done: Promise<void> = runOne(entry).finally(() => {
        running.delete(done);
        wake();
      });
      running.add(done);
    }
  };

  return {
    queue,
    wake,
    async close(graceMs) {
      isClosing = true;
      const abort = setTimeout(() => force.abort(new Error('the worker is stopping')), graceMs);
      const { promise: givenUp, resolve: giveUp } = Promise.withResolvers<void>();
      const end = setTimeout(giveUp, graceMs + afterAbortMs);
      await Promise.race([Promise.allSettled(running), givenUp]);
      clearTimeout(abort);
      clearTimeout(end);
    },
  };
}
