/** How many streams of whole reports each account reads at once, over all processes. */
export interface StreamPlaces {
  /**
   * Takes a place of an account, which a process that is killed gives back within `streamLeaseMs`. Never rejects.
   * @returns what gives the place back; undefined where the account has `most` already
   */
  take(account: string, most: number): Promise<(() => void) | undefined>;
}

/** So long a place is kept for a process that says nothing. */
export const streamLeaseMs = 30_000;
