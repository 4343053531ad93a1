import type { QueueName } from '../model/job.ts';
import { enterTurns, leaveTurns } from './caller-turns.ts';
import { type MemoryState, type Entry, slotsOf, wakeWorkers } from './memory-state.ts';

/** The run of an entry gives its slot to other work. */
export function giveSlot(memory: MemoryState, { job: { queue, jobId } }: Entry): void {
  leaveTurns(memory.turns[queue], jobId);
  wakeWorkers(memory, queue);
}

/** Waits until the run of an entry has a slot again, at its caller's next turn. */
export async function regainSlot(memory: MemoryState, entry: Entry, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const { job } = entry;
  if (slotsOf(memory, job.queue) === 0) return;
  await new Promise<void>((resolve, reject) => {
    const abort = () => {
      leaveTurns(memory.turns[job.queue], job.jobId);
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', abort, { once: true });
    entry.resume = () => {
      signal.removeEventListener('abort', abort);
      resolve();
    };
    enterTurns(memory.turns[job.queue], job);
    wakeWorkers(memory, job.queue);
  });
}

/** Where no worker is left that shares out slots, runs that wait for one end without. */
export function resumeAll(memory: MemoryState, queue: QueueName): void {
  if (slotsOf(memory, queue) > 0) return;
  for (const entry of memory.entries.values()) if (entry.job.queue === queue) entry.resume?.();
}
