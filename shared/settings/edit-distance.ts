/**
 * Counts how many characters must be inserted, left out, changed or swapped with their neighbour to make one text of another (optimal string alignment).
 * @returns 0 for equal texts; takes time in the product of both lengths, so bound them first
 */
export function editDistance(one: string, other: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const differs = one[row - 1] === other[column - 1] ? 0 : 1;
      const steps = [at(last, column) + 1, at(next, column - 1) + 1, at(last, column - 1) + differs];
      if (one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1])
        steps.push(at(beforeLast, column - 2) + 1);
      next.push(Math.min(...steps));
    }
    beforeLast = last;
    last = next;
  }
  return at(last, other.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
