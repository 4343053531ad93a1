import type { QueueName } from '../../model/job.ts';
import { runsMost, turnRules } from '../turn-rules.ts';
import type { SlotLimit } from './shard-workers.ts';
import type { Spare } from './turn-slot.ts';

/** How many jobs a worker has at once. */
export type Room = {
  readonly spare: Spare;
  readonly limit: SlotLimit;
};

/** How many jobs a worker takes: more than it has slots, as slots are counted over all workers; and one more for each run that has given up its slot. */
export function openRoom(queue: QueueName, concurrency: number): Room {
  const least = concurrency * turnRules[queue].all;
  const most = concurrency * runsMost;
  const listeners = new Set<(concurrency: number) => void>();
  let given = 0;
  return {
    limit: { now: () => least + given, onChange: (listener) => void listeners.add(listener) },
    spare: {
      hasRoom: () => least + given < most,
      add(change) {
        given += change;
        for (const listener of listeners) listener(least + given);
      },
    },
  };
}
