/** A caller's allowance under one policy. */
export type Quota = {
  readonly policy: 'requests' | 'scans' | 'writes';
  readonly points: number;
  readonly windowS: number;
};

export type Taken = {
  readonly allowed: boolean;
  /** Points left in this window, 0 or more. */
  readonly remaining: number;
  /** Seconds until the window ends, rounded up. */
  readonly resetS: number;
  /** When that is, in the ms of `steadyNow`: a window that runs is neither longer nor shorter where this machine's clock is set. */
  readonly endsAt: number;
};

/** Counts what each caller spends. A refused `take` costs nothing. */
export interface RateLimiter {
  take(quota: Quota, caller: string, points: number): Promise<Taken>;
  /** Gives points back that were `taken` in the window that still runs; in a later window it does nothing. */
  giveBack(quota: Quota, caller: string, points: number, taken: Taken): Promise<void>;
  look(quota: Quota, caller: string): Promise<Taken>;
  close(): Promise<void>;
}
