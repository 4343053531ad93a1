import type { Job } from '../../model/job.ts';
import { anonymousMost, backgroundMost, networkMost, overOf, tenth } from './turn-rules.ts';

/** What waits for its caller's turn. */
type Waiting = { readonly job: Job };

/** A caller, or what callers share: a class, an account or network; or all of them together. */
export type Party<T extends Waiting> = {
  readonly name: string;
  readonly parent: Party<T> | undefined;
  /** Those with jobs. */
  readonly kids: Map<string, Party<T>>;
  /** A caller's own jobs that wait, in order: those that somebody waits for, and the others. */
  readonly first: Set<T>;
  readonly rest: Set<T>;
  /** Jobs here and below: all, those that wait, and of these those that somebody waits for. */
  jobs: number;
  waits: number;
  firstWaits: number;
  /** Places, and of them those of work that nobody waits for. */
  held: number;
  background: number;
  /** When its last turn was, and how many it had while both kinds waited. */
  turn: number;
  turns: number;
};

let turns = 0;

/** Opens a party without jobs. */
export function openParty<T extends Waiting>(name: string, parent?: Party<T>): Party<T> {
  const counts = { jobs: 0, waits: 0, firstWaits: 0, held: 0, background: 0, turn: 0, turns: 0 };
  return { name, parent, kids: new Map(), first: new Set(), rest: new Set(), ...counts };
}

/** The caller of a job, who has a job more from now on. The widest of its levels counts. */
export function countIn<T extends Waiting>(root: Party<T>, path: readonly string[]): Party<T> {
  let party = root;
  for (const name of path.length > 2 ? [path[0], path[1], path.at(-1)] : path) {
    const kid = party.kids.get(name ?? '') ?? openParty(name ?? '', party);
    party.kids.set(kid.name, kid);
    party = kid;
  }
  for (const each of upFrom(party)) each.jobs += 1;
  return party;
}

/** The caller has a job less; levels without any are forgotten. */
export function countOut<T extends Waiting>(leaf: Party<T>): void {
  for (const party of upFrom(leaf)) {
    party.jobs -= 1;
    if (party.jobs === 0) party.parent?.kids.delete(party.name);
  }
}

/** Gives or takes a place, at each level. */
export function hold<T extends Waiting>(leaf: Party<T>, { isBackground }: Job, change: 1 | -1): void {
  for (const party of upFrom(leaf)) {
    party.held += change;
    if (isBackground === true) party.background += change;
    if (change === 1) party.turn = turns += 1;
  }
}

/** Lets a job wait for its caller's turn. */
export function addWaiting<T extends Waiting>(leaf: Party<T>, entry: T): void {
  const isFirst = entry.job.isBackground !== true;
  (isFirst ? leaf.first : leaf.rest).add(entry);
  for (const party of upFrom(leaf)) {
    // Who comes goes behind those that wait.
    if (party.waits === 0) party.turn = turns += 1;
    party.waits += 1;
    if (isFirst) party.firstWaits += 1;
  }
}

export function removeWaiting<T extends Waiting>(leaf: Party<T>, entry: T): void {
  const wasFirst = leaf.first.delete(entry);
  if (!wasFirst && !leaf.rest.delete(entry)) return;
  for (const party of upFrom(leaf)) {
    party.waits -= 1;
    if (wasFirst) party.firstWaits -= 1;
  }
}

/** The account or the widest network of a caller, or itself. */
export function widestOf<T extends Waiting>(leaf: Party<T>): Party<T> {
  let party = leaf;
  while (party.parent?.parent?.parent) party = party.parent;
  return party;
}

function* upFrom<T extends Waiting>(leaf: Party<T>): Iterable<Party<T>> {
  for (let party: Party<T> | undefined = leaf; party; party = party.parent) yield party;
}

/** How a next job is looked for: among all, or only among what somebody waits for. */
type How = {
  readonly slots: number;
  readonly isFree: boolean;
  readonly isFirst: boolean;
  readonly mayRest: boolean;
};

/** The next job of a pool, by the rules of scheduler.lua; undefined where none may have a place. @param root the pool, by its queue's name */
export function pickNext<T extends Waiting>(root: Party<T>, slots: number): T | undefined {
  const all = slots * overOf[root.name as Job['queue']];
  if (root.waits === 0 || root.held >= all) return undefined;
  const isFree = root.held < slots;
  const mayRest = isFree || root.background < all * backgroundMost;
  const how = { slots, isFree, mayRest, isFirst: false };
  const found = pickBelow(root, how);
  // Whose background holds its share has it once more, for what somebody waits for.
  return found || isFree ? found : pickBelow(root, { ...how, isFirst: true });
}

const waitsOf = <T extends Waiting>(party: Party<T>, { isFirst }: How) =>
  isFirst ? party.firstWaits : party.waits;
const busyOf = <T extends Waiting>(party: Party<T>, { isFirst }: How) =>
  isFirst ? party.held - party.background : party.held;

/** So many of one level are looked at: where the first has its share, all have, but for accounts beside callers. */
const looksMost = 4;

function pickBelow<T extends Waiting>(party: Party<T>, how: How, share?: number): T | undefined {
  if (party.first.size + party.rest.size > 0) return nextOf(party, how);
  const each =
    share === undefined ? how.slots : Math.max(1, Math.floor(share / Math.max(1, party.kids.size)));
  const seen = new Set<Party<T>>();
  while (seen.size < looksMost) {
    const kid = nextAmong(party, how, seen);
    if (!kid) return undefined;
    seen.add(kid);
    const found = mayHold(kid, how, share === undefined ? undefined : each)
      ? pickBelow(kid, how, each)
      : undefined;
    if (found) return found;
  }
  return undefined;
}

/** Those that hold the fewest places, then those whose last turn is the longest ago. */
function nextAmong<T extends Waiting>({ kids }: Party<T>, how: How, seen: ReadonlySet<Party<T>>) {
  let next: Party<T> | undefined;
  for (const kid of kids.values()) {
    if (waitsOf(kid, how) === 0 || seen.has(kid)) continue;
    const before = next ? busyOf(kid, how) - busyOf(next, how) || kid.turn - next.turn : -1;
    if (before < 0) next = kid;
  }
  return next;
}

function mayHold<T extends Waiting>(kid: Party<T>, how: How, each: number | undefined): boolean {
  if (how.isFree) return true;
  if (each !== undefined) return busyOf(kid, how) < each * (kid.kids.size > 0 ? networkMost : 1);
  const all = how.slots * overOf[kid.parent?.name as Job['queue']];
  return kid.held < (kid.name === 'anonymous' ? all * anonymousMost : all);
}

/** A caller's next job: what somebody waits for, but for every tenth turn. */
function nextOf<T extends Waiting>(leaf: Party<T>, { isFirst, mayRest }: How): T | undefined {
  const [first] = leaf.first;
  const [rest] = leaf.rest;
  if (first && rest && mayRest && (leaf.turns += 1) % tenth === 0) return rest;
  return first ?? (isFirst || !mayRest ? undefined : rest);
}
