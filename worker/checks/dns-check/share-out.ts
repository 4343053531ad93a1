/** Points that a broken rule takes, by its own measure. */
export type Loss = { readonly code: string; readonly points: number };

/** What each loss really takes of `most` points: its own, or, where all together are more than there is, its share of it. */
export function shareOut(losses: readonly Loss[], most: number): readonly Loss[] {
  const sum = losses.reduce((points, loss) => points + loss.points, 0);
  const share = sum > most ? most / sum : 1;
  return losses.map(({ code, points }) => ({ code, points: points * share }));
}
