import type { Job } from '../model/job.ts';

/** Who pays for a run, and whose turns it has: a caller, a watch, or nobody, as for a part of what is paid for already. */
export type Payer = {
  /** What a job says of whose it is. */
  readonly turns: Pick<Job, 'caller' | 'levels' | 'pages' | 'isAnonymous' | 'isBackground'>;
  /** Pays before the run is submitted. Throws the 429 of what is used up; then nothing was taken. */
  pay(job: Job, cost: number): Promise<Payment>;
};

/** What was paid for one run. Each may be called again; that changes nothing. */
export type Payment = {
  /** The run is another's, or failed through us: its scans are given back. */
  giveBack(): Promise<void>;
  /** There is no run: its waiting place is given back, too. */
  undo(): Promise<void>;
};

const nothing: Payment = { giveBack: async () => undefined, undo: async () => undefined };

/** Nobody pays, as somebody has: the run has the turns of that job. */
export function payNothing({ caller, levels, pages, isAnonymous, isBackground }: Payer['turns']): Payer {
  const turns = {
    caller,
    ...(levels === undefined ? {} : { levels }),
    ...(pages === undefined ? {} : { pages }),
    ...(isAnonymous === undefined ? {} : { isAnonymous }),
    ...(isBackground === undefined ? {} : { isBackground }),
  };
  return { turns, pay: async () => nothing };
}

/** The same payer for what nobody waits for: it comes after what the payer waits for. */
export function inBackground(payer: Payer): Payer {
  return { ...payer, turns: { ...payer.turns, isBackground: true } };
}
