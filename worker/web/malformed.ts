/** A text that its grammar refuses. `reason` completes "it has …"; `offset` is the character where reading stopped. */
export type Malformed = { readonly malformed: true; readonly reason: string; readonly offset: number };

/** Makes a Malformed. */
export function malformed(reason: string, offset: number): Malformed {
  return { malformed: true, reason, offset };
}

/** Tells a Malformed from a parsed value. */
export function isMalformed<T extends object>(parsed: T | Malformed): parsed is Malformed {
  return 'malformed' in parsed;
}
