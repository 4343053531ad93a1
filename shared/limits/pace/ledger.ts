import { anonymousShare, type PaceOrder } from '../../ports/pace.ts';

/** What one process asks of a key's rate: units that its runs wait for, units to have in hand, and the units of before that nobody used. */
export type PaceAsk = Pick<PaceOrder, 'key' | 'rate' | 'isAnonymous'> & {
  readonly wanted: number;
  /** Given only of what is left of the burst, and never more than half of that. */
  readonly ahead: number;
  readonly returned: number;
};

/**
 * Units of a rate that a process may use, within `portionMs` of the answer. Their first may be used at once where both waits are 0 or less;
 * each further one an interval later.
 */
export type Portion = {
  readonly units: number;
  /** When it was given, ms of `steadyNow`: the runs that use it may be in another process. */
  readonly at: number;
  /** Ms until the first unit fits the rate of all; below 0 by what is left of the burst. */
  readonly ofAll: number;
  /** The same by what callers of this kind may use. */
  readonly ofKind: number;
  /** Ms from one unit to the next, at the rate of all and by what callers of this kind may use. */
  readonly intervals: Readonly<Record<'ofAll' | 'ofKind', number>>;
  /** Given out by this process's own account while the one of all is away: what is left of it is lost. */
  readonly isAlone?: boolean;
};

/** The account of all that was given out: in one process, or over all of them. */
export type Ledger = {
  /** Answers each of the asks, in their order. Never rejects. */
  lease(asks: readonly PaceAsk[]): Promise<readonly Portion[]>;
  close(): void;
};

/** How long a process may use what it was given: what is left then is returned, never used later. */
export const portionMs = 1000;
/** How far ahead units are given out, so that the last of them is used before its portion ends. */
export const horizonMs = 900;

/** Ms from one unit to the next where a process has this share of the rate. */
export function intervalsOf(
  { rate, isAnonymous }: Pick<PaceAsk, 'rate' | 'isAnonymous'>,
  share = 1,
): Portion['intervals'] {
  const ofAll = 1000 / (rate.perSecond * share);
  return { ofAll, ofKind: isAnonymous ? ofAll / anonymousShare : ofAll };
}
