import { setTimeout as delay } from 'node:timers/promises';
import type { QueueName } from '../../model/job.ts';
import {
  type GaveUp,
  NotBegun,
  type Progress,
  type QueueWorker,
  type RunJob,
} from '../../ports/job-queue.ts';
import {
  end,
  type Entry,
  type Memory,
  type MemoryWorker,
  slotsOf,
  stand,
  take,
  wake,
} from '../scheduler/memory-jobs.ts';
import { hold, removeWaiting } from '../scheduler/memory-turns.ts';
import { runsMost } from '../scheduler/turn-rules.ts';
import { openRunSlot } from './run-slot.ts';

/** A run that could not begin is tried again after so long. */
const postponedMs = 1000;
/** What a run has left to close its sockets once it was aborted. */
const afterAbortMs = 1000;

type Work = {
  readonly queue: QueueName;
  readonly slots: number;
  readonly run: RunJob;
  readonly gaveUp: GaveUp;
};

/** Runs jobs of one queue, each when its caller's turn has come, until it is closed. */
export function openMemoryWorker(memory: Memory, work: Work): QueueWorker {
  const { queue, slots } = work;
  const { workers, entries } = memory;
  const running = new Set<Promise<void>>();
  const force = new AbortController();
  const hasRoom = () => running.size < slots * runsMost;
  const worker: MemoryWorker = {
    queue,
    slots,
    wake() {
      while (workers.has(worker) && hasRoom()) {
        const entry = take(memory, queue);
        if (!entry) return;
        const done: Promise<void> = runOne(memory, entry, {
          ...work,
          canGive: hasRoom,
          stop: force.signal,
        }).finally(() => {
          running.delete(done);
          worker.wake();
        });
        running.add(done);
      }
    },
    async close(graceMs) {
      workers.delete(worker);
      // Where no worker is left that shares out places, runs that wait for one end without.
      if (slotsOf(memory, queue) === 0)
        for (const entry of entries.values()) if (entry.job.queue === queue) entry.resume?.();
      const abort = setTimeout(() => force.abort(new Error('the worker is stopping')), graceMs);
      const { promise: givenUp, resolve: giveUp } = Promise.withResolvers<void>();
      const last = setTimeout(giveUp, graceMs + afterAbortMs);
      await Promise.race([Promise.allSettled(running), givenUp]);
      clearTimeout(abort);
      clearTimeout(last);
    },
  };
  workers.add(worker);
  worker.wake();
  return worker;
}

type Running = Pick<Work, 'run' | 'gaveUp'> & { readonly canGive: () => boolean; readonly stop: AbortSignal };

async function runOne(memory: Memory, entry: Entry, { run, gaveUp, canGive, stop }: Running): Promise<void> {
  const startMs = performance.now();
  const tookMs = () => Math.round(performance.now() - startMs);
  const slot = openRunSlot({
    canGive,
    give: () => give(memory, entry),
    take: (signal) => regain(memory, entry, signal),
  });
  const report = (progress: Progress) => void (entry.progress = progress);
  const start = { attempt: 1, mayBeStored: true, slot };
  try {
    const failed = await runWhenPossible(() => run(entry.job, start, stop, report), {
      startBy: entry.job.startBy,
      stop,
    });
    end(memory, entry, { state: failed ?? 'done', tookMs: tookMs() });
  } catch (error) {
    // A run that was broken off by our own stop says nothing of its target.
    if (!stop.aborted) await gaveUp(entry.job, error);
    end(memory, entry, { state: 'failed', tookMs: tookMs() });
  }
}

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

/** A run gives its place to others while it waits for something; that of its host it keeps. */
function give(memory: Memory, entry: Entry): void {
  if (entry.at !== 'run') return;
  hold(entry.caller, entry.job, -1);
  entry.at = 'away';
  wake(memory);
}

/** Waits until the run of an entry has its place again, at its caller's next turn. */
async function regain(memory: Memory, entry: Entry, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (slotsOf(memory, entry.job.queue) === 0) return;
  await new Promise<void>((resolve, reject) => {
    const abort = () => {
      entry.resume = undefined;
      if (entry.at === 'turn') removeWaiting(entry.caller, entry);
      entry.at = 'away';
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', abort, { once: true });
    entry.resume = () => {
      signal.removeEventListener('abort', abort);
      resolve();
    };
    entry.at = 'turn';
    stand(memory, entry);
    wake(memory, entry.job.queue);
  });
}
