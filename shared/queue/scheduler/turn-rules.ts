import type { Job, QueueName } from '../../model/job.ts';

/**
 * All runs of a pool together may hold so many times its slots, where callers have less than their share of them. A check waits for the network
 * most of its time; a page load keeps a core busy. scheduler.lua has the same numbers, and one contract suite keeps both to them.
 */
export const overOf: Readonly<Record<QueueName, number>> = { network: 4, browser: 1, composite: 4 };

/** Beyond the slots, a network or an account may hold so many times its share. */
export const networkMost = 2;
/** Of all places, what work without a token may hold. */
export const anonymousMost = 3 / 4;
/** Of all places, what nobody waits for may hold beyond the slots. */
export const backgroundMost = 1 / 2;
/** Every so many turns of a caller go to what nobody waits for. */
export const tenth = 10;
/** Of those who want a job, so many are known by name. */
export const waitersMost = 8;
/** Page loads of one host at a time. */
export const pagesOfHost = 1;

/** Runs that a worker keeps at most, with those that have given up their slots: so many times its slots. */
export const runsMost = 10;

/** Whose turn a job is: its class, then the widest of those that its caller shares turns with, and last the caller. */
export function pathOf({ caller, levels = [], isAnonymous }: Pick<Job, 'caller' | 'levels' | 'isAnonymous'>) {
  return [isAnonymous === true ? 'anonymous' : 'known', ...levels, caller];
}
