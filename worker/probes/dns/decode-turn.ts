/** Smaller messages decode in less than a millisecond. */
const largeBytes = 4096;

let last: Promise<void> = Promise.resolve();

/**
 * Waits until a message of this size may be decoded: of large ones only one in each turn of the event loop, over all runs of the process.
 * A target can name many servers of its own and let them all answer with 64 kB in the same moment.
 */
export function takeDecodeTurn(sizeBytes: number): Promise<void> {
  if (sizeBytes < largeBytes) return Promise.resolve();
  last = last.then(
    () =>
      new Promise((resolve) => {
        setImmediate(resolve);
      }),
  );
  return last;
}
