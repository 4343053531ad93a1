import type { QueueName } from '../model/job.ts';
import { anonymousMost, networkMost, overOf } from './turn-rules.ts';

/** What waits for its caller's turn; those of one caller go in this order. */
type Waiting = { readonly seq: number };

/** A caller, or what callers share: a class, an account, a network; or all of them together. */
export type CallerNode<T extends Waiting> = {
  readonly name: string;
  readonly parent: CallerNode<T> | undefined;
  /** Those with jobs. */
  readonly kids: Map<string, CallerNode<T>>;
  /** Those of them that wait: whose turn is next comes first. */
  readonly waiters: SortedList<CallerNode<T>>;
  /** A caller's own jobs that wait. */
  readonly own: SortedList<T>;
  /** Places that it holds. */
  held: number;
  /** Jobs that it has or waits for. */
  jobs: number;
  /** When its last turn was; a count over all pools. */
  turn: number;
};

let turns = 0;

/** Opens a node without jobs. */
export function openNode<T extends Waiting>(name: string, parent?: CallerNode<T>): CallerNode<T> {
  return {
    name,
    parent,
    kids: new Map(),
    // Those that hold the fewest places, then those whose last turn is the longest ago.
    waiters: openSortedList((a, b) => a.held - b.held || a.turn - b.turn),
    own: openSortedList((a, b) => a.seq - b.seq),
    held: 0,
    jobs: 0,
    turn: 0,
  };
}

/** The caller at the end of a path, who has a job more from now on. */
export function countIn<T extends Waiting>(root: CallerNode<T>, path: readonly string[]): CallerNode<T> {
  let node = root;
  for (const name of path) {
    const kid = node.kids.get(name) ?? openNode(name, node);
    node.kids.set(name, kid);
    node = kid;
  }
  node.jobs += 1;
  return node;
}

/** The caller has a job less; levels without any are forgotten. */
export function countOut<T extends Waiting>(leaf: CallerNode<T>): void {
  leaf.jobs -= 1;
  for (let node = leaf; node.parent && node.jobs === 0 && node.kids.size === 0; node = node.parent)
    node.parent.kids.delete(node.name);
}

/** Gives or takes a place, at each level. */
export function hold<T extends Waiting>(leaf: CallerNode<T>, change: 1 | -1): void {
  for (let node: CallerNode<T> | undefined = leaf; node; node = node.parent) {
    const waits = node.parent?.waiters.remove(node) === true;
    node.held += change;
    if (change === 1) node.turn = turns += 1;
    if (waits) node.parent?.waiters.add(node);
  }
}

/** Lets a job wait for its caller's turn. */
export function addWaiting<T extends Waiting>(leaf: CallerNode<T>, job: T): void {
  leaf.own.add(job);
  for (let node = leaf; node.parent; node = node.parent) {
    if (!node.parent.waiters.remove(node)) node.turn = turns += 1;
    node.parent.waiters.add(node);
  }
}

export function removeWaiting<T extends Waiting>(leaf: CallerNode<T>, job: T): void {
  leaf.own.remove(job);
  for (let node = leaf; node.parent; node = node.parent) {
    if (node.own.items.length + node.waiters.items.length > 0) return;
    node.parent.waiters.remove(node);
  }
}

/** The class of a caller. */
export function classOf<T extends Waiting>(leaf: CallerNode<T>): string {
  let node = leaf;
  while (node.parent?.parent) node = node.parent;
  return node.name;
}

/** The caller whose job is next; undefined where none may have a place. */
export function pickNext<T extends Waiting>(
  root: CallerNode<T>,
  pool: QueueName,
  slots: number,
): CallerNode<T> | undefined {
  const all = slots * overOf[pool];
  if (root.held >= all) return undefined;
  if (root.held < slots) return pickBelow(root, Infinity);
  for (const kid of root.waiters.items) {
    const most = kid.name === 'anonymous' ? Math.ceil(all * anonymousMost) : all;
    const found = kid.held < most ? pickBelow(kid, slots) : undefined;
    if (found) return found;
  }
  return undefined;
}

/** So many of those that wait are looked at, at each level: where the first has its share, all have, but for accounts beside callers. */
const looksMost = 4;

function pickBelow<T extends Waiting>(node: CallerNode<T>, share: number): CallerNode<T> | undefined {
  if (node.own.items.length > 0) return node;
  const each = Math.max(1, Math.floor(share / Math.max(1, node.kids.size)));
  for (const kid of node.waiters.items.slice(0, looksMost)) {
    const isCaller = kid.own.items.length > 0;
    if (kid.held >= (isCaller ? each : each * networkMost)) continue;
    const found = pickBelow(kid, each);
    if (found) return found;
  }
  return undefined;
}

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
