import { setTimeout as delay } from 'node:timers/promises';
import type { QueueName } from '../model/job.ts';
import { type Done, type GaveUp, NotBegun, type Progress, type RunJob } from '../ports/job-queue.ts';
import type { Entry } from './memory-scheduler.ts';
import { openRunSlot, type SlotDoor } from './run-slot.ts';
import { runsMost } from './turn-rules.ts';

export type MemoryWorker = {
  readonly queue: QueueName;
  readonly concurrency: number;
  wake(): void;
  close(graceMs: number): Promise<void>;
};

type MemoryWork = {
  readonly queue: QueueName;
  readonly concurrency: number;
  readonly run: RunJob;
  readonly gaveUp: GaveUp;
  /** The next job whose turn has come, marked as running. */
  readonly take: () => Entry | undefined;
  readonly end: (entry: Entry, ended: Pick<Done, 'state' | 'tookMs'>) => void;
  /** What becomes of the slot of an entry's run. */
  readonly doorOf: (entry: Entry) => Omit<SlotDoor, 'canGive'>;
};

/** What a run has left to close its sockets once it was aborted. */
const afterAbortMs = 1000;

/** A run that could not begin is tried again after so long. */
const postponedMs = 1000;

/** Tries a run that cannot begin again, while its job may start. It keeps its slot: what it lacks, the others lack too. */
async function runWhenPossible<T>(
  run: () => Promise<T>,
  { startBy, stop }: { readonly startBy: number; readonly stop: AbortSignal },
): Promise<T> {
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof NotBegun)) throw error;
      if (stop.aborted || Date.now() + postponedMs >= startBy) throw error.cause;
      await delay(postponedMs, undefined, { signal: stop });
    }
  }
}

const reportTo = (entry: Entry) => (progress: Progress) => {
  entry.progress = progress;
};

/** Runs jobs of one queue, each when its caller's turn has come, until it is closed. */
export function openMemoryWorker(work: MemoryWork): MemoryWorker {
  const { queue, concurrency, run, gaveUp, take, end, doorOf } = work;
  const most = concurrency * runsMost;
  const running = new Set<Promise<void>>();
  const force = new AbortController();
  let isClosing = false;

  const runOne = async (entry: Entry) => {
    const startMs = performance.now();
    const tookMs = () => Math.round(performance.now() - startMs);
    const slot = openRunSlot({ ...doorOf(entry), canGive: () => running.size < most });
    const start = { attempt: 1, mayBeStored: true, slot };
    try {
      const failed = await runWhenPossible(() => run(entry.job, start, force.signal, reportTo(entry)), {
        startBy: entry.job.startBy,
        stop: force.signal,
      });
      end(entry, { state: failed ?? 'done', tookMs: tookMs() });
    } catch (error) {
      // A run that was broken off by our own stop says nothing of its target.
      if (!force.signal.aborted) await gaveUp(entry.job, error);
      end(entry, { state: 'failed', tookMs: tookMs() });
    }
  };

  const wake = () => {
    while (!isClosing && running.size < most) {
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
    concurrency,
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
