/** A list in order, for items that no two of which are equal. To change what an item is ordered by, take it out before and add it again. */
export type SortedList<T> = {
  readonly items: readonly T[];
  add(item: T): void;
  /** False where it is not there. */
  remove(item: T): boolean;
};

/** Opens an empty one. */
export function openSortedList<T>(compare: (a: T, b: T) => number): SortedList<T> {
  const items: T[] = [];
  const placeOf = (item: T) => {
    let [low, high] = [0, items.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const there = items[middle];
      if (there !== undefined && compare(there, item) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return {
    items,
    add(item) {
      const at = placeOf(item);
      if (items[at] !== item) items.splice(at, 0, item);
    },
    remove(item) {
      const at = placeOf(item);
      if (items[at] !== item) return false;
      items.splice(at, 1);
      return true;
    },
  };
}
