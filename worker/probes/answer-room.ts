/** Bytes of the largest answer over TCP, with its length before it. */
export const largestAnswerBytes = 65_537;

/** What one run may read of DNS answers. */
export type AnswerRoom = {
  /** Counts bytes as they come. Gives false once there is no room for more. */
  receive(bytes: number): boolean;
  /**
   * Waits until the largest answer fits beside those that are on their way, so that what servers send together stays within the limit.
   * Rejects only with the signal's reason.
   * @returns what gives the place back, or undefined when there is no room left
   */
  reserve(signal: AbortSignal): Promise<(() => void) | undefined>;
};

/** Opens the room of one run. */
export function openAnswerRoom(limitBytes: number): AnswerRoom {
  let receivedBytes = 0;
  let onTheirWay = 0;
  let waiting: (() => void)[] = [];
  const hasRoom = () => receivedBytes < limitBytes;
  const fitsAnother = () =>
    onTheirWay === 0 || receivedBytes + (onTheirWay + 1) * largestAnswerBytes <= limitBytes;
  const giveBack = () => {
    onTheirWay -= 1;
    const woken = waiting;
    waiting = [];
    for (const wake of woken) wake();
  };
  return {
    receive(bytes) {
      receivedBytes += bytes;
      return hasRoom();
    },
    async reserve(signal) {
      // Those on their way end with the signal as well, so nobody waits longer than the run.
      while (hasRoom() && !fitsAnother()) {
        await new Promise<void>((resolve) => waiting.push(resolve));
        signal.throwIfAborted();
      }
      if (!hasRoom()) return undefined;
      onTheirWay += 1;
      return giveBack;
    },
  };
}
