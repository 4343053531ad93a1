import { setTimeout as delay } from 'node:timers/promises';
import type { Job } from '../../model/job.ts';
import type { Slot } from '../../ports/job-queue.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { openRunSlot } from '../run-slot.ts';
import { patiently } from './end-together.ts';
import type { Gate } from './gate.ts';
import { handOver, type Queues } from './hand-over.ts';

/** The runs of a worker that have given up their slots: the worker takes as many jobs more. */
export type Spare = {
  /** False where too many have given theirs up. */
  hasRoom(): boolean;
  /** @param change 1 or -1 */
  add(change: number): void;
};

type SlotSettings = {
  readonly gate: Gate;
  readonly queues: Queues;
  readonly log: Logger;
  readonly spare: Spare;
};

/** A run that waits for a slot asks again after so long: no worker can be woken in the middle of a run. */
const askAgainMs = 200;

/** The slot that a job holds over all workers. Call `end` when its run has ended. @param stop aborts when this worker stops */
export function openTurnSlot(
  { gate, queues, log, spare }: SlotSettings,
  job: Job,
  stop: AbortSignal,
): { readonly slot: Slot; end(): void } {
  let isGiven = false;
  let giving: Promise<void> = Promise.resolve();
  const count = (given: boolean) => {
    if (given !== isGiven) spare.add(given ? 1 : -1);
    isGiven = given;
  };
  const slot = openRunSlot({
    canGive: () => spare.hasRoom(),
    give() {
      count(true);
      giving = patiently(stop, async () => handOver(queues, gate, await gate.giveTurn(job))).catch(
        (error: unknown) => {
          if (!stop.aborted) log.warn({ err: error, jobId: job.jobId }, 'slot not given up');
        },
      );
    },
    async take(signal) {
      await giving;
      while (!(await patiently(signal, () => gate.retakeTurn(job))))
        await delay(askAgainMs, undefined, { signal }).catch(() => signal.throwIfAborted());
      count(false);
    },
  });
  return { slot, end: () => count(false) };
}
