import type { Job } from '../model/job.ts';
import { mayHold, type Party, openParty, type TurnRules } from './turn-rules.ts';

/** Whose turn it is at the workers of one queue: callers share its slots level by level, by the time that they occupy them. */
export type CallerTurns = {
  readonly rules: TurnRules;
  /** Everybody. */
  readonly root: Party;
  /** Slots that work without a token holds. */
  anonymousHeld: number;
  /** Jobs with a token that wait. */
  knownWaiting: number;
  readonly places: Map<string, CallerPlace>;
};

/** Where a job waits, or whose slot it holds. */
type CallerPlace = {
  /** The callers who wait for it; once it has a slot, the one whose turn it was. */
  callers: readonly Party[];
  /** Since when it holds a slot, in the ms of `performance.now()`. */
  heldSince: number | undefined;
};

/** A job and its caller, from the widest network or the account to the caller itself. */
export type TurnJob = Pick<Job, 'jobId' | 'caller' | 'levels' | 'isAnonymous'>;

/** So many idle callers are remembered for what they have spent beyond the others. */
const idleMost = 1000;

/** Turns of a queue with no jobs. */
export function noTurns(rules: TurnRules): CallerTurns {
  return {
    rules,
    root: openParty('', undefined, false),
    anonymousHeld: 0,
    knownWaiting: 0,
    places: new Map(),
  };
}

/** Lets a job wait for its caller's turn. One that waits for others already gets the best turn of them all. */
export function enterTurns(turns: CallerTurns, job: TurnJob): void {
  const known = turns.places.get(job.jobId);
  if (known?.heldSince !== undefined) return;
  const caller = findCaller(turns, job);
  const callers = known?.callers ?? [];
  if (callers.includes(caller) || callers.length >= waitersMost) return;
  turns.places.set(job.jobId, { callers: [...callers, caller], heldSince: undefined });
  caller.jobs.add(job.jobId);
  if (!caller.isAnonymous) turns.knownWaiting += 1;
  for (const party of levelsOf(caller)) {
    if (party.waiting === 0 && party.held === 0) wakeUp(party);
    party.waiting += 1;
  }
}

/** Of those who join a job, so many have it at their own turns, too. */
const waitersMost = 8;

/** The job whose turn it is, which holds a slot from now on; undefined where none may have one. @param slots that all workers have together */
export function takeTurn(turns: CallerTurns, slots: number): string | undefined {
  const caller = findNext(turns, slots);
  if (!caller || !mayHold(caller, slots, turns.rules)) return undefined;
  const [jobId] = caller.jobs;
  if (jobId === undefined) return undefined;
  leaveLines(turns, jobId);
  turns.places.set(jobId, { callers: [caller], heldSince: performance.now() });
  if (caller.isAnonymous) turns.anonymousHeld += 1;
  turns.root.held += 1;
  for (const party of levelsOf(caller)) {
    if (party.held === 0 && party.waiting === 0) wakeUp(party);
    party.held += 1;
    if (party.parent) party.parent.now = Math.max(party.parent.now, party.spent);
  }
  return jobId;
}

/** Ends what a job has here: its wait, or its slot, whose time is charged to the caller whose turn it was. */
export function leaveTurns(turns: CallerTurns, jobId: string): void {
  const place = turns.places.get(jobId);
  if (place?.heldSince === undefined) leaveLines(turns, jobId);
  else endHold(turns, place.callers, performance.now() - place.heldSince);
  turns.places.delete(jobId);
}

/** The place of a waiting job among those of its caller, 1 is next. */
export function placeOf({ places }: CallerTurns, jobId: string): number {
  const [caller] = places.get(jobId)?.callers ?? [];
  return caller ? [...caller.jobs].indexOf(jobId) + 1 : 0;
}

function endHold(turns: CallerTurns, [caller]: readonly Party[], spentMs: number): void {
  if (!caller) return;
  const { root } = turns;
  if (caller.isAnonymous) turns.anonymousHeld -= 1;
  root.held -= 1;
  // The virtual time: what each of those who are there has had on average.
  root.now += spentMs / Math.max(1, root.active);
  for (const party of levelsOf(caller)) {
    party.held -= 1;
    party.spent += spentMs;
    forgetIdle(party);
  }
  if (root.parties.size > 2 * root.active + idleMost) forgetCaughtUp(root);
}

function leaveLines(turns: CallerTurns, jobId: string): void {
  for (const caller of turns.places.get(jobId)?.callers ?? []) {
    if (!caller.jobs.delete(jobId)) continue;
    if (!caller.isAnonymous) turns.knownWaiting -= 1;
    for (const party of levelsOf(caller)) {
      party.waiting -= 1;
      forgetIdle(party);
    }
  }
}

// One that was idle begins where the others stand: it has saved nothing.
function wakeUp(party: Party): void {
  const { parent } = party;
  if (!parent) return;
  parent.parties.set(party.name, party);
  parent.active += 1;
  party.spent = Math.max(party.spent, parent.now);
}

// What it has spent is remembered at the top alone, where it counts against strangers.
function forgetIdle(party: Party): void {
  const { parent, held, waiting } = party;
  if (!parent || held > 0 || waiting > 0) return;
  parent.active -= 1;
  if (parent.parent || party.spent <= parent.now) parent.parties.delete(party.name);
}

function forgetCaughtUp({ parties, now }: Party): void {
  for (const [name, { held, waiting, spent }] of parties)
    if (held === 0 && waiting === 0 && spent <= now) parties.delete(name);
}

function findCaller({ root }: CallerTurns, { caller, levels = [], isAnonymous = false }: TurnJob): Party {
  let party = root;
  for (const name of [...levels, caller])
    party = party.parties.get(name) ?? openParty(name, party, isAnonymous);
  return party;
}

/** The caller whose turn it is: at each level the one that holds the fewest slots, and of these the one that had them for the shortest time. */
function findNext(
  { root, rules, anonymousHeld, knownWaiting }: CallerTurns,
  slots: number,
): Party | undefined {
  const isKnownOnly = knownWaiting > 0 && anonymousHeld >= slots * rules.anonymousShare;
  let party: Party | undefined = root;
  while (party && party.jobs.size === 0) {
    let next: Party | undefined;
    for (const other of party.parties.values()) {
      if (other.waiting === 0 || (isKnownOnly && other.isAnonymous)) continue;
      if (!next || isBefore(other, next)) next = other;
    }
    party = next;
  }
  return party;
}

function isBefore(a: Party, b: Party): boolean {
  return a.held === b.held ? a.spent < b.spent : a.held < b.held;
}

/** A caller and the levels above it that are compared with others, the nearest first. */
function* levelsOf(caller: Party): Iterable<Party> {
  for (let party = caller; party.parent; party = party.parent) yield party;
}
