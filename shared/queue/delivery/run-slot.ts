import type { Slot } from '../../ports/job-queue.ts';

/** What a queue does with the slot of a run. */
export type SlotDoor = {
  /** False where too many runs have given up their slots already: the run keeps its own. */
  canGive(): boolean;
  give(): void;
  /** Waits for the caller's next turn. */
  take(signal: AbortSignal): Promise<void>;
};

/** The slot of one run. Parts of a run that work side by side share it: it is given up once, and taken again once. */
export function openRunSlot(door: SlotDoor): Slot {
  let isHeld = true;
  let taking: Promise<void> | undefined;
  const take = async (signal: AbortSignal) => {
    try {
      await door.take(signal);
      isHeld = true;
    } finally {
      taking = undefined;
    }
  };
  return {
    release() {
      if (!isHeld || !door.canGive()) return;
      isHeld = false;
      door.give();
    },
    async retake(signal) {
      if (isHeld) return;
      taking ??= take(signal);
      await taking;
    },
  };
}
