/** `SOAK=1`: every property at its full length; else a tenth of it, which still meets each branch of a grammar. */
export const isSoak = process.env['SOAK'] === '1';

/** How many runs a property gets. */
export function runsOf(full: number): number {
  return isSoak ? full : Math.ceil(full / 10);
}
