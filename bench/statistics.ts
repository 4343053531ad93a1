/** The middle one of these, NaN of none. */
export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** The value below which this share (0 to 1) of these lies, NaN of none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Runs `count` tasks, `lanes` at a time. */
export async function inLanes(
  count: number,
  lanes: number,
  task: (index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const work = async () => {
    for (let index = next++; index < count; index = next++) await task(index);
  };
  await Promise.all(Array.from({ length: lanes }, work));
}
