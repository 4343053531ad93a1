/** How many letters are to be changed, added or left out to turn one word into the other; both are short. */
export function editsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [index, letter] of one.split('').entries()) {
    const next = [index + 1];
    for (const [at, wanted] of other.split('').entries())
      next.push(
        Math.min((next[at] ?? 0) + 1, (row[at + 1] ?? 0) + 1, (row[at] ?? 0) + Number(letter !== wanted)),
      );
    row = next;
  }
  return row.at(-1) ?? 0;
}
