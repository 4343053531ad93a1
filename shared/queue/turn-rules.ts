import type { QueueName } from '../model/job.ts';

/** A caller, or a network or account that callers share, while it has work. */
export type Party = {
  readonly name: string;
  /** Undefined for everybody together. */
  readonly parent: Party | undefined;
  readonly isAnonymous: boolean;
  /** Slots that it holds. */
  held: number;
  /** Jobs below it that wait. */
  waiting: number;
  /** How long it has held slots, in ms, from where the others stood when it came. */
  spent: number;
  /** Where those begin who come to it anew. */
  now: number;
  /** Those below it that hold or wait. */
  active: number;
  readonly parties: Map<string, Party>;
  /** Its own jobs that wait, in order; only a caller itself has some. */
  readonly jobs: Set<string>;
};

/** How far the slots of a queue stretch. */
export type TurnRules = {
  /** All runs together may hold so many times the slots, where callers have less than their share of them. */
  readonly all: number;
  /** A network or an account so many times its share. */
  readonly network: number;
  /** Of the slots, what work without a token may hold while a known caller waits. */
  readonly anonymousShare: number;
};

/** A check waits for the network most of its time, so there may be more of them than slots; a page load keeps a core busy. */
export const turnRules: Readonly<Record<QueueName, TurnRules>> = {
  network: { all: 4, network: 2, anonymousShare: 0.5 },
  browser: { all: 1, network: 1, anonymousShare: 0.5 },
  composite: { all: 4, network: 2, anonymousShare: 0.5 },
};

/** Runs that a worker keeps at most, with those that have given up their slots: so many times its slots. */
export const runsMost = 10;

/** Somebody new. */
export function openParty(name: string, parent: Party | undefined, isAnonymous: boolean): Party {
  return {
    name,
    parent,
    isAnonymous,
    held: 0,
    waiting: 0,
    spent: 0,
    now: 0,
    active: 0,
    parties: new Map(),
    jobs: new Set(),
  };
}

/** True when a caller may hold another slot: one is free, or it has less than its share of those that are taken. */
export function mayHold(caller: Party, slots: number, rules: TurnRules): boolean {
  const path: Party[] = [];
  let root = caller;
  for (; root.parent; root = root.parent) path.unshift(root);
  if (root.held < slots) return true;
  if (root.held >= slots * rules.all) return false;
  let share = slots;
  return path.every((party) => {
    share = Math.max(1, Math.floor(share / Math.max(1, party.parent?.active ?? 1)));
    return party.held < (party === caller ? share : share * rules.network);
  });
}
